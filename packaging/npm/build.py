"""build/packages/npm/*.tgz: `tavola` (JavaScript), and `@tavola/PLATFORM` (the program), on which it depends optionally."""
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import product  # noqa: E402

# All for which the package "tavola" looks; those that are not published yet are skipped by npm.
PLATFORMS = ["linux-x64", "linux-arm64"]


def pack(folder, name):
    target = product.OUT / "npm" / f"{name}-{product.VERSION}.tgz"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(product.gzipped(product.tar_of(folder, "package")))


def main():
    work = product.fresh(product.OUT / ".npm")
    shutil.copytree(HERE / "package", work / "tavola", ignore=shutil.ignore_patterns("platform.json"))
    platforms = {f"@tavola/{platform}": product.VERSION for platform in PLATFORMS}
    product.fill(HERE / "package/package.json", work / "tavola/package.json", PLATFORMS=json.dumps(platforms)[1:-1])
    shutil.copy(product.ROOT / "LICENSE", work / "tavola")
    pack(work / "tavola", "tavola")

    platform = work / "platform"
    product.fill(HERE / "package/platform.json", platform / "package.json", PLATFORM=f"linux-{product.NODE}", OS="linux", CPU=product.NODE)
    (platform / "bin").mkdir()
    shutil.copy(product.program(), platform / "bin/tavola")
    shutil.copy(product.ROOT / "LICENSE", platform)
    pack(platform, f"tavola-linux-{product.NODE}")


main()
