"""build/packages/python/tavola-VERSION-py3-none-….whl: the program and its fixtures for pytest, by Debian's own tools."""
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import product  # noqa: E402

PYTHON = "/usr/bin/python3"  # Debian's, whose packages build the wheel


def main():
    work = product.fresh(product.OUT / ".python") / "tavola"
    shutil.copytree(HERE / "package", work, ignore=shutil.ignore_patterns("__pycache__"))
    product.fill(HERE / "package/pyproject.toml", work / "pyproject.toml")
    shutil.copy(product.ROOT / "LICENSE", work)
    (work / "src/tavola/bin").mkdir()
    shutil.copy(product.program(), work / "src/tavola/bin/tavola")
    for path in work.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.name == "tavola" else 0o644)
        os.utime(path, (product.EPOCH, product.EPOCH))
    product.run(PYTHON, "-m", "build", "--wheel", "--no-isolation", "--outdir", product.OUT / "python", work, env=product.ENVIRONMENT)


main()
