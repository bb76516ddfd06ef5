#!/usr/bin/env python3
"""The AWS SDK for JavaScript v3: starts a server for each of js/*_test.js and runs that against it, with Node's own test runner.

    tests/clients/javascript_test.py PATH/TO/tavola
"""
import pathlib
import re
import subprocess
import tempfile
import unittest

import harness
import node_packages


class JavaScript(unittest.TestCase):
    def test_sdk(self):
        self.run_script("sdk_test.js")

    def test_streams(self):
        self.run_script("streams_test.js")

    def test_whole_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "mine").mkdir()
            self.run_script("whole_tables_test.js", "--buckets", folder)

    def test_buckets(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder, "keys.txt")
            keys.write_text(f"{harness.ACCESS_KEY} {harness.SECRET_KEY}\n")
            keys.chmod(0o600)
            self.run_script("buckets_test.js", "--buckets", f"{folder}/buckets", "--s3-port", "0", "--credentials", keys)

    def test_throughput(self):
        self.run_script("throughput_test.js", "--enforce-throughput")

    def run_script(self, name, *options):
        with harness.Server(harness.PROGRAM, "--in-memory", *options) as server:
            surroundings = {**harness.environment(), "NODE_PATH": str(node_packages.MODULES), "ENDPOINT": server.url}
            if "--s3-port" in options:
                surroundings["S3_ENDPOINT"] = re.search(r"serving buckets url=(\S+)", server.log_text())[1]
            outcome = subprocess.run(["node", "--test-reporter=spec", node_packages.SOURCE / name],
                                     env=surroundings, check=False, timeout=300, text=True, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(outcome.stdout, flush=True)
        self.assertEqual(outcome.returncode, 0, "what failed is told above")


if __name__ == "__main__":
    node_packages.install_once()
    harness.main()
