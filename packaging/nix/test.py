"""The Nix expression: Nix parses it where it is installed; what it names has that checksum."""
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import product  # noqa: E402
from testing import PackageTest, package  # noqa: E402


class Expression(PackageTest):
    def test_it_names_what_is_there(self):
        text = package("nix/tavola.nix").read_text()
        archive = package("tavola-*.tar.gz")
        self.assertIn(f'sha256 = "{product.sha256(archive)}"', text)
        self.assertIn(f'/{archive.name}"', text)
        self.assertNotIn("@", text)

    @unittest.skipUnless(shutil.which("nix-instantiate"), "no nix here; the package nix-bin has it")
    def test_nix_parses_it(self):
        product.run("nix-instantiate", "--parse", package("nix/tavola.nix"), env={**product.ENVIRONMENT, "HOME": str(self.folder),
                                                                                   "NIX_STATE_DIR": str(self.folder)})


if __name__ == "__main__":
    unittest.main()
