"""The formula: Ruby reads it, and what it names is in the tarball, with that checksum."""
import pathlib
import re
import shutil
import sys
import tarfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import product  # noqa: E402
from testing import PackageTest, package  # noqa: E402


class Formula(PackageTest):
    def test_it_names_what_is_there(self):
        text = package("homebrew/tavola.rb").read_text()
        archive = package("tavola-*.tar.gz")
        self.assertIn(f'sha256 "{product.sha256(archive)}"', text)
        self.assertNotIn("@", text)
        with tarfile.open(archive) as content:
            names = {name.split("/", 1)[1] for name in content.getnames() if "/" in name}
        for name in re.findall(r'\.install "([^"]+)"', text):
            self.assertIn(name, names)

    @unittest.skipUnless(shutil.which("ruby"), "no ruby here")
    def test_ruby_reads_it(self):
        product.run("ruby", "-c", package("homebrew/tavola.rb"))


if __name__ == "__main__":
    unittest.main()
