"""build/packages/image/: the container image as a file for `docker load` or `podman load`, by buildah, without a daemon; and compose.yaml."""
import hashlib
import json
import pathlib
import shutil
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import product  # noqa: E402

ZONES = pathlib.Path("/usr/share/zoneinfo")
CERTIFICATES = pathlib.Path("/usr/share/ca-certificates/mozilla")


def fill_root(root):
    for folder in ("bin", "etc/ssl/certs", "data", "tmp", "usr/share"):
        (root / folder).mkdir(parents=True)
    shutil.copy(product.program(), root / "bin/tavola")
    shutil.copy(HERE / "tavola.conf", root / "etc/tavola.conf")
    # Mozilla's, and none that this machine trusts besides.
    bundle = "".join(path.read_text() for path in sorted(CERTIFICATES.glob("*.crt")))
    (root / "etc/ssl/certs/ca-certificates.crt").write_text(bundle)
    shutil.copytree(ZONES, root / "usr/share/zoneinfo", ignore=shutil.ignore_patterns("right", "posix", "localtime", "posixrules"))
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
    (root / "data").chmod(0o777)  # of whichever user the container has
    (root / "tmp").chmod(0o1777)


def buildah(work, *command):
    # Without a daemon, and without the rights of root where user namespaces are allowed.
    store = ["--root", work / "store", "--runroot", work / "run", "--storage-driver", "vfs"]
    return product.run("buildah", *store, *command, env=product.ENVIRONMENT)


def normal(image, folder):
    """Unpacks an image without what differs from build to build: the names of buildah's own container and host."""
    with tarfile.open(image) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))[0]
        settings = json.load(archive.extractfile(manifest["Config"]))
        for layer in manifest["Layers"]:
            archive.extract(layer, folder)
    for name in ("container", "container_config"):
        settings.pop(name, None)
    settings["config"]["Hostname"] = ""
    text = json.dumps(settings, sort_keys=True)
    manifest["Config"] = hashlib.sha256(text.encode()).hexdigest() + ".json"
    (folder / manifest["Config"]).write_text(text)
    (folder / "manifest.json").write_text(json.dumps([manifest], sort_keys=True))
    return folder


def main():
    work = product.fresh(product.OUT / ".image")
    out = product.fresh(product.OUT / "image")
    fill_root(work / "context/root")
    buildah(work, "bud", "--isolation", "chroot", "--format", "docker", "--timestamp", product.EPOCH, "--tag",
            f"tavola:{product.VERSION}", "--file", HERE / "Containerfile", work / "context")
    buildah(work, "push", f"tavola:{product.VERSION}", f"docker-archive:{work / 'image.tar'}:tavola:{product.VERSION}")
    unpacked = normal(work / "image.tar", product.fresh(work / "unpacked"))
    name = f"tavola-{product.VERSION}-image-{product.DEB}.tar.gz"
    (out / name).write_bytes(product.gzipped(product.tar_of(unpacked)))
    product.fill(HERE / "compose.yaml", out / "compose.yaml")
    shutil.rmtree(work / "store", ignore_errors=True)


main()
