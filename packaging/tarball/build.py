"""build/packages/tavola-VERSION-linux-ARCH.tar.gz: the program, its manual page, completions and licence."""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import product  # noqa: E402


def main():
    name = f"tavola-{product.VERSION}-linux-{product.MACHINE}"
    folder = product.fresh(product.OUT / ".tarball")
    for part in ("bin", "share"):
        shutil.copytree(product.STAGE / part, folder / part)
    shutil.copy(product.ROOT / "LICENSE", folder)
    (product.OUT / f"{name}.tar.gz").write_bytes(product.gzipped(product.tar_of(folder, name)))


main()
