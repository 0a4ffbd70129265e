"""The tree as a whole: formatted, complete, and free of what belongs to one machine."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked():
    if not (ROOT / ".git").exists():
        return [path for path in ROOT.rglob("*") if path.is_file() and not path.relative_to(ROOT).parts[0].startswith(
            ("build", ".deps", ".venv"))]
    names = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z"]).split(b"\0")
    return [path for name in names if name and (path := ROOT / name.decode()).is_file()]


def test_c_is_formatted():
    program = Path(sys.prefix) / "bin" / "clang-format"
    if not program.exists():
        program = shutil.which("clang-format") or pytest.skip("clang-format is missing: run tools/setup")
    files = [str(path) for path in tracked() if path.suffix in (".c", ".h")]
    result = subprocess.run([program, "--dry-run", "-Werror", *files], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-4000:]


def test_nothing_names_a_registry_or_this_machine():
    # In pieces, so that this file does not find itself.
    words = ["pypi" + ".org", "pythonhosted" + ".org", "registry.npmjs" + ".org", "deb.debian" + ".org",
             "archive.ubuntu" + ".com", "/wo" + "rk/", "/root/.py" + "env", "/opt/" + "wheels"]
    found = [f"{path.relative_to(ROOT)}: {word}" for path in tracked() for word in words
             if word.encode() in path.read_bytes()]
    assert not found, "\n".join(found)


def test_every_rule_is_whole():
    rules = [path for path in (ROOT / "rules").iterdir() if path.is_dir() and path.name != "findings"]
    assert len(rules) > 15
    for rule in rules:
        for name in ("query.scm", "rule.json", "bad.py", "good.py"):
            assert (rule / name).stat().st_size > 0, rule / name
        assert json.loads((rule / "rule.json").read_text())["id"] == rule.name


def test_every_corpus_has_a_target_and_every_target_a_corpus():
    names = re.findall(r"'(\w+)',", (ROOT / "tests/fuzz/meson.build").read_text())
    targets = {path.stem.removeprefix("fuzz_") for path in (ROOT / "tests/fuzz").glob("fuzz_*.c")}
    assert targets == set(names)
    for name in names:
        assert any((ROOT / "tests/corpus" / name).iterdir()), name


def test_what_the_documents_point_at_exists():
    for document in ("README.md", "HACKING.md", "ARCHITECTURE.md"):
        text = (ROOT / document).read_text()
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (ROOT / target).exists(), f"{document}: {target}"
        for target in re.findall(r"`((?:tools|tests|src|bench|rules)/[\w./-]+)`", text):
            if "X" not in target and "NAME" not in target and "RULE" not in target:
                assert (ROOT / target).exists(), f"{document}: {target}"


def test_shell_is_posix():
    for name in ("tools/setup", "tools/test", "tools/demo", "tools/fuzz", "tools/tidy"):
        path = ROOT / name
        assert path.read_text().startswith("#!/bin/sh\n"), name
        assert path.stat().st_mode & 0o111, name
        assert subprocess.run(["dash" if shutil.which("dash") else "sh", "-n", path]).returncode == 0, name
