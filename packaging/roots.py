"""Root file systems of other releases of Debian, made once in build/roots from the machine's own mirror. They need root."""
import os
import shutil
import subprocess

import product

ROOTS = product.ROOT / "build/roots"
SUITES = ["bullseye", "trixie"]  # older and newer than Debian 12


def mirror():
    targets = product.run("apt-get", "indextargets", "--format", "$(SITE) $(CODENAME) $(COMPONENT)").splitlines()
    return next(line.split()[0] for line in targets if line.endswith(" bookworm main"))


def make():
    """Makes those that are missing; called by `make packages`, which may use the network."""
    if os.geteuid() != 0:
        print("Other releases of Debian are not tested: chroot and debootstrap need root.")
        return
    for suite in SUITES:
        root = ROOTS / suite
        if (root / "usr/bin/dpkg").exists() and not (root / "debootstrap").exists():
            continue
        shutil.rmtree(root, ignore_errors=True)
        print(f"Making a root of Debian's {suite} in {root.relative_to(product.ROOT)}")
        outcome = subprocess.run(["debootstrap", "--variant=minbase", suite, root, mirror()], check=False, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if outcome.returncode != 0:
            shutil.rmtree(root, ignore_errors=True)
            raise SystemExit(f"debootstrap {suite}:\n{outcome.stdout[-2000:]}")


def made():
    return [ROOTS / suite for suite in SUITES if (ROOTS / suite / "usr/bin/dpkg").exists()]


if __name__ == "__main__":
    make()
