"""The tarball: unpacked into a root without anything else, the program runs; what the checksums and the SBOM say is true."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import product  # noqa: E402
from testing import PackageTest, free_port, package, server, use  # noqa: E402


class Tarball(PackageTest):
    def setUp(self):
        super().setUp()
        self.run_in("tar", "-xzf", package("tavola-*.tar.gz"), "--strip-components=1")
        self.program = self.folder / "bin/tavola"

    def test_it_serves_where_nothing_else_is(self):
        port = free_port()
        options = ["serve", "--port", port, "--console-port", "0", "--data", "data"]
        command = ["chroot", self.folder, "/bin/tavola"] if os.geteuid() == 0 else [self.program]
        with server(*command, *options, port=port, cwd=self.folder) as endpoint:
            use(endpoint)

    def test_it_needs_no_library(self):
        self.assertNotIn("NEEDED", product.run("readelf", "--dynamic", self.program))
        self.assertNotIn("INTERP", product.run("readelf", "--program-headers", self.program))

    def test_it_does_not_know_where_it_was_built(self):
        self.assertNotIn(str(product.ROOT).encode() + b"/", self.program.read_bytes())

    def test_manual_and_completions_are_there(self):
        self.assertTrue((self.folder / "share/man/man1/tavola.1").read_text().startswith(".TH TAVOLA 1"))
        for name in ("bash-completion/completions/tavola", "zsh/site-functions/_tavola", "fish/vendor_completions.d/tavola.fish"):
            self.assertIn("serve", (self.folder / "share" / name).read_text())

    def test_checksums_and_sbom_are_right(self):
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=product.OUT, check=True)
        document = json.loads((product.OUT / "sbom.spdx.json").read_text())
        parts = {one["name"]: one for one in document["packages"]}
        self.assertEqual(parts["tavola"]["checksums"][0]["checksumValue"], product.sha256(self.program))
        for name in ("librocksdb-dev", "libssl-dev", "libc6-dev", "libsimdjson-dev", "preact"):
            self.assertRegex(parts[name]["versionInfo"], r"^\d")


if __name__ == "__main__":
    unittest.main()
