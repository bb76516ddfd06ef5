"""A server of DynamoDB's protocol by others, for tests of fronts: dynoxide, installed from npm once.

    tests/upstream/dynoxide/dynoxide.py --update    writes package-lock.json after a change of package.json
"""
import pathlib
import platform
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests/clients"))

from node_packages import SKIPPED, Packages  # noqa: E402

PACKAGES = Packages(HERE, "node-dynoxide")


def install_once():
    """Ends the program, as skipped, where dynoxide cannot be had."""
    if platform.machine() != "x86_64":
        print("SKIPPED: npm has dynoxide for x86-64 alone as a program by itself", file=sys.stderr)
        sys.exit(SKIPPED)
    PACKAGES.install_once()


class Dynoxide:
    """Like tests/server.py's Server, in memory."""

    def __init__(self):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self):
        program = PACKAGES.modules / "@dynoxide/linux-x64/dynoxide"
        self.process = subprocess.Popen([program, "--port", str(self.port)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("dynoxide does not listen")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


if __name__ == "__main__" and sys.argv[1:] == ["--update"]:
    PACKAGES.update()
