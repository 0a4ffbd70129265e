"""What hostile or clumsy hands can do between plan, apply and undo, and to what the program keeps for itself."""

import contextlib
import ctypes
import os
import random
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import dumps
from small import SOURCE, Small
from tree import differences, snapshot

DUMPS = Path("/tmp/hostile-repair")
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: devices")


@pytest.fixture
def small(tmp_path):
    small = Small(tmp_path / "env")
    DUMPS.mkdir()
    small.debug(f"{DUMPS}/x_tp%d.pt")
    for rank in range(2):
        (DUMPS / f"x_tp{rank}.pt").write_bytes(dumps.torch_zip())
    yield small
    shutil.rmtree(DUMPS)


def put(kind, path, content, elsewhere):
    """Something that is not the file, under its name."""
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        elsewhere.write_bytes(content)
        path.symlink_to(elsewhere)
    elif kind == "directory":
        path.mkdir()
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket is short
        socket.socket(socket.AF_UNIX).bind(path.name)
        os.chdir(here)
    elif kind == "device":
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))


def place_of(small, what):
    return {"module": small.module, "bytecode": small.bytecode, "dump": DUMPS / "x_tp0.pt"}[what]


KINDS = ["fifo", "link", "directory", "socket", pytest.param("device", marks=ROOT_ONLY)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["module", "bytecode", "dump"])
@pytest.mark.parametrize("command", ["apply", "undo"])
def test_something_else_in_the_place_of_a_file(pristine, small, tmp_path, command, what, kind):
    pristine("plan", small.env, status=1)
    if command == "undo":
        pristine("apply", "--yes")
    path = place_of(small, what)
    content = path.read_bytes() if path.exists() else b"new"
    path.unlink(missing_ok=True)
    put(kind, path, content, tmp_path / "elsewhere")
    before = snapshot(small.env, DUMPS, tmp_path / "elsewhere")
    done = pristine(command, "--yes", status=4, timeout=20)
    assert str(path) in done.err
    assert not differences(before, snapshot(small.env, DUMPS, tmp_path / "elsewhere"))


SWAP = """
import ctypes, sys
libc = ctypes.CDLL(None)
pairs = [name.encode() for name in sys.argv[1:]]
print(flush=True)
while True:
    for a, b in zip(pairs[::2], pairs[1::2]):
        libc.renameat2(-100, a, -100, b, 2)  # RENAME_EXCHANGE
"""


@contextlib.contextmanager
def swapping(*names):
    process = subprocess.Popen([sys.executable, "-c", SWAP, *map(str, names)], stdout=subprocess.PIPE)
    process.stdout.readline()
    try:
        yield
    finally:
        process.kill()
        process.wait()
    for name, other in zip(names[::2], names[1::2]):
        if name.is_symlink():
            ctypes.CDLL(None).renameat2(-100, os.fsencode(name), -100, os.fsencode(other), 2)


def test_directories_swapped_for_links_during_undo(pristine, small, tmp_path):
    """What comes back never comes to where a link leads, and a later undo in peace brings all of it."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "pkg").mkdir(parents=True)
    (elsewhere / "pkg" / "m.py").write_bytes(SOURCE)
    (elsewhere / "dumps").mkdir()
    package, links = small.module.parent, tmp_path / "links"
    links.mkdir()
    (links / "pkg").symlink_to(elsewhere / "pkg")
    link = DUMPS.with_suffix(".link")  # on the same file system, as an exchange needs
    link.symlink_to(elsewhere / "dumps")
    dirty, untouched = snapshot(small.env, DUMPS), snapshot(elsewhere)
    for _ in range(10):
        pristine("plan", small.env, status=1)
        pristine("apply", "--yes")
        with swapping(package, links / "pkg", DUMPS, link):
            assert pristine("undo", "--yes", status=None).status in (0, 4, 5)
        assert not differences(untouched, snapshot(elsewhere))
        pristine("undo", "--yes")
        assert not differences(dirty, snapshot(small.env, DUMPS))
    link.unlink()


# ---------------------------------------------------------------------------------------------------- what it keeps


def test_a_tampered_copy_is_never_put_in_place(pristine, small):
    """Whoever can write to objects/ decides what undo writes; but not unnoticed."""
    pristine("plan", small.env, status=1)
    pristine("apply", "--yes")
    clean = snapshot(small.env)
    for kept in (pristine.state_dir / "objects").iterdir():
        content = bytearray(kept.read_bytes())
        content[len(content) // 2] ^= 1
        kept.write_bytes(content)
    done = pristine("undo", "--yes", status=None)
    assert done.status in (4, 5) and "not the expected ones" in done.err, done.err
    assert not differences(clean, snapshot(small.env))


@pytest.mark.parametrize("seed", range(24))
def test_a_damaged_journal_is_told(pristine, small, seed):
    """Every command ends with a message; where nothing was changed it says so, and nothing was."""
    random_ = random.Random(seed)
    pristine("plan", small.env, status=1)
    if seed % 2:
        pristine("apply", "--yes")
    journal = pristine.state_dir / "journal.sqlite"
    content = bytearray(journal.read_bytes())
    if seed % 3 == 0:
        del content[random_.randrange(len(content)):]
    else:
        for _ in range(random_.choice((1, 5, 3000))):
            content[random_.randrange(len(content))] = random_.randrange(256)
    journal.write_bytes(content)
    before = snapshot(small.env, DUMPS)
    for words in (["log"], ["check", small.env], ["verify"], ["accept", "--list"], ["diff", small.env]):
        done = pristine(*words, status=None)
        assert done.status in (0, 1) or done.err
    done = pristine("undo" if seed % 2 else "apply", "--yes", status=None)
    assert done.status == 0 or done.err
    if done.status in (2, 4):
        assert not differences(before, snapshot(small.env, DUMPS))
    if done.status == 0 and seed % 2 == 0:
        assert small.module.read_bytes() == SOURCE


@pytest.mark.parametrize("name", ["journal.sqlite", "lock", "objects"])
@pytest.mark.parametrize("kind", ["fifo", "link"])
def test_a_state_directory_with_something_else_in_it(pristine, small, tmp_path, name, kind):
    pristine.state_dir.mkdir(mode=0o700)
    put(kind, pristine.state_dir / name, b"", tmp_path / "elsewhere")
    before = snapshot(small.env, tmp_path / "elsewhere")
    for words in (["plan", small.env], ["apply", "--yes"], ["undo", "--yes"], ["log"]):
        done = pristine(*words, status=None, timeout=20)
        assert done.status != 0 and done.err or words[0] == "log"
    assert not differences(before, snapshot(small.env, tmp_path / "elsewhere"))


def test_a_report_that_cannot_be_written(pristine, small):
    """The work is done and the exit status does not say "done"."""
    pristine("plan", small.env, status=1)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([pristine.program, f"--state-dir={pristine.state_dir}", "apply", "--yes"], stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"cannot write the report" in done.stderr
    assert pristine("verify").out.startswith("clean") or small.module.read_bytes() == SOURCE
