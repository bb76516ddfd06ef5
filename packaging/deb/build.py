"""build/packages/*.deb: tavola (the program, a service) and libtavola-dev (the library for C++ programs)."""
import hashlib
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import product  # noqa: E402

# The address for users of the packages.
MAINTAINER = os.environ.get("TAVOLA_MAINTAINER") or "The maintainers of Tavola <maintainers@example.org>"


def documents(tree, package):
    folder = tree / "usr/share/doc" / package
    folder.mkdir(parents=True)
    shutil.copy(HERE / "copyright", folder / "copyright")
    date = product.run("date", "-Ru", f"--date=@{product.EPOCH}").strip()
    changelog = (f"{package} ({product.VERSION}) unstable; urgency=medium\n\n"
                 f"  * Version {product.VERSION}; what is new is in CHANGELOG.md of the project.\n\n"
                 f" -- {MAINTAINER}  {date}\n")
    (folder / "changelog.gz").write_bytes(product.gzipped(changelog.encode()))


def program_tree(tree):
    shutil.copytree(product.STAGE / "bin", tree / "usr/bin")
    share = tree / "usr/share"
    page = share / "man/man1/tavola.1.gz"
    page.parent.mkdir(parents=True)
    page.write_bytes(product.gzipped((product.STAGE / "share/man/man1/tavola.1").read_bytes()))
    for source, target in (("bash-completion/completions/tavola", "bash-completion/completions/tavola"),
                           ("zsh/site-functions/_tavola", "zsh/vendor-completions/_tavola"),
                           ("fish/vendor_completions.d/tavola.fish", "fish/vendor_completions.d/tavola.fish")):
        (share / target).parent.mkdir(parents=True)
        shutil.copy(product.STAGE / "share" / source, share / target)
    product.fill(HERE / "tavola.service", tree / "lib/systemd/system/tavola.service")
    product.fill(HERE / "tavola.conf", tree / "etc/tavola/tavola.conf")
    product.fill(HERE / "tavola.lintian-overrides", share / "lintian/overrides/tavola")


def library_tree(tree):
    shutil.copytree(product.STAGE / "include", tree / "usr/include")
    library = next(product.STAGE.rglob("libtavola.a")).parent
    shutil.copytree(library, tree / "usr/lib" / product.run("gcc", "-print-multiarch").strip())


def build(package, make_tree):
    tree = product.fresh(product.OUT / ".deb" / package)
    make_tree(tree)
    documents(tree, package)
    for path in tree.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    size = sum(path.stat().st_size for path in files)
    control = tree / "DEBIAN"
    product.fill(HERE / f"{package}.control", control / "control", ARCH=product.DEB, MAINTAINER=MAINTAINER, SIZE=size // 1024)
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files
            if not str(path.relative_to(tree)).startswith("etc/")]
    (control / "md5sums").write_text("".join(sums))
    conffiles = [f"/{path.relative_to(tree)}\n" for path in files if str(path.relative_to(tree)).startswith("etc/")]
    if conffiles:
        (control / "conffiles").write_text("".join(conffiles))
    control.chmod(0o755)
    for path in control.iterdir():
        path.chmod(0o644)
    name = f"{package}_{product.VERSION}_{product.DEB}.deb"
    product.run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, product.OUT / name, env=product.ENVIRONMENT)


def main():
    build("tavola", program_tree)
    build("libtavola-dev", library_tree)


main()
