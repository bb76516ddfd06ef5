#!/usr/bin/env python3
"""The clients that npm has (js/package.json), installed once into build/node-clients and again when they change.

    tests/clients/node_packages.py             installs them if missing
    tests/clients/node_packages.py --update    writes js/package-lock.json after a change of js/package.json

Other tests have packages of their own in the same way: Packages(folder, name).
"""
import fcntl
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # SKIP_RETURN_CODE in tests/CMakeLists.txt
# npm's messages if the registry is unreachable. Anything else (a wrong checksum, a removed version) is a failure.
UNREACHABLE = re.compile(
    r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED)\b")


class Packages:
    """The packages of a folder with package.json and package-lock.json, installed into build/NAME."""

    def __init__(self, source, name):
        self.source = source
        self.cache = ROOT / "build" / name
        self.modules = self.cache / "node_modules"  # for NODE_PATH

    def install_once(self):
        """Returns when the packages are installed. Ends the program, as skipped, if they cannot be fetched."""
        for tool in ("node", "npm"):
            if shutil.which(tool) is None:
                sys.exit(f"{tool} is missing: packaging/setup test installs it")
        self.cache.mkdir(parents=True, exist_ok=True)
        with (self.cache / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two tests may come here at once
            wanted = hashlib.sha256((self.source / "package-lock.json").read_bytes()).hexdigest()
            installed = self.cache / "installed"
            if not installed.exists() or installed.read_text() != wanted:
                installed.unlink(missing_ok=True)
                self.install()
                installed.write_text(wanted)

    def install(self):
        for name in ("package.json", "package-lock.json"):
            shutil.copy(self.source / name, self.cache)
        outcome = npm("ci", self.cache, "--prefer-offline", "--fetch-retries=2", "--fetch-retry-mintimeout=1000",
                      "--fetch-retry-maxtimeout=5000", "--fetch-timeout=60000")
        if outcome.returncode != 0:
            print(outcome.stdout, file=sys.stderr)
            where = self.source.relative_to(ROOT)
            if UNREACHABLE.search(outcome.stdout):
                print(f"SKIPPED: npm cannot reach its registry, and {where} was not installed before", file=sys.stderr)
                sys.exit(SKIPPED)
            sys.exit(f"npm ci failed in {self.cache.relative_to(ROOT)}")

    def update(self):
        outcome = npm("install", self.source, "--package-lock-only")
        if outcome.returncode != 0:
            sys.exit(outcome.stdout)
        # The source of a package depends on the machine; its checksum does not.
        path = self.source / "package-lock.json"
        lock = json.loads(path.read_text())
        for package in lock["packages"].values():
            package.pop("resolved", None)
            package.pop("funding", None)
        path.write_text(json.dumps(lock, indent=2, ensure_ascii=False) + "\n")


def npm(command, folder, *options):
    return subprocess.run(["npm", command, "--ignore-scripts", "--no-audit", "--no-fund", *options], cwd=folder,
                          text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)


CLIENTS = Packages(ROOT / "tests/clients/js", "node-clients")
SOURCE, MODULES = CLIENTS.source, CLIENTS.modules
install_once = CLIENTS.install_once


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        CLIENTS.update()
    else:
        CLIENTS.install_once()
        print(CLIENTS.modules)
