"""Freshly made environments are clean without a word, whoever made them."""

import os
import shutil
import subprocess

import pytest

from environments import (assert_silent, clean_environ, copy_env, find_python, make_venv, make_wheel, pip_install, run,
                          site_packages, told, venv_template)

MINORS = [8, 9, 10, 11, 12, 13, 14]
# One pip per way of writing launchers, scripts or RECORD; each with a Python it runs on.
PIPS = [("19.3.1", 8), ("20.3.4", 9), ("21.3.1", 9), ("22.0.4", 10), ("23.0.1", 10), ("24.0", 11), ("25.0.1", 12),
        ("25.3", 13)]


@pytest.fixture(autouse=True)
def tidy(tmp_path):
    """Dozens of environments: each goes with its test."""
    yield
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture(scope="session")
def oddities(tmp_path_factory):
    """Wheels of our own with what is rare: commas and other alphabets in names, scripts, launchers."""
    directory = tmp_path_factory.mktemp("wheels")
    make_wheel(directory, "oddity", {
        "oddity/__init__.py": "",
        "oddity/main.py": "def run(): print('ran')\n\n\nclass Tool:\n    @staticmethod\n    def go(): print('went')\n",
        "oddity/data/a,b.txt": "comma\n",
        "oddity/data/größe.txt": "umlaut\n",
        "oddity/data/with space.txt": "space\n",
        "oddity/data/empty": "",
    }, entry_points="[console_scripts]\noddity = oddity.main:run\noddity-tool=oddity.main:Tool.go\n\n"
                    "[gui_scripts]\noddity-gui = oddity.main:run\n",
       scripts=[("oddity-script", "#!python\nprint('script')\n"), ("oddity-shell", "#!/bin/sh\necho shell\n"),
                ("oddity-windowed", "#!pythonw\nprint('script')\n")])
    return directory


@pytest.mark.parametrize("minor", MINORS)
def test_plain_venv(pristine, minor):
    check = pristine.json("check", venv_template(find_python(minor)))
    assert_silent(check)
    (target,) = [t for t in check["targets"] if t["kind"] == "environment"]
    assert target["distributions"] >= 1 and target["files"]["ok"] > 300


@pytest.mark.parametrize("minor", [8, 11, 13])
def test_after_use(pristine, tmp_path, oddities, minor):
    """Running things writes bytecode, also of other optimisation levels."""
    env = pip_install(make_venv(tmp_path / "env", find_python(minor)), oddities / "oddity-1.0-py3-none-any.whl")
    for flags in ([], ["-O"], ["-OO"]):
        run(env / "bin" / "python", *flags, "-c", "import oddity.main, pip._internal.cli.main")
    run(env / "bin" / "oddity")
    run(env / "bin" / "oddity-tool")
    assert_silent(pristine.json("check", env))


@pytest.mark.parametrize("version, minor", PIPS)
def test_pip_of_every_age(pristine, tmp_path, oddities, version, minor):
    env = make_venv(tmp_path / "env", find_python(minor))
    pip_install(env, f"pip=={version}")
    pip_install(env, "--no-deps", oddities / "oddity-1.0-py3-none-any.whl", "six", "docutils<0.20", "coverage")
    assert_silent(pristine.json("check", env))


@pytest.mark.parametrize("directory", ["with space", "l" * 60 + "/" + "o" * 60 + "/" + "n" * 60])
def test_trampolines(pristine, tmp_path, oddities, directory):
    """A path that no #! line can hold makes pip and uv write three lines of sh."""
    env = make_venv(tmp_path / directory / "env")
    pip_install(env, "--no-deps", oddities / "oddity-1.0-py3-none-any.whl", "docutils<0.21")
    assert (env / "bin" / "oddity").read_bytes().startswith(b"#!/bin/sh\n")
    assert_silent(pristine.json("check", env))


@pytest.mark.parametrize("flags", [("-r",), ("-a",)])
def test_copied(pristine, tmp_path, oddities, flags):
    """cp -r gives every file a new time, so that no bytecode fits its source any more; Python compiles anew."""
    env = pip_install(make_venv(tmp_path / "env"), "--no-deps", oddities / "oddity-1.0-py3-none-any.whl", "six")
    assert_silent(pristine.json("check", copy_env(env, tmp_path / "copy", *flags)))


def test_copied_in_the_second_of_its_installation(pristine, tmp_path, oddities):
    """The new times then still fit the bytecode's headers, in whatever order the files were copied."""
    env = pip_install(make_venv(tmp_path / "env"), "--no-deps", oddities / "oddity-1.0-py3-none-any.whl")
    second = int((site_packages(env) / "oddity/main.py").stat().st_mtime)
    copy = copy_env(env, tmp_path / "copy")
    for path in site_packages(copy).rglob("*"):
        late = 800_000_000 if path.suffix == ".py" else 700_000_000
        os.utime(path, ns=(second * 10**9 + late, second * 10**9 + late))
    assert_silent(pristine.json("check", copy))


def test_moved_with_launchers_rewritten(pristine, tmp_path, oddities):
    """As tools that relocate environments do: every first line names the new place."""
    env = pip_install(make_venv(tmp_path / "env"), "--no-deps", oddities / "oddity-1.0-py3-none-any.whl")
    moved = tmp_path / "moved"
    env.rename(moved)
    for name in ("oddity", "oddity-tool", "oddity-gui", "pip", "pip3"):
        launcher = moved / "bin" / name
        launcher.write_text(launcher.read_text().replace(f"#!{env}/", f"#!{moved}/"))
    assert_silent(pristine.json("check", moved))


def test_launcher_removed(pristine, tmp_path, oddities):
    env = pip_install(make_venv(tmp_path / "env"), "--no-deps", oddities / "oddity-1.0-py3-none-any.whl")
    (env / "bin" / "oddity-gui").unlink()
    assert_silent(pristine.json("check", env))


def test_checked_hash_bytecode(pristine, tmp_path, oddities):
    """pip under SOURCE_DATE_EPOCH compiles to hash-based bytecode."""
    env = make_venv(tmp_path / "env")
    pip_install(env, "--no-deps", oddities / "oddity-1.0-py3-none-any.whl", "six", SOURCE_DATE_EPOCH="1700000000")
    (pyc,) = site_packages(env).glob("oddity/__pycache__/main.*.pyc")
    assert pyc.read_bytes()[4] == 3
    assert_silent(pristine.json("check", env))


def test_unchecked_hash_bytecode_that_fits(pristine, tmp_path, oddities):
    env = pip_install(make_venv(tmp_path / "env"), "--no-deps", oddities / "oddity-1.0-py3-none-any.whl")
    run(env / "bin" / "python", "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash",
        site_packages(env))
    assert_silent(pristine.json("check", env))


def test_no_bytecode_at_all(pristine, tmp_path, oddities):
    env = pip_install(make_venv(tmp_path / "env"), "--no-compile", oddities / "oddity-1.0-py3-none-any.whl")
    subprocess.run(["find", env, "-name", "__pycache__", "-prune", "-exec", "rm", "-r", "{}", "+"], check=True)
    assert_silent(pristine.json("check", env))


def test_packages_with_habits(pristine, tmp_path):
    """Data outside the package, path hooks, namespaces, binaries, bundles, many launchers."""
    env = make_venv(tmp_path / "env")
    pip_install(env, "numpy", "certifi", "botocore", "coverage", "zope.interface", "zope.event", "black", "ipython",
                "jupyter-core", "setuptools", "wheel", "ruamel.yaml", "protobuf")
    run(env / "bin" / "python", "-c", "import numpy, IPython, botocore.session, zope.interface, google.protobuf")
    assert_silent(pristine.json("check", env))
    assert_silent(pristine.json("check", copy_env(env, tmp_path / "copy", "-r")))


def _project(directory, name, layout):
    directory.mkdir()
    (directory / "pyproject.toml").write_text(
        f'[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "{name}"\nversion = "1.0"\n[project.scripts]\n{name} = "{name}:run"\n')
    package = directory / layout / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def run(): print('ran')\n")
    return directory


@pytest.fixture(scope="session")
def build_tools(tmp_path_factory):
    """An environment that builds projects without any of its own per build."""
    return pip_install(make_venv(tmp_path_factory.mktemp("build-tools") / "env"), "-U", "pip", "setuptools", "wheel")


@pytest.mark.parametrize("layout, mode", [("src", []), (".", []), (".", ["--config-settings", "editable_mode=compat"]),
                                          (".", ["--config-settings", "editable_mode=strict"])])
def test_editable(pristine, tmp_path, build_tools, layout, mode):
    """A .pth of paths, or a finder with its import line: RECORD vouches for the shim."""
    env = copy_env(build_tools, tmp_path / "env")
    pip_install(env, "--no-build-isolation", *mode, "-e", _project(tmp_path / "project", "shimmed", layout))
    run(env / "bin" / "shimmed")
    assert_silent(pristine.json("check", env))


def test_built_from_source(pristine, tmp_path, build_tools):
    env = copy_env(build_tools, tmp_path / "env")
    pip_install(env, "--no-build-isolation", _project(tmp_path / "project", "fromsource", "src"))
    assert_silent(pristine.json("check", env))


@pytest.mark.python(9)
def test_installed_by_setup_py(pristine, tmp_path):
    """An old pip without wheel leaves an egg-info: nothing vouches for it, and nothing is wrong with it."""
    env = make_venv(tmp_path / "env", find_python(9))
    pip_install(env, "pip==20.3.4", "setuptools==58.1.0")
    project = tmp_path / "project"
    (project / "oldstyle").mkdir(parents=True)
    (project / "oldstyle" / "__init__.py").write_text("")
    (project / "single.py").write_text("")
    (project / "setup.py").write_text(
        "from setuptools import setup\n"
        "setup(name='oldstyle', version='1.0', packages=['oldstyle'], py_modules=['single'], "
        "entry_points={'console_scripts': ['oldstyle = oldstyle:run']}, namespace_packages=[])\n")
    subprocess.run([env / "bin" / "python", "setup.py", "-q", "install", "--single-version-externally-managed",
                    "--record", tmp_path / "record.txt"], cwd=project, env=clean_environ(), check=True,
                   capture_output=True)
    assert list(site_packages(env).glob("oldstyle-1.0*.egg-info"))
    assert told(pristine.json("check", env)) == []


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    """virtualenv and uv, in an environment of their own."""
    return pip_install(make_venv(tmp_path_factory.mktemp("tools") / "env"), "uv", "virtualenv")


@pytest.mark.parametrize("minor", [9, 11, 13])
def test_virtualenv(pristine, tmp_path, tools, oddities, minor):
    env = tmp_path / "env"
    run(tools / "bin" / "virtualenv", "-q", "-p", find_python(minor), env)
    pip_install(env, "--no-deps", oddities / "oddity-1.0-py3-none-any.whl", "six")
    run(env / "bin" / "oddity")
    assert_silent(pristine.json("check", env))
    assert_silent(pristine.json("check", copy_env(env, tmp_path / "copy", "-r")))


@pytest.mark.python(9)
@pytest.mark.parametrize("version", ["20.13.4", "20.26.6"])
def test_old_virtualenv(pristine, tmp_path, version):
    """Old ones put _virtualenv.pth into every environment."""
    tool = pip_install(make_venv(tmp_path / "tool", find_python(9)), f"virtualenv=={version}")
    env = tmp_path / "env"
    run(tool / "bin" / "virtualenv", "-q", env)
    assert (site_packages(env) / "_virtualenv.pth").exists()
    assert_silent(pristine.json("check", env))


@pytest.mark.parametrize("link, relocatable", [("copy", []), ("hardlink", []), ("clone", []), ("symlink", []),
                                               ("copy", ["--relocatable"])])
def test_uv(pristine, tmp_path, tools, oddities, link, relocatable):
    env = tmp_path / "env"
    run(tools / "bin" / "uv", "-q", "venv", *relocatable, env, UV_CACHE_DIR=str(tmp_path / "cache"))
    run(tools / "bin" / "uv", "-q", "pip", "install", "--python", env, "--link-mode", link, "--no-deps",
        oddities / "oddity-1.0-py3-none-any.whl", "six", "coverage", "docutils<0.21", UV_CACHE_DIR=str(tmp_path / "cache"))
    run(env / "bin" / "python", "-c", "import six, docutils.core, oddity.main")
    run(env / "bin" / "oddity")
    assert_silent(pristine.json("check", env))


def test_uv_trampolines(pristine, tmp_path, tools, oddities):
    env = tmp_path / "with space" / "env"
    run(tools / "bin" / "uv", "-q", "venv", env)
    run(tools / "bin" / "uv", "-q", "pip", "install", "--python", env, "--no-deps",
        oddities / "oddity-1.0-py3-none-any.whl")
    assert (env / "bin" / "oddity").read_bytes().startswith(b"#!/bin/sh\n")
    assert_silent(pristine.json("check", env))


def test_many_wheels_ship_a_tests_package(pristine, tmp_path):
    """Top-level tests overwrite each other: a note for each, and clean."""
    for name, text in (("one", "first = 1\n"), ("two", "second = 2\n")):
        make_wheel(tmp_path, name, {f"{name}.py": "", "tests/__init__.py": text, "LICENSE": name})
    env = pip_install(make_venv(tmp_path / "env"), tmp_path / "one-1.0-py3-none-any.whl",
                      tmp_path / "two-1.0-py3-none-any.whl")
    check = pristine.json("check", env)
    assert told(check) == [] and check["verdict"] == "clean"
    assert {finding["rule"] for finding in check["findings"]} == {"file-clobbered"}


def test_leftovers_that_say_nothing(pristine, tmp_path, oddities):
    env = pip_install(make_venv(tmp_path / "env"), "--no-deps", oddities / "oddity-1.0-py3-none-any.whl")
    site = site_packages(env)
    (site / "README.txt").write_text("hello\n")
    (site / "oddity" / "data" / "cache.bin").write_bytes(b"\0" * 100)
    (site / "oddity" / "cache").mkdir()
    (site / "oddity" / "cache" / "x.json").write_text("{}")
    (site / "oddity" / "parsetab.py").write_text(
        "\n# parsetab.py\n# This file is automatically generated. Do not edit.\n_tabversion = '3.10'\n")
    (site / "oddity" / "__pycache__" / "main.f-1.py311.1.nbc").write_bytes(b"numba")
    (site / ".gitignore").write_text("*\n")
    (site / "thing.egg-link").write_text("/nowhere\n")
    (site / "oddity" / ".DS_Store").write_bytes(b"\0")
    assert_silent(pristine.json("check", env))
    os.symlink("/nonexistent", site / "oddity" / "data" / "dangling")
    assert_silent(pristine.json("check", env))
