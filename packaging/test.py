#!/usr/bin/env python3
"""Installs and uses every package of build/packages. Called by `make packages`.

    packaging/test.py [KIND...]     as packaging/build.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import product  # noqa: E402


def is_reproducible(kinds):
    """Makes the packages a second time, elsewhere, and compares."""
    with tempfile.TemporaryDirectory() as folder:
        product.run(sys.executable, "-B", HERE / "build.py", *kinds, env={**os.environ, "TAVOLA_PACKAGES": folder})
        first, second = ((place / "SHA256SUMS").read_text() for place in (product.OUT, pathlib.Path(folder)))
    if first == second:
        return True
    print(f"A second build gave other bytes:\n{first}\n{second}")
    return False


def main():
    kinds = sys.argv[1:] or sorted(path.parent.name for path in HERE.glob("*/build.py"))
    failed = [] if is_reproducible(sys.argv[1:]) else ["reproducible"]
    for kind in kinds:
        test = HERE / kind / "test.py"
        if test.exists():
            print(f"Testing {kind}", flush=True)
            if subprocess.run([sys.executable, "-B", test], check=False).returncode != 0:
                failed.append(kind)
    if failed:
        sys.exit(f"PACKAGES FAILED: {' '.join(failed)}")
    print("Every package was installed and used.")


main()
