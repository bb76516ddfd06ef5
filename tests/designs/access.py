"""Who asks in tests: an access key that roles do not limit, keys that stand for somebody, and tokens."""
import functools
import pathlib
import subprocess

import botocore.auth
import botocore.awsrequest
import botocore.credentials

SECRETS = {"AKIDTEST": "a-secret-of-the-tests", "AKIDANNA": "annas-secret", "AKIDBEN": "bens-secret"}
KEYS = f"""AKIDTEST {SECRETS["AKIDTEST"]}
AKIDANNA {SECRETS["AKIDANNA"]} sub=anna
AKIDBEN  {SECRETS["AKIDBEN"]} sub=ben groups=manager
"""


class Access:
    def __init__(self, program, folder):
        self.program = program
        self.secret = pathlib.Path(folder) / "token-secret"
        self.keys = pathlib.Path(folder) / "keys"
        for file, text in ((self.secret, "of the tests, and longer than 32 bytes\n"), (self.keys, KEYS)):
            file.touch(mode=0o600)
            file.write_text(text)

    def options(self):
        """For the server."""
        return ["--credentials", self.keys, "--jwt-secret-file", self.secret]

    @functools.lru_cache(maxsize=None)
    def token(self, sub, groups=()):
        command = [self.program, "token", "--sub", sub, "--secret-file", self.secret]
        for group in groups:
            command += ["--group", group]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def bearer(self, who):
        """The headers of {sub, groups}; none when nobody is logged in."""
        if "sub" not in who:
            return {}
        return {"Authorization": "Bearer " + self.token(who["sub"], tuple(who.get("groups", ())))}

    @staticmethod
    def signed(method, url, body=None, key="AKIDTEST"):
        """The headers of a request that is signed as AWS's clients do."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        request = botocore.awsrequest.AWSRequest(method, url, headers=headers, data=body)
        credentials = botocore.credentials.Credentials(key, SECRETS[key])
        botocore.auth.SigV4Auth(credentials, "dynamodb", "local").add_auth(request)
        return dict(request.headers.items())
