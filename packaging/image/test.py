"""The container image: unpacked as a runtime would, and run with a read-only root by a user without rights."""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import product  # noqa: E402
from testing import PackageTest, ask, free_port, package, server, use  # noqa: E402

# Mounts the root read-only, with a volume, and becomes the program in it.
RUN = ('mount --bind "$ROOT" "$ROOT" && mount -o remount,ro,bind "$ROOT" && mount -t tmpfs -o mode=1777 tmpfs "$ROOT/data" && '
       'exec env -i $SETTINGS chroot --userspec="$OWNER" "$ROOT" "$@"')


class Image(PackageTest):
    def setUp(self):
        super().setUp()
        files = self.folder / "files"
        with tarfile.open(package("image/*.tar.gz")) as archive:
            archive.extractall(files)
        manifest = json.loads((files / "manifest.json").read_text())[0]
        self.assertTrue(manifest["RepoTags"][0].endswith(f"tavola:{product.VERSION}"))
        self.config = json.loads((files / manifest["Config"]).read_text())["config"]
        self.root = self.folder / "root"
        for layer in manifest["Layers"]:
            with tarfile.open(files / layer) as archive:
                archive.extractall(self.root)

    def command(self, *arguments):
        return ["unshare", "--mount", "sh", "-c", RUN, "run", *self.config["Entrypoint"], *arguments]

    def environment(self):
        return {**os.environ, "ROOT": str(self.root), "OWNER": self.config["User"], "SETTINGS": " ".join(self.config["Env"])}

    def test_it_is_as_a_runtime_wants_it(self):
        self.assertEqual(self.config["User"], "10001:10001")
        self.assertEqual(self.config["Cmd"], ["serve"])
        self.assertEqual(self.config["Healthcheck"]["Test"], ["CMD", "/bin/tavola", "health"])
        self.assertEqual(set(self.config["ExposedPorts"]), {"8000/tcp", "8001/tcp"})
        self.assertEqual(sorted(path.name for path in self.root.iterdir()), ["bin", "data", "etc", "tmp", "usr"])
        self.assertEqual([path.name for path in (self.root / "bin").iterdir()], ["tavola"])
        self.assertIn("BEGIN CERTIFICATE", (self.root / "etc/ssl/certs/ca-certificates.crt").read_text())

    @unittest.skipIf(os.geteuid() != 0, "mounts and chroot need root")
    def test_it_serves_and_is_healthy(self):
        port = free_port()
        with server(*self.command(*self.config["Cmd"], "--port", port, "--console-port", "0"), port=port, env=self.environment()) as endpoint:
            use(endpoint)
            # Another container calls it by its name in their network.
            named = urllib.request.Request(endpoint + "/health", headers={"Host": "dynamodb-local:8000"})
            self.assertEqual(json.loads(urllib.request.urlopen(named, timeout=30).read())["status"], "healthy")
            check = [*self.config["Healthcheck"]["Test"][1:], "--endpoint", endpoint]
            product.run("chroot", self.root, *check)
        sick = subprocess.run(["chroot", self.root, *check], check=False, capture_output=True)
        self.assertEqual(sick.returncode, 1)

    @unittest.skipIf(os.geteuid() != 0, "mounts and chroot need root")
    def test_it_takes_the_arguments_of_dynamodb_local(self):
        arguments = ["-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-sharedDb", "-delayTransientStatuses",
                     "-cors", "*", "-disableTelemetry", "-port"]
        for storage in (["-inMemory"], ["-dbPath", "/data/local"]):
            with self.subTest(storage=storage):
                port = free_port()
                command = self.command(*arguments, port, *storage, "--console-port", "0")
                with server(*command, port=port, env=self.environment()) as endpoint:
                    use(endpoint)
                    self.assertEqual(ask(endpoint, "ListTables"), {"TableNames": ["Music"]})


if __name__ == "__main__":
    unittest.main()
