#!/usr/bin/env python3
"""The AWS SDK for JavaScript v3: starts a server and runs js/sdk_test.js and js/streams_test.js against it, with Node's own
test runner.

    tests/clients/javascript_test.py PATH/TO/tavola
"""
import subprocess
import unittest

import harness
import node_packages


class JavaScript(unittest.TestCase):
    def test_sdk(self):
        self.run_script("sdk_test.js")

    def test_streams(self):
        self.run_script("streams_test.js")

    def run_script(self, name):
        with harness.Server(harness.PROGRAM, "--in-memory") as server:
            surroundings = {**harness.environment(), "NODE_PATH": str(node_packages.MODULES), "ENDPOINT": server.url}
            outcome = subprocess.run(["node", "--test-reporter=spec", node_packages.SOURCE / name],
                                     env=surroundings, check=False, timeout=300, text=True, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(outcome.stdout, flush=True)
        self.assertEqual(outcome.returncode, 0, "what failed is told above")


if __name__ == "__main__":
    node_packages.install_once()
    harness.main()
