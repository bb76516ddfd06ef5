#!/usr/bin/env python3
"""Makes every package from build/static, in build/packages (TAVOLA_PACKAGES: elsewhere). Called by `make packages`.

    packaging/build.py [KIND...]     tarball deb npm python image ...; all by default
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import product  # noqa: E402

KINDS = ["tarball", "deb", "npm", "python", "image", "homebrew", "nix", "action"]


def checksums():
    files = sorted(path for path in product.OUT.rglob("*")
                   if path.is_file() and not any(part.startswith(".") for part in path.relative_to(product.OUT).parts)
                   and path.name != "SHA256SUMS")
    lines = [f"{product.sha256(path)}  {path.relative_to(product.OUT)}\n" for path in files]
    (product.OUT / "SHA256SUMS").write_text("".join(lines))
    for path in files:
        print(f"  {path.stat().st_size / 1e6:7.2f} MB  {path.relative_to(product.OUT)}")


def main():
    wanted = sys.argv[1:] or KINDS
    if not sys.argv[1:]:
        product.fresh(product.OUT)
    product.stage()
    product.run(sys.executable, "-B", HERE / "sbom.py")
    for kind in wanted:
        product.run(sys.executable, "-B", HERE / kind / "build.py")
    checksums()


main()
