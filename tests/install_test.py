#!/usr/bin/env python3
"""Installs a build into an empty prefix and uses it: the program, and the library from a project outside of the tree
(examples/consumer).

    tests/install_test.py BUILD

The project is built through the CMake package and through pkg-config, with the shared and with the static library,
and run. Every installed header compiles alone, and nothing installed knows where it was built.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = None  # the build to install, from the command line
COMPILER = ["g++", "-std=c++23", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
CONSUMER_OUTPUT = "1963 Lessico famigliare\n1957 Il barone rampante\n1972 Le città invisibili\n"


def run(*command, **settings):
    outcome = subprocess.run([str(part) for part in command], text=True, check=False, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, **settings)
    if outcome.returncode != 0:
        raise AssertionError(f"{shlex.join(str(part) for part in command)}\n{outcome.stdout}")
    return outcome.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.prefix = cls.folder / "prefix"
        cls.consumer = cls.folder / "consumer"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        shutil.copytree(ROOT / "examples/consumer", cls.consumer)

    def build_with_cmake(self, target):
        build = self.folder / target.replace("::", "-")
        run("cmake", "-S", self.consumer, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DTAVOLA_TARGET={target}", "-DCMAKE_CXX_COMPILER=g++")
        run("cmake", "--build", build)
        return build / "consumer"

    def build_with_pkg_config(self, prefix, name, *options):
        pc = next(prefix.rglob("tavola.pc"))
        flags = shlex.split(run("pkg-config", *options, "--cflags", "--libs", "tavola",
                                env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}))
        program = self.folder / name
        run(*COMPILER, self.consumer / "main.cc", "-o", program, *flags)
        return program

    def assert_works(self, program, library_path=""):
        data = self.folder / f"{program.name}-data"
        shutil.rmtree(data, ignore_errors=True)
        output = run(program, data, env={**os.environ, "LD_LIBRARY_PATH": str(library_path)})
        self.assertEqual(output, CONSUMER_OUTPUT)

    def links_with_shared(self, program):
        return "libtavola.so" in run("readelf", "--dynamic", program)

    def test_cmake_package(self):
        program = self.build_with_cmake("tavola::tavola")
        self.assertTrue(self.links_with_shared(program))
        self.assert_works(program)

    def test_cmake_package_static(self):
        program = self.build_with_cmake("tavola::tavola_static")
        self.assertFalse(self.links_with_shared(program))
        self.assert_works(program)

    def test_pkg_config(self):
        program = self.build_with_pkg_config(self.prefix, "with-pkg-config")
        self.assertTrue(self.links_with_shared(program))
        self.assert_works(program, next(self.prefix.rglob("libtavola.so")).parent)

    def test_pkg_config_static(self):
        # The tree is moved as well: tavola.pc finds its prefix from its own position.
        moved = self.folder / "static-only"
        shutil.copytree(self.prefix, moved, symlinks=True)
        for library in moved.rglob("libtavola.so*"):
            library.unlink()
        program = self.build_with_pkg_config(moved, "with-pkg-config-static", "--static")
        self.assertFalse(self.links_with_shared(program))
        self.assert_works(program)

    def test_the_program_with_its_manual_and_completions(self):
        program = self.prefix / "bin/tavola"
        self.assertRegex(run(program, "version"), r"^tavola \d")
        for path, words in {"share/man/man1/tavola.1": ["man"],
                            "share/bash-completion/completions/tavola": ["completion", "bash"],
                            "share/zsh/site-functions/_tavola": ["completion", "zsh"],
                            "share/fish/vendor_completions.d/tavola.fish": ["completion", "fish"]}.items():
            self.assertEqual((self.prefix / path).read_text(), run(program, *words))

    def test_every_header_compiles_alone(self):
        headers = sorted((self.prefix / "include/tavola").rglob("*.h"))
        self.assertEqual(sorted(path.name for path in headers),
                         sorted(path.name for path in (ROOT / "include/tavola").rglob("*.h")))
        for header in headers:
            run(*COMPILER, f"-I{self.prefix / 'include'}", "-fsyntax-only", "-x", "c++", "-include", header, os.devnull)

    def test_nothing_installed_knows_where_it_was_built(self):
        for path in [*self.prefix.rglob("*.cmake"), *self.prefix.rglob("*.pc"), *self.prefix.rglob("*.h")]:
            text = path.read_text()
            for place in (ROOT, BUILD, self.prefix):
                self.assertNotIn(str(place), text, path.name)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
