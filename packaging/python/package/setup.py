"""What pyproject.toml cannot say: the wheel contains a program, for one platform and for every Python."""
from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class WithProgram(Distribution):
    def has_ext_modules(self):
        return True


class ForEveryPython(bdist_wheel):
    def get_tag(self):
        # The program needs no library, so it runs with every libc.
        platform = super().get_tag()[2].split("_", 1)[1]
        return "py3", "none", f"manylinux_2_17_{platform}.musllinux_1_1_{platform}"


setup(distclass=WithProgram, cmdclass={"bdist_wheel": ForEveryPython})
