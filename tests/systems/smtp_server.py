#!/usr/bin/env python3
"""A real mail server for a test: STARTTLS and a login are required. It prints its port, then each accepted message as a line of JSON.

    smtp_server.py CERTIFICATE KEY USER PASSWORD [--refuse N]     answers the first N messages with 451

It ends when its standard input ends.
"""
import argparse
import asyncio
import email
import email.policy
import json
import ssl
import sys
import warnings

from aiosmtpd.smtp import SMTP, AuthResult


class Mailbox:
    def __init__(self, refuse):
        self.refuse = refuse

    async def handle_DATA(self, _server, _session, envelope):
        if self.refuse > 0:
            self.refuse -= 1
            return "451 try again later"
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        print(json.dumps({"from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": message["subject"],
                          "id": message["message-id"], "text": message.get_content()}), flush=True)
        return "250 accepted"


def main():
    warnings.simplefilter("ignore")  # aiosmtpd's about its own next version
    parser = argparse.ArgumentParser()
    for name in ("certificate", "key", "user", "password"):
        parser.add_argument(name)
    parser.add_argument("--refuse", type=int, default=0)
    given = parser.parse_args()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(given.certificate, given.key)

    def authenticate(_server, _session, _envelope, _mechanism, data):
        return AuthResult(success=(data.login, data.password) == (given.user.encode(), given.password.encode()))

    async def serve():
        loop = asyncio.get_running_loop()
        mailbox = Mailbox(given.refuse)
        server = await loop.create_server(
            lambda: SMTP(mailbox, hostname="localhost", loop=loop, tls_context=tls, require_starttls=True,
                         auth_required=True, authenticator=authenticate), "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await loop.run_in_executor(None, sys.stdin.read)
        server.close()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
