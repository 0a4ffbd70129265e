"""Each kind of thing that does not belong into an environment, provoked the way it happens, and found."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import time

from pathlib import Path

import pytest

from environments import (by_path, copy_env, find_python, make_venv, make_wheel, pip_install, run, site_packages, told)

ENTRY_POINTS = "[console_scripts]\nsubject = subject.main:run\n"
FILES = {
    "subject/__init__.py": "VERSION = 1\n",
    "subject/main.py": "def run():\n    print('ran')\n",
    "subject/other.py": "value = 1\n",
    "subject/deep/__init__.py": "",
    "subject/deep/inner.py": "value = 2\n",
    "subject/native.abi3.so": b"\x7fELF not really",
    "subject/data.json": "{}\n",
    "topmodule.py": "value = 3\n",
    "shared_namespace/part/__init__.py": "",
}


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    directory = tmp_path_factory.mktemp("contamination")
    make_wheel(directory, "subject", FILES, entry_points=ENTRY_POINTS, scripts=[("subject-script", "#!python\nprint(1)\n")])
    make_wheel(directory, "subject", {**FILES, "subject/newer.py": "value = 4\n", "subject/main.py": "new = True\n"},
               version="2.0")
    env = make_venv(directory / "env")
    pip_install(env, directory / "subject-1.0-py3-none-any.whl", "certifi")
    # Edits of a moment ago must not look as old as the installation.
    past = time.time() - 1000
    for path in env.rglob("*"):
        os.utime(path, (past, past), follow_symlinks=False)
    return env


@pytest.fixture(autouse=True)
def tidy(tmp_path):
    """Dozens of environments: each goes with its test."""
    yield
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture
def env(template, tmp_path):
    return copy_env(template, tmp_path / "env")


@pytest.fixture
def site(env):
    return site_packages(env)


@pytest.fixture
def found(pristine, env, site):
    """Checks and gives site-relative path -> [(rule, severity)]."""
    def check(status=1):
        result = by_path(pristine.json("check", env, status=status), env)
        prefix = os.path.relpath(site, env)
        return {os.path.relpath(path, prefix) if path.startswith(prefix) else path: rules
                for path, rules in result.items()}
    return check


def test_nothing(found):
    assert found(status=0) == {}


# ---- edits

def test_edited_module(site, found):
    (site / "subject/main.py").write_text("import pdb\n" + FILES["subject/main.py"])
    assert found() == {"subject/main.py": [("file-modified", "error")]}


def test_edit_that_keeps_the_time_is_not_taken_for_an_edit_by_age_alone(site, found):
    path = site / "subject/main.py"
    before = path.stat()
    path.write_text("value = 'replaced'\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    # The wheel it was installed from still holds RECORD's bytes: an edit, whatever the times say.
    assert found() == {"subject/main.py": [("file-modified", "error")]}
    source = json.loads(next(site.glob("subject-*.dist-info/direct_url.json")).read_text())["url"]
    wheel = Path(source.removeprefix("file://"))
    hidden = wheel.rename(wheel.with_suffix(".hidden"))
    try:
        assert found() == {"subject/main.py": [("upstream-record-wrong", "warning")]}
    finally:
        hidden.rename(wheel)


def test_wheel_wrong_from_birth(pristine, tmp_path):
    wheel = make_wheel(tmp_path, "wrong", {"wrong/__init__.py": "", "wrong/x.py": "x = 1\n"}, wrong=["wrong/x.py"])
    env = make_venv(tmp_path / "env")
    pip_install(env, wheel)
    check = pristine.json("check", env, status=1)
    assert by_path(check, env) == {os.path.relpath(site_packages(env) / "wrong/x.py", env):
                                   [("upstream-record-wrong", "warning")]}


def test_missing_module(site, found):
    (site / "subject/other.py").unlink()
    assert found() == {"subject/other.py": [("file-missing", "error")]}


def test_edited_launcher(env, found):
    launcher = env / "bin" / "subject"
    launcher.write_text(launcher.read_text().replace("import sys\n", "import sys\nprint('debug')\n", 1))
    assert found() == {"bin/subject": [("file-modified", "error")]}


@pytest.mark.parametrize("line", ["#!/tmp/evil/python3\n", "#!/usr/bin/env -S evil\n", "#!/tmp/evil\n"])
def test_launcher_that_starts_something_else(env, found, line):
    launcher = env / "bin" / "subject"
    launcher.write_text(line + launcher.read_text().split("\n", 1)[1])
    (rules,) = found().values()
    assert rules[0][0] == "file-modified" and rules[0][1] in ("error", "warning")


def test_edited_script(env, found):
    script = env / "bin" / "subject-script"
    script.write_text(script.read_text() + "print(2)\n")
    assert found() == {"bin/subject-script": [("file-modified", "error")]}


def test_row_without_its_hash_is_no_excuse(site, found):
    """The cheapest forgery: take the hash out of the row of the edited file."""
    (site / "subject/main.py").write_text("evil = True\n")
    record = site / "subject-1.0.dist-info" / "RECORD"
    lines = [("subject/main.py,," if line.startswith("subject/main.py,") else line)
             for line in record.read_text().splitlines()]
    record.write_text("\n".join(lines) + "\n")
    assert found() == {"subject/main.py": [("file-unverifiable", "warning")]}


# ---- certificate bundles

CERTIFICATE = "\n# Issuer: CN=Site CA\n-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ==\n-----END CERTIFICATE-----\n"


def test_site_authority_appended(pristine, env, site, found):
    with open(site / "certifi/cacert.pem", "a", encoding="ascii") as bundle:
        bundle.write(CERTIFICATE)
    check = pristine.json("check", env)
    assert check["verdict"] == "clean"
    assert found(status=0) == {"certifi/cacert.pem": [("file-modified", "note")]}


def test_bundle_replaced(site, found):
    (site / "certifi/cacert.pem").write_text(CERTIFICATE)
    assert found() == {"certifi/cacert.pem": [("file-modified", "warning")]}


def test_bundle_with_something_else_appended(site, found):
    with open(site / "certifi/cacert.pem", "a", encoding="ascii") as bundle:
        bundle.write("import os\n")
    assert found() == {"certifi/cacert.pem": [("file-modified", "error")]}


# ---- what nobody owns

@pytest.mark.parametrize("path, severity", [
    ("subject/debug_helper.py", "warning"),
    ("subject/deep/tool.py", "warning"),
    ("subject/other.so", "error"),                 # found before other.py
    ("subject/main.abi3.so", "error"),
    ("subject/fresh.so", "warning"),
    ("subject/main_backup.py", "warning"),
    ("stray.py", "warning"),
    ("subject/sourceless.pyc", "warning"),
    ("shared_namespace/__init__.py", "warning"),   # ends the namespace
    ("subject/main-old.py", "note"),
    ("subject/main.py.orig", "note"),
    ("subject/main.py.rej", "note"),
    ("subject/main.py~", "note"),
    ("subject/.main.py.swp", "note"),
    ("subject/main.py.bak", "note"),
    ("subject/native.abi3.so.bak", "note"),
])
def test_unowned_file(site, found, path, severity):
    (site / path).write_bytes(b"value = 1\n")
    assert found(status=0 if severity == "note" else 1) == {path: [("unowned-module", severity)]}


@pytest.mark.parametrize("path, files, severity", [
    ("leftover", ["__init__.py", "a.py", "sub/b.py"], "warning"),
    ("leftover", ["kernels/x.bin"], "warning"),                  # importable as an empty namespace
    ("leftover", ["ops/only.py"], "warning"),
    ("topmodule", ["__init__.py"], "error"),                     # a package goes before topmodule.py
    ("subject/other", ["__init__.py", "more.py"], "error"),
    ("subject/patches", ["a.py", "b.py"], "warning"),
])
def test_unowned_directory_is_one_finding(site, found, path, files, severity):
    for name in files:
        (site / path / name).parent.mkdir(parents=True, exist_ok=True)
        (site / path / name).write_text("")
    assert found() == {path: [("unowned-module", severity)]}


def test_link_to_a_checkout(site, found, tmp_path):
    (tmp_path / "checkout").mkdir()
    os.symlink(tmp_path / "checkout", site / "linked")
    assert found() == {"linked": [("unowned-module", "warning")]}


# ---- startup hooks

@pytest.mark.parametrize("name, content, severity", [
    ("evil.pth", "import os; os.getpid()\n", "error"),
    ("evil.pth", "# harmless\n\nimport\tos\n", "error"),
    ("evil.pth", "/srv\rimport os\r", "error"),
    ("evil.pth", "\ufeffimport os\n", "error"),
    (".hidden.pth", "import os\n", "error"),
    (".hidden.pth", "/srv\n", "warning"),
    ("paths.pth", "/srv\n", "warning"),
    ("_virtualenv.pth", "import _virtualenv\n", "error"),        # not virtualenv's: this is a plain venv
    ("zope.x-nspkg.pth", "import os\n", "error"),
    ("sitecustomize.py", "", "error"),
    ("usercustomize.py", "", "error"),
    ("sitecustomize.so", "", "error"),
    ("sitecustomize.pyc", "", "error"),
    ("_virtualenv.py", "", "error"),
])
def test_hook(site, found, name, content, severity):
    (site / name).write_bytes(content.encode())
    assert found() == {name: [("startup-hook", severity)]}


def test_hook_package(site, found):
    (site / "sitecustomize").mkdir()
    (site / "sitecustomize" / "__init__.py").write_text("")
    assert found() == {"sitecustomize": [("startup-hook", "error")]}


def test_edited_owned_hook(tmp_path, pristine):
    wheel = make_wheel(tmp_path, "hooked", {"hooked.pth": "import sys\n", "hooked.py": ""})
    env = make_venv(tmp_path / "env")
    pip_install(env, wheel)
    assert told(pristine.json("check", env)) == []
    path = site_packages(env) / "hooked.pth"
    path.write_text("import sys; print(sys.argv)\n")
    os.utime(path, (time.time() + 60, time.time() + 60))
    check = by_path(pristine.json("check", env, status=1), env)
    assert sorted(check[os.path.relpath(path, env)]) == [("file-modified", "error"), ("startup-hook", "error")]


@pytest.mark.parametrize("name, severity", [("json.py", "warning"), ("torch.so", "warning"), ("python3._pth", "error")])
def test_beside_scripts(env, found, name, severity):
    (env / "bin" / name).write_text("")
    assert found() == {f"bin/{name}": [("startup-hook", severity)]}


def test_plain_files_beside_scripts_are_nobodys_business(env, found):
    (env / "bin" / "run-it.sh").write_text("#!/bin/sh\n")
    (env / "bin" / "x-y.py").write_text("")
    assert found(status=0) == {}


# ---- bytecode

def _compile(env, source, mode):
    run(env / "bin" / "python", "-c",
        "import py_compile, sys; py_compile.compile(sys.argv[1], invalidation_mode=getattr("
        "py_compile.PycInvalidationMode, sys.argv[2]))", source, mode)
    (pyc,) = (source.parent / "__pycache__").glob(f"{source.stem}.cpython-*[0-9].pyc")
    return pyc


@pytest.mark.parametrize("minor", [8, 9, 10, 11, 12, 13])
def test_unchecked_bytecode_of_another_source(pristine, tmp_path, minor):
    env = make_venv(tmp_path / "env", find_python(minor))
    pip_install(env, make_wheel(tmp_path, "subject", FILES, entry_points=ENTRY_POINTS))
    source = site_packages(env) / "subject/other.py"
    original = source.stat()
    source.write_text("value = 'edited'\n")
    pyc = _compile(env, source, "UNCHECKED_HASH")
    source.write_text(FILES["subject/other.py"])
    os.utime(source, ns=(original.st_atime_ns, original.st_mtime_ns))
    assert by_path(pristine.json("check", env, status=1), env) == {
        os.path.relpath(pyc, env): [("stale-bytecode", "error")]}
    _compile(env, source, "UNCHECKED_HASH")
    pristine.json("check", env)


def test_edit_in_the_second_of_compilation(env, site, found):
    """Same size, same second: Python goes on running what it compiled before."""
    source = site / "subject/other.py"
    second = int(time.time()) - 5
    source.write_text("value = 9\n")
    os.utime(source, ns=(second * 10**9 + 100, second * 10**9 + 100))
    pyc = _compile(env, source, "TIMESTAMP")
    os.utime(pyc, ns=(second * 10**9 + 200, second * 10**9 + 200))
    source.write_text(FILES["subject/other.py"])
    os.utime(source, ns=(second * 10**9 + 300, second * 10**9 + 300))
    assert found() == {os.path.relpath(pyc, site): [("stale-bytecode", "warning")]}


def test_bytecode_of_another_python_is_never_run(env, site, found):
    pyc = _compile(env, site / "subject/other.py", "UNCHECKED_HASH")
    data = bytearray(pyc.read_bytes())
    data[8:16] = b"\0" * 8
    other = pyc.with_name("other.cpython-37.pyc")
    other.write_bytes(data)
    pyc.unlink()
    data[0:2] = b"\x42\x0d"
    pyc.write_bytes(data)  # the right tag with a foreign magic: Python compiles anew
    assert found(status=0) == {}


# ---- distributions

def test_interrupted_pip(site, found):
    (site / "subject").rename(site / "~ubject")
    (site / "subject-1.0.dist-info").rename(site / "~ubject-1.0.dist-info")
    result = found()
    assert result["~ubject"] == [("distribution-partial", "warning")]
    assert result["~ubject-1.0.dist-info"] == [("distribution-partial", "warning")]


def test_record_gone(site, found):
    (site / "subject-1.0.dist-info" / "RECORD").unlink()
    assert found()["subject-1.0.dist-info"] == [("distribution-partial", "warning")]


def test_payload_gone(site, found):
    shutil.rmtree(site / "subject")
    shutil.rmtree(site / "shared_namespace")
    (site / "topmodule.py").unlink()
    assert found() == {"subject-1.0.dist-info": [("distribution-partial", "error")]}


def test_two_records_for_one_name(template, env, site, found, tmp_path):
    """An upgrade that removed nothing: the old metadata stays beside the new."""
    keep = tmp_path / "keep"
    shutil.copytree(site / "subject-1.0.dist-info", keep)
    pip_install(env, "-U", template.parent / "subject-2.0-py3-none-any.whl")
    shutil.copytree(keep, site / "subject-1.0.dist-info")
    assert found() == {"subject-1.0.dist-info": [("distribution-duplicate", "error")]}


def test_two_owners_with_different_content(pristine, tmp_path):
    for name, text in (("first", "a = 1\n"), ("second", "b = 2\n")):
        make_wheel(tmp_path, name, {"both/__init__.py": text, f"{name}.py": ""})
    env = make_venv(tmp_path / "env")
    pip_install(env, tmp_path / "first-1.0-py3-none-any.whl", tmp_path / "second-1.0-py3-none-any.whl")
    check = by_path(pristine.json("check", env, status=1), env)
    assert check == {os.path.relpath(site_packages(env) / "both/__init__.py", env): [("file-clobbered", "warning")]}


def test_forged_record(env, site, found):
    """A RECORD rewritten to fit the edit is silent here: what vouches for RECORD itself is another origin's task."""
    text = "evil = 1\n"
    (site / "subject/main.py").write_text(text)
    record = site / "subject-1.0.dist-info" / "RECORD"
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    lines = [(f"subject/main.py,sha256={digest},{len(text)}" if line.startswith("subject/main.py,") else line)
             for line in record.read_text().splitlines()]
    record.write_text("\n".join(lines) + "\n")
    assert found(status=0) == {}


def test_hostile_names(site, found):
    """Line feeds, escapes and bytes that are no UTF-8, as modules, hooks and directories."""
    base = os.fsencode(site)
    with open(base + b"/subject/\xff\xfe.py", "wb"):
        pass
    with open(base + b"/new\nline.pth", "wb") as hook:
        hook.write(b"import os\x1b[31m\n")
    os.mkfifo(base + b"/fifo.pth")
    os.mkfifo(base + b"/subject/pipe.py")
    os.symlink("/etc/passwd", base + b"/link.pth")
    os.symlink("loop", base + b"/loop")
    result = found()
    assert result["fifo.pth"] == [("startup-hook", "error")]
    assert result["link.pth"] == [("startup-hook", "error")]
    assert len(result) >= 5


def test_huge_tree_in_an_unowned_directory(site, found):
    subprocess.run(["sh", "-c", 'mkdir -p "$1/heap" && cd "$1/heap" && seq 1 6000 | xargs touch', "sh", site], check=True)
    assert found() == {"heap": [("unowned-module", "warning")]}
