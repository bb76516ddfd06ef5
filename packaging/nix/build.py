"""build/packages/nix/tavola.nix: the Nix expression, with the checksum of the tarball."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import product  # noqa: E402


def main():
    archive = product.OUT / f"tavola-{product.VERSION}-linux-{product.MACHINE}.tar.gz"
    product.fill(HERE / "tavola.nix", product.OUT / "nix/tavola.nix", ARCHIVE=archive.name, SHA256=product.sha256(archive))


main()
