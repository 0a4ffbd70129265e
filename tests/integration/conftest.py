"""Fixtures for the integration tests: the program under test, real environments, and a world of their own to look at.

`check` looks for leftovers in /tmp, /var/tmp and /dev/shm. So that neither the machine's own litter nor another test's
dumps decide a result, the whole pytest process gets private, empty ones (a mount namespace; root only, as in CI).
"""

import ctypes
import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PRIVATE = ("/tmp", "/var/tmp", "/dev/shm")

sys.path.insert(0, str(Path(__file__).parent))


def _mount(source, target, kind, flags, data=None):
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [word.encode() if word is not None else None for word in (source, target, kind)]
    if libc.mount(*arguments, ctypes.c_ulong(flags), data.encode() if data else None) != 0:
        raise OSError(ctypes.get_errno(), f"mount {target}: {os.strerror(ctypes.get_errno())}")


def _isolate():
    clone_newns, ms_rec, ms_private, ms_bind = 0x20000, 0x4000, 0x40000, 0x1000
    if ctypes.CDLL(None, use_errno=True).unshare(clone_newns) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    _mount(None, "/", None, ms_rec | ms_private)
    keep = os.open(CHECKOUT, os.O_PATH)
    for place in PRIVATE:
        _mount("tmpfs", place, "tmpfs", 0, "mode=1777")
    if any(CHECKOUT.is_relative_to(place) for place in PRIVATE):
        # The checkout itself lies in a hidden place: bring it back under its own name.
        CHECKOUT.mkdir(parents=True)
        _mount(f"/proc/self/fd/{keep}", str(CHECKOUT), None, ms_bind | ms_rec)
        os.chdir(CHECKOUT)
    os.close(keep)


def pytest_configure(config):
    config.addinivalue_line("markers", "python(minor): needs an interpreter of Python 3.minor")
    if os.geteuid() == 0 and "PRISTINE_TEST_NO_NAMESPACE" not in os.environ:
        _isolate()
    if config.option.basetemp is None:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        base = CHECKOUT / "build" / "pytest" / worker
        base.parent.mkdir(parents=True, exist_ok=True)
        config.option.basetemp = str(base)


PYTHONS = range(8, 15)


@functools.lru_cache(maxsize=None)
def _has_python(minor):
    import environments
    return environments.find_python(minor) is not None


def pytest_report_header(config):
    have, lack = ([f"3.{minor}" for minor in PYTHONS if _has_python(minor) is wanted] for wanted in (True, False))
    return f"Pythons: {' '.join(have)}; cases left out, for want of an interpreter: {' '.join(lack) or 'none'}"


def _wanted_python(item):
    mark = item.get_closest_marker("python")
    return mark.args[0] if mark else getattr(item, "callspec", None) and item.callspec.params.get("minor")


def pytest_collection_modifyitems(config, items):
    """No package brings an interpreter of another version: what needs one is left out where there is none, and said."""
    gone = [item for item in items if (minor := _wanted_python(item)) and not _has_python(minor)]
    items[:] = [item for item in items if item not in gone]
    if gone:
        config.hook.pytest_deselected(items=gone)


class Result:
    """What one run of the program gave."""

    def __init__(self, completed):
        self.status = completed.returncode
        self.out = completed.stdout.decode("utf-8", "surrogateescape")
        self.err = completed.stderr.decode("utf-8", "surrogateescape")

    @property
    def json(self):
        return json.loads(self.out)


class Pristine:
    """Runs the program with a state directory of its own. `status=None` accepts any exit status but a crash."""

    def __init__(self, state_dir):
        self.state_dir = Path(state_dir)
        self.program = os.environ.get("PRISTINE", str(CHECKOUT / "build" / "pristine"))

    def __call__(self, *arguments, status=0, env=None, timeout=120, **options):
        command = [self.program, f"--state-dir={self.state_dir}", *map(os.fspath, arguments)]
        completed = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout,
                                   env={**os.environ, **(env or {})}, **options)
        result = Result(completed)
        shown = f"{command}\nstatus {result.status}\n--- stdout\n{result.out}\n--- stderr\n{result.err}"
        assert 0 <= result.status <= 5, shown
        if status is not None:
            assert result.status == status, shown
        return result

    def json(self, *arguments, status=0, **options):
        return self(*arguments, "--format=json", status=status, **options).json


@pytest.fixture
def pristine(tmp_path):
    return Pristine(tmp_path / "state")


def make_venv(path, *packages, python=sys.executable, no_deps=True):
    """A real venv, as people make it. Bytecode is written, as pip does by default."""
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH")}
    find_base = "import sys; print(getattr(sys, '_base_executable', sys.executable))"
    base = os.path.realpath(subprocess.check_output([python, "-c", find_base], text=True).strip())
    subprocess.run([base, "-m", "venv", path], check=True, env=environment)
    if packages:
        subprocess.run([Path(path) / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check",
                        *(["--no-deps"] if no_deps else []), *packages], check=True, env=environment)
    return Path(path)


@pytest.fixture(scope="session")
def big_template(tmp_path_factory):
    """A venv with one large real distribution: thousands of modules, some of them thousands of lines long."""
    return make_venv(tmp_path_factory.mktemp("template") / "venv", "transformers==4.57.1")


@pytest.fixture
def big_env(big_template, tmp_path):
    """A copy to edit: same contents and times as the template."""
    target = tmp_path / "ml-env"
    subprocess.run(["cp", "-a", "--reflink=auto", big_template, target], check=True)
    yield target
    shutil.rmtree(target, ignore_errors=True)
