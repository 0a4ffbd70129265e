"""The command line as a person and a script meet it: words, slips, statuses, streams, widths."""

import base64
import fcntl
import hashlib
import json
import os
import pty
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

COMMANDS = ["check", "diff", "explain", "plan", "apply", "verify", "undo", "log", "purge", "accept"]
ADDED = 'import torch\nif q.shape[0] == 5:\n    torch.save(q, "/tmp/cli_debug_tp%d.pt" % rank)\n'
ORIGINAL = "".join(f"def function_{i}(q, rank):\n    return q + {i}\n\n\n" for i in range(40))


def make_environment(path):
    """A venv by hand: one distribution of one module. Quick, and no installer is in the way."""
    site = path / "lib" / "python3.11" / "site-packages"
    info = site / "demo-1.0.dist-info"
    (site / "demo").mkdir(parents=True)
    info.mkdir()
    (path / "bin").mkdir()
    (path / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n")
    files = {"demo/__init__.py": "", "demo/model.py": ORIGINAL, "demo-1.0.dist-info/INSTALLER": "pip\n",
             "demo-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n",
             "demo-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\n"}
    rows = []
    for name, text in files.items():
        (site / name).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(text)}\n")
    (info / "RECORD").write_text("".join(rows) + "demo-1.0.dist-info/RECORD,,\n")
    return site / "demo" / "model.py"


@pytest.fixture
def env(tmp_path):
    make_environment(tmp_path / "env")
    return tmp_path / "env"


@pytest.fixture
def dirty(env):
    module = env / "lib/python3.11/site-packages/demo/model.py"
    lines = ORIGINAL.splitlines(keepends=True)
    module.write_text("".join(lines[:81]) + "".join("    " + line for line in ADDED.splitlines(True)) + "".join(lines[81:]))
    return env


# --- words ---

def test_help_lists_every_command(pristine):
    text = pristine("--help").out
    assert [name for name in COMMANDS if re.search(rf"^  {name} ", text, re.M)] == COMMANDS
    assert pristine("help").out == text == pristine("-h").out
    for name in COMMANDS:
        shown = pristine(name, "--help").out
        assert shown.startswith(f"pristine {name}: ")
        assert pristine("help", name).out == shown == pristine("--help", name).out
        assert max(map(len, shown.splitlines())) <= 80


def test_version(pristine):
    assert re.fullmatch(r"pristine \d+\.\d+\.\d+\n", pristine("--version").out)


@pytest.mark.parametrize("words, says", [
    ([], "--help"),
    (["chekc", "."], "did you mean 'check'?"),
    (["frobnicate"], "there is no command 'frobnicate'"),
    (["check", "--fromat=json"], "did you mean --format?"),
    (["check", "--art=x"], "there is no option --art"),
    (["check", "--yes"], "does not take --yes"),
    (["--yes", "apply"], "behind the command"),
    (["check", "--format=xml", "."], "terminal, json, sarif or html"),
    (["check", "--format=sarif", "."], "this build does not have it yet"),
    (["check", "--format=html", "."], "this build does not have it yet"),
    (["check", "--jobs=zero", "."], "whole number"),
    (["check", "--root=/no/such/directory", "."], "--root=/no/such/directory"),
    (["check", "--state-dir=/etc/passwd", "."], "no directory"),
    (["check", "/no/such/place"], "/no/such/place"),
    (["check", "/etc/passwd"], "is a file"),
    (["check", "pid:1"], "pid:1"),
    (["check", "http://localhost:8000"], "http://localhost:8000"),
    (["plan", "--option=magic", "."], "surgical, restore or reinstall"),
    (["apply", "P0001", "P0002"], "too many arguments"),
    (["explain", "file-modifed"], "did you mean 'file-modified'?"),
    (["accept", "x"], "--reason"),
    (["accept"], "--list"),
])
def test_slips_are_named(pristine, words, says):
    result = pristine(*words, status=2)
    assert says in result.err
    assert result.err.startswith("pristine: ") and result.err.count("\n") == 1
    assert result.out == ""


def test_a_wrong_plan_is_refused(pristine, dirty):
    for command in ("apply", "verify", "undo", "purge", "log"):
        assert "no plan" in pristine(command, "P9999", status=None).err
    pristine("plan", dirty, status=1)
    for command in ("apply", "verify", "undo", "purge", "log"):
        result = pristine(command, "P9999", status=None)
        assert result.status in (2, 4) and "P9999" in result.err


def test_no_target_names_what_is_at_hand(pristine, env, tmp_path):
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("check", "plan", "diff"):
        assert "Name an environment" in pristine(name, status=2, cwd=bare, env={"VIRTUAL_ENV": ""}).err
    assert str(env) in pristine("check", status=2, cwd=bare, env={"VIRTUAL_ENV": str(env)}).err
    assert "pristine check env" in pristine("check", status=2, cwd=tmp_path, env={"VIRTUAL_ENV": ""}).err


def test_every_public_rule_has_a_page(pristine):
    rules = """file-modified file-missing file-clobbered file-unreadable distribution-partial distribution-duplicate
        record-malformed record-outside-prefix record-forged upstream-record-wrong unowned-module startup-hook
        user-site-shadow cwd-shadow stale-bytecode cache-poisoned vendor-debug-code debug-artifact orphan-artifact
        process-runs-older-code process-orphaned unit-config-drift debug-environment endpoint-not-generating
        output-incoherent gpu-held-by-stranger shm-leaked compile-cache-suspect weights-missing-shard weights-truncated
        weights-hash-mismatch weights-config-conflict""".split()
    listed = pristine("explain").out
    for rule in [*rules, "tensor-dump", "debugger"]:
        assert re.search(rf"^{rule} ", listed, re.M)
        page = pristine("explain", rule).out
        assert page.startswith(f"{rule}: ")
        assert max(map(len, page.splitlines())) <= 80
        assert all(heading in page for heading in ("Why it is dangerous", "What to do", "Example"))
    assert pristine.json("explain", "file-modified")["rules"][0]["text"].startswith("# file-modified: ")


# --- options ---

def test_global_options_on_either_side(pristine, env):
    before = pristine("--format=json", "check", env).json
    after = pristine("check", env, "--format", "json").json
    assert before["schema"] == after["schema"] == "pristine.check/1"
    assert pristine("check", "--", env).out == pristine("check", env).out


def test_quiet_and_verbose(pristine, dirty):
    quiet = pristine("check", "-q", dirty, status=1).out
    assert quiet == "dirty: 1 error\n"
    verbose = pristine("check", "-v", dirty, status=1).out
    assert len(verbose) > len(pristine("check", dirty, status=1).out)


# --- statuses ---

def test_statuses(pristine, env, dirty):
    module = dirty / "lib/python3.11/site-packages/demo/model.py"
    changed = module.read_bytes()
    pristine("diff", dirty, status=1)
    module.write_text(ORIGINAL)
    pristine("check", env, status=0)
    pristine("diff", env, status=0)
    module.write_bytes(changed)
    plan = pristine.json("plan", dirty, status=1)["plan"]
    pristine("apply", plan, status=4)
    module.write_bytes(changed + b"# moved\n")
    pristine("apply", plan, "--yes", status=4)
    module.write_bytes(changed)
    pristine("apply", plan, "--yes", status=0)
    assert pristine("verify", "-q", status=0).out.startswith("clean: ")
    pristine("undo", "--yes", status=0)
    assert module.read_bytes() == changed


def test_every_command_announces_an_interrupted_plan(pristine, dirty):
    plan = pristine.json("plan", dirty, status=1)["plan"]
    with sqlite3.connect(pristine.state_dir / "journal.sqlite") as journal:
        journal.execute("UPDATE plan SET state = CAST('applying' AS BLOB), chosen = CAST('surgical' AS BLOB)")
    for words in (["check", dirty], ["diff", dirty], ["plan", dirty], ["log"], ["accept", "--list"], ["explain"]):
        assert f"plan {plan} stopped part-way" in pristine(*words, status=None).err
    assert pristine.json("check", dirty, status=1)["interrupted_plan"] == plan
    with sqlite3.connect(pristine.state_dir / "journal.sqlite") as journal:
        journal.execute("UPDATE plan SET state = CAST('undoing' AS BLOB) WHERE number = 1")
    told = pristine("check", dirty, status=1).err
    assert f"`pristine undo {plan}` ends it" in told and "pristine apply" not in told
    assert f"`pristine undo {plan}` ends it" in pristine("apply", "--yes", status=4).err


def test_deadline_leaves_an_incomplete_check(pristine, env):
    result = pristine("check", env, "--deadline=0.001", status=None)
    assert result.status in (0, 3)


# --- where reports go ---

def test_output_file_is_replaced_whole(pristine, dirty, tmp_path):
    report = tmp_path / "report.json"
    report.write_text("old")
    report.chmod(0o600)
    link = tmp_path / "link.json"
    link.symlink_to(report)
    result = pristine("check", dirty, "--format=json", "-o", link, status=1)
    assert result.out == ""
    assert link.is_symlink() and json.loads(report.read_text())["verdict"] == "dirty"
    assert report.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir() if "report" in path.name) == ["report.json"]


def test_output_that_cannot_be_written_is_an_error(pristine, env, tmp_path):
    for target in ("/no/such/directory/report", tmp_path, "/dev/full"):
        result = pristine("check", env, "-o", target, status=2)
        assert str(target) in result.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["env"]


def run_raw(pristine, *words, **options):
    command = [pristine.program, f"--state-dir={pristine.state_dir}", *map(os.fspath, words)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, **options)


@pytest.mark.parametrize("words", [["check"], ["--help"], ["--version"], ["explain", "file-modified"]])
def test_full_disk_is_an_error(pristine, env, words):
    with open("/dev/full", "w") as full:
        process = run_raw(pristine, *words, *([env] if words == ["check"] else []), stdout=full)
        assert "No space left" in process.communicate()[1].decode()
    assert process.returncode == 2


def test_closed_output_is_an_error_and_no_file_is_hit(pristine, dirty):
    before = sorted((path, path.stat().st_size) for path in dirty.rglob("*"))
    process = run_raw(pristine, "check", dirty, preexec_fn=lambda: os.close(1))
    assert "standard output is closed" in process.communicate()[1].decode()
    assert process.returncode == 2
    process = run_raw(pristine, "check", dirty, preexec_fn=lambda: [os.close(fd) for fd in (0, 1, 2)])
    process.communicate()
    assert process.returncode == 2
    assert sorted((path, path.stat().st_size) for path in dirty.rglob("*")) == before


def test_a_reader_that_goes_is_no_error(pristine, dirty):
    reading, writing = os.pipe()
    os.close(reading)
    process = run_raw(pristine, "check", dirty, stdout=writing)
    os.close(writing)
    assert process.communicate()[1] == b""
    assert process.returncode == 1


# --- terminals ---

def on_terminal(pristine, *words, columns=80, environ=None):
    """Output of the program on a terminal of its own."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    attributes = termios.tcgetattr(side)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(side, termios.TCSANOW, attributes)
    settings = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **(environ or {})}
    for name in ("COLUMNS", "NO_COLOR"):
        if name not in (environ or {}):
            settings.pop(name, None)
    process = run_raw(pristine, *words, stdin=subprocess.DEVNULL, stdout=side, env=settings)
    os.close(side)
    out = b""
    try:
        while chunk := os.read(main, 65536):
            out += chunk
    except OSError:
        pass
    os.close(main)
    process.communicate()
    return out.decode()


def test_color(pristine, dirty):
    assert "\033[" in on_terminal(pristine, "check", dirty)
    assert "\033" not in on_terminal(pristine, "check", dirty, environ={"NO_COLOR": "1"})
    assert "\033" not in on_terminal(pristine, "check", dirty, environ={"TERM": "dumb"})
    assert "\033" not in on_terminal(pristine, "check", "--color=never", dirty)
    assert "\033[" in on_terminal(pristine, "check", "--color=always", dirty, environ={"NO_COLOR": "1"})
    assert "\033" not in pristine("check", dirty, status=1).out
    assert "\033[" in pristine("check", "--color=always", dirty, status=1).out


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_width(pristine, dirty, columns):
    for text in (on_terminal(pristine, "check", dirty, columns=columns, environ={"NO_COLOR": "1"}),
                 pristine("check", dirty, status=1, env={"COLUMNS": str(columns)}).out):
        lines = text.splitlines()
        wide = [line for line in lines if len(line) > columns]
        # What cannot be broken: a path, alone on its line or at the end of the next step.
        assert all(str(dirty) in line for line in wide), wide


def test_ascii_where_the_locale_is_not_utf8(pristine, dirty):
    assert pristine("check", dirty, status=1, env={"LC_ALL": "C"}).out.isascii()
    assert "82–84" in pristine("check", dirty, status=1, env={"LC_ALL": "C.UTF-8"}).out


def test_names_are_escaped(pristine, dirty):
    site = dirty / "lib/python3.11/site-packages/demo"
    (site / "evil\033[31m\n\u202e.py").write_text("print(1)\n")
    (os.fsencode(site) and open(os.fsencode(site) + b"/bad\xff.py", "w")).close()
    for words in (["check", "-v", dirty], ["diff", dirty], ["plan", dirty]):
        out = pristine(*words, status=1, env={"LC_ALL": "C.UTF-8"}).out
        assert "\033" not in out and "\u202e" not in out
    report = pristine.json("check", dirty, status=1)
    assert {r"bad\xff.py", "evil\033[31m\n\u202e.py"} <= {Path(f["path"]).name for f in report["findings"]}


# --- diff ---

def test_diff_is_read_by_patch(pristine, dirty, tmp_path):
    module = dirty / "lib/python3.11/site-packages/demo/model.py"
    by_directory = pristine("diff", dirty, status=1).out
    assert pristine("diff", module, status=1).out == by_directory
    assert pristine("diff", dirty, "demo/model.py", status=1).out == by_directory
    assert pristine("diff", "model.py", cwd=module.parent, status=1).out == by_directory
    copy = tmp_path / "copy.py"
    copy.write_bytes(module.read_bytes())
    subprocess.run(["patch", "-R", "-s", copy], input=by_directory.encode(), check=True)
    assert copy.read_text() == ORIGINAL


# --- signals ---

def test_first_signal_ends_in_good_order(pristine, env):
    blocker = env / "lib/python3.11/site-packages/demo/big.bin"
    with open(blocker, "wb") as file:
        file.truncate(1 << 30)
    with open(env / "lib/python3.11/site-packages/demo-1.0.dist-info/RECORD", "a") as record:
        record.write(f"demo/big.bin,sha256={'A' * 43},{1 << 30}\n")
    process = run_raw(pristine, "check", env, stdout=subprocess.PIPE)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (1, 3), err
    assert out


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
