"""Real environments of many makes, for the tests of what is healthy and what is not.

Interpreters come from pyenv where there is one, else from the PATH.
Everything is installed by the tools' ordinary clients; wheels of our own are written with zipfile.
"""

import atexit
import base64
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

# What the test process sets for itself and an installer must not see.
HIDDEN = ("PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH", "SOURCE_DATE_EPOCH")


def clean_environ(**more):
    environ = {key: value for key, value in os.environ.items() if key not in HIDDEN}
    return {**environ, **more}


def base_python():
    return getattr(sys, "_base_executable", None) or sys.executable


def find_python(minor):
    """An interpreter of Python 3.minor with its real path, or None. Cases of one that this machine lacks and no package
    brings are left out when tests are collected (conftest.py): by a parameter `minor` or the mark `python(minor)`."""
    found = sorted(Path("~/.pyenv/versions").expanduser().glob(f"3.{minor}.*/bin/python3.{minor}"))
    if found:
        return str(found[-1])
    on_path = shutil.which(f"python3.{minor}")
    if on_path and subprocess.run([on_path, "-c", "import ensurepip"], capture_output=True).returncode == 0:
        return os.path.realpath(on_path)
    return None


def run(*command, **environ):
    completed = subprocess.run([os.fspath(word) for word in command], capture_output=True, text=True,
                               env=clean_environ(**environ), check=False)
    assert completed.returncode == 0, f"{command}\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout


@functools.lru_cache(maxsize=None)
def venv_template(python=None):
    """A venv as `python -m venv` leaves it, made once per interpreter. Not to be changed."""
    directory = Path(tempfile.mkdtemp(prefix="pristine-venv-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    run(os.path.realpath(python or base_python()), "-m", "venv", directory / "env")
    return directory / "env"


def make_venv(path, python=None):
    """A venv to change: a copy of the template, with the same times."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return copy_env(venv_template(python), path)


def pip_install(env, *words, **environ):
    """By the environment's own pip; -I keeps the caller's working directory out of it."""
    run(env / "bin" / "python", "-I", "-m", "pip", "install", "-q", "--disable-pip-version-check", *words, **environ)
    return env


def site_packages(env):
    (site,) = Path(env).glob("lib/python3*/site-packages")
    return site


def copy_env(source, target, *flags):
    subprocess.run(["cp", *(flags or ("-a",)), os.fspath(source), os.fspath(target)], check=True)
    return Path(target)


def _row(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f'"{name}",sha256={digest},{len(data)}' if "," in name else f"{name},sha256={digest},{len(data)}"


def make_wheel(directory, name, files, version="1.0", entry_points="", scripts=(), wrong=()):
    """A wheel as a build back end makes it. `wrong`: members whose RECORD row does not fit, as some published ones."""
    info = f"{name}-{version}.dist-info"
    members = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    for script, text in scripts:
        members[f"{name}-{version}.data/scripts/{script}"] = text.encode()
    if entry_points:
        members[f"{info}/entry_points.txt"] = entry_points.encode()
    members[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    members[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    rows = [_row(path, data + b"#" if path in wrong else data) for path, data in members.items()]
    rows.append(f"{info}/RECORD,,")
    members[f"{info}/RECORD"] = ("\n".join(rows) + "\n").encode()
    path = Path(directory) / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            archive.writestr(zipfile.ZipInfo(member, (2024, 1, 1, 0, 0, 0)), data)
    return path


def told(check, notes=False):
    """What a check found, as readable lines."""
    return [f"{finding['severity']} {finding['rule']} {finding['path']}: {finding['summary']}"
            for finding in check["findings"] if notes or finding["severity"] != "note"]


def assert_silent(check):
    """Clean, and not even a note."""
    assert told(check, notes=True) == []
    assert check["unknown"] == []
    assert check["verdict"] == "clean"


def by_path(check, env):
    """Prefix-relative path -> [(rule, severity)…]"""
    result = {}
    for finding in check["findings"]:
        path = os.path.relpath(finding["path"], os.path.realpath(env))
        result.setdefault(path, []).append((finding["rule"], finding["severity"]))
    return result
