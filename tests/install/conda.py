"""conda.py [LIBRARY]: the recipe of packaging/conda, as rattler-build renders it; and its Python package, made by the recipe's own script around LIBRARY.

Building needs the channel conda-forge: what a package is built from and with is only named here, not fetched.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from rattler_build import PlatformConfig, RenderConfig, VariantConfig
from rattler_build.stage0 import Stage0Recipe

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "packaging" / "conda" / "recipe.yaml"
VARIANTS = {"python": ["3.9.* *_cpython", "3.14.* *_cp314"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]}


def rendered(platform):
    """The packages by name: of each, one for every Python."""
    config = RenderConfig(PlatformConfig(target_platform=platform, build_platform=platform, host_platform=platform))
    packages = {}
    for variant in Stage0Recipe.from_file(RECIPE).render(VariantConfig(VARIANTS), config):
        recipe = variant.recipe.to_dict()
        packages.setdefault(recipe["package"]["name"], []).append(recipe)
    return packages


def check(platform):
    version = re.search(r"project\(ardvark VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    packages = rendered(platform)
    assert sorted(packages) == ["ardvark", "libardvark"], sorted(packages)
    assert {recipe["package"]["version"] for several in packages.values() for recipe in several} == {version}
    library, python = packages["libardvark"][0], packages["ardvark"][0]
    assert f"gxx_{platform}" in library["requirements"]["build"]
    project = (ROOT / "pyproject.toml").read_text()
    for name in ("numpy", "python"):
        wanted = re.search(r'"numpy(>=[0-9.]+)"' if name == "numpy" else r'requires-python = "(>=[0-9.]+)"', project)[1]
        assert f"{name} {wanted}" in python["requirements"]["run"], (name, wanted)
    return python


def lines_of(script):
    """A script is a text, a list, or has one of them as its content."""
    content = script["content"] if isinstance(script, dict) else script
    return [content] if isinstance(content, str) else content


def make_python_package(recipe, library):
    """Runs the script, as rattler-build would, in a prefix with the library, and fits with what it leaves."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path) / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
        folder.parent.mkdir(parents=True)
        (Path(path) / "lib" / "libardvark.so.0").symlink_to(Path(library).resolve())
        environment = {**os.environ, "SP_DIR": str(folder), "PKG_VERSION": recipe["package"]["version"], "PYTHONPATH": str(folder)}
        environment.pop("ARDVARK_LIBRARY", None)
        subprocess.run(["bash", "-euc", "\n".join(lines_of(recipe["build"]["script"]))], cwd=ROOT, env=environment, check=True)
        tests = [line for test in recipe["tests"] if "script" in test for line in lines_of(test["script"])]
        assert tests
        for line in [*tests, "python -c 'import importlib.metadata as m, ardvark; assert m.version(\"ardvark\") == ardvark.__version__'"]:
            line = line.replace("python ", f"{sys.executable} ", 1)
            done = subprocess.run(["bash", "-euc", line], cwd=path, env=environment, check=True, capture_output=True, text=True)
            print(done.stdout, end="")


if __name__ == "__main__":
    for platform in ("linux-64", "linux-aarch64"):
        python_package = check(platform)
    if len(sys.argv) > 1:
        make_python_package(python_package, sys.argv[1])
    print("the recipe renders")
