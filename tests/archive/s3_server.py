"""The part of S3 that an archive needs, in memory: objects are written, read and listed, and botocore, AWS's own
signer, computes every signature again.

    with S3Server("bucket") as s3:
        ... s3.url ..., s3.objects

`before` is called with the number, method and name of each request, before it has an effect. It returns the status
of a failure, or None.
"""
import hashlib
import http.server
import re
import threading
import urllib.parse
from xml.sax.saxutils import escape

import botocore.auth
import botocore.awsrequest
import botocore.credentials

ACCESS_KEY, SECRET, REGION = "AKIDARCHIVE", "a/secret+of=tests", "eu-central-1"
ENVIRONMENT = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION}
KEYS_PER_PAGE = 3


class S3Server:
    def __init__(self, bucket, before=None):
        self.bucket = bucket
        self.before = before or (lambda number, method, name: None)
        self.objects = {}
        self.requests = []  # (method, name)
        self.wrong_signatures = []
        self._lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def _handler(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                try:
                    status, content = outer.answer(self.command, self.path, self.headers, body)
                except ConnectionAbortedError:
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_PUT = do_HEAD = answer

            def log_message(self, *_):
                pass

        return Handler

    def answer(self, method, target, headers, body):
        parts = urllib.parse.urlsplit(target)
        name = urllib.parse.unquote(parts.path).removeprefix(f"/{self.bucket}/")
        with self._lock:
            self.requests.append((method, name))
            number = len(self.requests)
        failure = self.before(number, method, name)
        if failure:
            return failure, error("SlowDown", "Please reduce your request rate.")
        why = self.why_not_signed(method, target, headers, body)
        if why:
            self.wrong_signatures.append(why)
            return 403, error("SignatureDoesNotMatch", why)
        if not parts.path.startswith(f"/{self.bucket}/"):
            return 404, error("NoSuchBucket", "The specified bucket does not exist")
        if method == "PUT":
            self.objects[name] = body
            return 200, b""
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        if query.get("list-type") == "2":
            return 200, self.listing(query)
        if name not in self.objects:
            return 404, error("NoSuchKey", "The specified key does not exist.")
        return 200, self.objects[name]

    def listing(self, query):
        names = sorted(name for name in self.objects if name.startswith(query.get("prefix", "")))
        names = [name for name in names if name > query.get("continuation-token", "")]
        page, rest = names[:KEYS_PER_PAGE], names[KEYS_PER_PAGE:]
        keys = "".join(f"<Contents><Key>{escape(name)}</Key></Contents>" for name in page)
        after = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if rest else ""
        return (f'<?xml version="1.0"?><ListBucketResult><IsTruncated>{str(bool(rest)).lower()}</IsTruncated>'
                f"{after}{keys}</ListBucketResult>").encode()

    def why_not_signed(self, method, target, headers, body):
        if headers.get("x-amz-content-sha256") != hashlib.sha256(body).hexdigest():
            return "the body is not the one that was signed"
        given = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/.*?, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
                             headers.get("Authorization", ""))
        if not given or given[1] != ACCESS_KEY:
            return "there is no signature of a known key"
        signed = {name: headers.get(name, "") for name in given[2].split(";")}
        if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(signed):
            return "too little is signed: " + given[2]
        request = botocore.awsrequest.AWSRequest(method, self.url + target, headers=signed, data=body)
        request.context["timestamp"] = signed["x-amz-date"]
        parts = urllib.parse.urlsplit(target)
        request.params = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        request.url = self.url + parts.path
        signer = botocore.auth.S3SigV4Auth(botocore.credentials.Credentials(ACCESS_KEY, SECRET), "s3", REGION)
        text = signer.string_to_sign(request, signer.canonical_request(request))
        if signer.signature(text, request) != given[3]:
            return "the signature is another one: " + signer.canonical_request(request)
        return None


def error(code, message):
    return f"<Error><Code>{escape(code)}</Code><Message>{escape(message)}</Message></Error>".encode()
