"""The .deb files: lintian finds nothing; installed by dpkg in Debian 11 and 13 the program serves, and is purged without a trace;
the library compiles a program."""
import pathlib
import shlex
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import product  # noqa: E402
import roots  # noqa: E402
from testing import PackageTest, ask, free_port, package, server, use  # noqa: E402


class Lintian(PackageTest):
    def test_both_packages_are_clean(self):
        found = product.run("lintian", "--allow-root", "--fail-on", "none", *sorted(product.OUT.glob("*_*.deb")))
        self.assertEqual([line for line in found.splitlines() if line[:2] in ("E:", "W:")], [])


@unittest.skipUnless(roots.made(), "no roots of other releases of Debian (packaging/roots.py makes them)")
class OtherReleases(PackageTest):
    def test_install_use_and_purge(self):
        for root in roots.made():
            with self.subTest(release=root.name):
                self.install(root)
                try:
                    self.serve(root)
                    self.find_names(root)
                finally:
                    product.run("chroot", root, "dpkg", "--purge", "tavola")
                left = product.run("chroot", root, "sh", "-c", "find / -xdev -path /proc -prune -o -name '*tavola*' -print")
                self.assertEqual(left, "")

    def install(self, root):
        shutil.copy(package("tavola_*.deb"), root / "tmp/package.deb")
        product.run("chroot", root, "dpkg", "--install", "/tmp/package.deb")
        (root / "tmp/package.deb").unlink()
        self.assertEqual(product.run("chroot", root, "tavola", "--version"), f"tavola {product.VERSION}\n")
        conffiles = product.run("chroot", root, "dpkg-query", "--show", "--showformat", "${Conffiles}", "tavola")
        self.assertIn("/etc/tavola/tavola.conf", conffiles)

    def command_of_service(self, root):
        lines = (root / "lib/systemd/system/tavola.service").read_text().splitlines()
        return shlex.split(next(line for line in lines if line.startswith("ExecStart=")).removeprefix("ExecStart="))

    # Runs the command of the service, as a user without rights, twice on the same data.
    def serve(self, root):
        for folder in ("var/lib/tavola", "run/tavola"):
            (root / folder).mkdir(parents=True)
            shutil.chown(root / folder, "nobody", "nogroup")
        port, console = free_port(), free_port()
        command = ["chroot", "--userspec=nobody:nogroup", root, *self.command_of_service(root), "--port", port, "--console-port", console]
        try:
            with server(*command, port=port) as endpoint:
                item = use(endpoint)
            with server(*command, port=port) as endpoint:
                self.assertEqual(ask(endpoint, "Scan", TableName="Music")["Items"], [item])
        finally:
            for folder in ("var/lib/tavola", "run/tavola"):
                shutil.rmtree(root / folder)

    # A program with libc linked in finds names itself, whatever modules the machine's libc would load for that.
    def find_names(self, root):
        kept = {name: (root / "etc" / name).read_bytes() if (root / "etc" / name).exists() else None
                for name in ("hosts", "nsswitch.conf")}
        (root / "etc/hosts").write_text("127.0.0.1 a-name.of-hosts\n")
        (root / "etc/nsswitch.conf").write_text("hosts: mymachines resolve [!UNAVAIL=return] files myhostname dns\n")
        port = free_port()
        try:
            with server("chroot", root, "tavola", "serve", "--in-memory", "--console", "off", "--port", port, "--allowed-host",
                        "a-name.of-hosts", port=port) as endpoint:
                use(endpoint)
                for name in ("localhost", "a-name.of-hosts", "127.0.0.1"):
                    dumped = product.run("chroot", root, "tavola", "dump", "Music", "--endpoint", f"http://{name}:{port}")
                    self.assertIn("Nina Simone", dumped)
        finally:
            for name, content in kept.items():
                path = root / "etc" / name
                path.unlink() if content is None else path.write_bytes(content)


class Library(PackageTest):
    def test_a_program_is_compiled_with_it(self):
        self.run_in("dpkg-deb", "--extract", package("libtavola-dev_*.deb"), self.folder)
        pc = next(self.folder.rglob("tavola.pc"))
        environment = {**product.ENVIRONMENT, "PKG_CONFIG_PATH": str(pc.parent)}
        flags = shlex.split(product.run("pkg-config", "--static", "--cflags", "--libs", "tavola", env=environment))
        self.run_in("g++", "-std=c++23", product.ROOT / "examples/consumer/main.cc", "-o", self.folder / "consumer", *flags)
        self.assertIn("Lessico famigliare", self.run_in(self.folder / "consumer", self.folder / "data"))


if __name__ == "__main__":
    unittest.main()
