"""What somebody who owns /tmp, a file, a RECORD or the moment can do: a clear state or message; never a crash, a hang, a
link followed out of the prefix, or a wrong "ok"."""

import contextlib
import ctypes
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dumps
from small import SOURCE, Small, record_row
from tree import differences, snapshot

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: mounts, devices, other users")


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path / "env")


def site(small):
    return small.module.parent.parent


def record(small):
    return site(small) / "pkg-1.0.dist-info" / "RECORD"


def add_rows(small, *rows):
    with open(record(small), "ab") as file:
        file.write(b"".join(row if isinstance(row, bytes) else row.encode() for row in rows))
    os.utime(record(small), (1_700_000_000, 1_700_000_000))  # written at installation: what is younger was edited


def files(check):
    return check["targets"][0]["files"]


def rules_at(check, path):
    return {finding["rule"] for finding in check["findings"] if finding["path"] == os.fspath(path)}


# ---------------------------------------------------------------------------------------------------- RECORD


def test_rows_that_lead_outside_are_not_opened(pristine, small, tmp_path):
    secret = tmp_path / "secret"
    os.mkfifo(secret)  # opening it would be seen: nobody writes to it
    add_rows(small, f"{secret},sha256={'A' * 43},7\n", "../../../../secret,,\n", "/etc/passwd,,3\n",
             f"pkg/../../../../../{secret.name},,\n")
    check = pristine.json("check", small.env, status=1)
    assert files(check)["outside"] == 4
    outside = [finding for finding in check["findings"] if finding["rule"] == "record-outside-prefix"]
    assert {"/etc/passwd", str(secret)} <= {finding["path"] for finding in outside} and len(outside) == 4


@pytest.mark.parametrize("content", [
    b"", b"\x00" * 4096, b"\xff" * 100_000, b"," * 200_000, b'"', b'"' * 99_999, b"\n" * 100_000, b"pkg/m.py,sha256=",
    b"a,b,c,d,e,f,g\n" * 1000, random.Random(1).randbytes(65536)], ids=lambda content: f"{content[:4]!r}x{len(content)}")
def test_a_record_of_rubbish(pristine, small, content):
    record(small).write_bytes(content)
    check = pristine.json("check", small.env, status=None)
    assert check["verdict"] != "clean"
    assert files(check)["ok"] == 0


def test_every_truncation_of_a_record(pristine, small):
    """What is no longer listed is unowned, what is half listed malformed or modified: never as installed, until the
    hash of the last module is whole."""
    whole = record(small).read_bytes()
    for size in range(whole.index(b",", whole.index(b"pkg/m.py,sha256=") + 9)):
        record(small).write_bytes(whole[:size])
        check = pristine.json("check", small.env, status=None)
        assert check["verdict"] != "clean", size


def test_a_huge_record_is_refused_in_time(pristine, small):
    with open(record(small), "r+b") as file:
        file.truncate(200 << 20)
    start = time.monotonic()
    check = pristine.json("check", small.env, status=None)
    assert time.monotonic() - start < 20
    assert check["verdict"] != "clean"
    assert any("RECORD" in unknown["what"] for unknown in check["unknown"])


def test_a_record_of_a_million_rows(pristine, small):
    """Memory and time stay in bounds, whatever one RECORD claims."""
    add_rows(small, b"".join(b"d%d/f%d.py,,1\n" % (i % 50_000, i) for i in range(1_500_000)))
    start = time.monotonic()
    check = pristine.json("check", small.env, status=None)
    assert time.monotonic() - start < 60
    assert check["verdict"] != "clean"


@pytest.mark.parametrize("kind", ["fifo", "link", "loop", "directory"])
def test_something_else_in_the_place_of_record(pristine, small, tmp_path, kind):
    shutil.copy(record(small), tmp_path / "RECORD")
    record(small).unlink()
    if kind == "fifo":
        os.mkfifo(record(small))
    elif kind == "directory":
        record(small).mkdir()
    else:
        record(small).symlink_to(tmp_path / "RECORD" if kind == "link" else "RECORD")
    check = pristine.json("check", small.env, status=1)
    assert "file-unreadable" in rules_at(check, record(small))
    assert files(check)["ok"] == 0


# ---------------------------------------------------------------------------------------------------- source


@pytest.mark.parametrize("source", {
    "open": b"(" * 200_000, "deep": b"x = " + b"f(" * 200_000 + b")" * 200_000 + b"\n", "comments": b"#a\n" * 70_000,
    "comments in a block": b"def f():\n" + b" #a\n" * 70_000 + b" x = 1\n", "indented": b"".join(
        b" " * depth + b"if 1:\n" for depth in range(1500)) + b" " * 1500 + b"pass\n", "elif": b"if a:\n pass\n"
    + b"elif a:\n pass\n" * 100_000, "chain": b"x = a" + b".a()" * 100_000 + b"\n", "strings": b"x = " + b"'a' " * 200_000 + b"\n",
    "saves": b'torch.save(x, "/tmp/a_%d.pt")\n' * 10_000, "pattern": b'torch.save(x, "/tmp/' + b"%d" * 100_000 + b'")\n',
    "doubled": b'a0 = "x"\n' + b"".join(b"a%d = a%d + a%d\n" % (i + 1, i, i) for i in range(60)) + b"torch.save(x, a60)\n",
    "text": b"The quick, brown (fox) jumps! " * 30_000, "nul": bytes(1_000_000), "cr": b"a\r" * 500_000,
}.items(), ids=lambda item: item[0])
def test_sources_made_to_exhaust_a_parser(pristine, small, source):
    small.module.write_bytes(source[1] + SOURCE)
    start = time.monotonic()
    check = pristine.json("check", small.env, status=1)
    assert time.monotonic() - start < 60  # a second; twenty times that with sanitizers, which check every string to its end
    assert "file-modified" in rules_at(check, small.module) or len(check["findings"]) > 0
    pristine("diff", small.env, small.module, status=None, timeout=60)


# ---------------------------------------------------------------------------------------------------- names


NAMES = [b"new\nline.py", b"escape\x1b[31m.py", b"no-utf8-\xff\xfe.py", b"bidi\xe2\x80\xae.py", b"tab\t.py",
         b"quote\".py", b"back\\slash.py", b"glob*[x].py", b" .py", b"-rf.py", "\N{SNOWMAN}.py".encode(), b"a" * 252 + b".py"]


def test_names_of_every_kind(pristine, small):
    folder = os.fsencode(small.module.parent)
    for name in NAMES:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"edited\n")
        quoted = b'"pkg/' + name.replace(b'"', b'""') + b'"'
        add_rows(small, quoted + record_row("", b"as installed\n").encode())
    check = pristine.json("check", small.env, status=1)
    assert files(check)["modified"] == len(NAMES)
    for command in ("check", "plan", "diff"):
        shown = pristine(command, small.env, status=None)
        for text in (shown.out, shown.err):
            assert not [c for c in text if c != "\n" and (ord(c) < 32 or ord(c) == 0x7f or 0xdc80 <= ord(c) <= 0xdcff)]
            assert "\u202e" not in text


def test_dumps_with_names_of_every_kind(pristine, small):
    small.debug("/tmp/hostile*%d")
    for name in NAMES:
        Path(os.fsdecode(b"/tmp/hostile" + name[:200])).write_bytes(dumps.torch_zip())
    pristine.json("plan", small.env, "--artifacts", "/tmp/hostile*", status=1)
    shown = pristine("apply", "--yes", status=None)
    assert not [c for c in shown.out + shown.err if c != "\n" and (ord(c) < 32 or 0xdc80 <= ord(c) <= 0xdcff)]
    assert not list(Path("/tmp").glob("hostile*"))
    pristine("undo", "--yes")
    assert len(list(Path("/tmp").glob("hostile*"))) == len(NAMES)
    for path in Path("/tmp").glob("hostile*"):
        path.unlink()


# ---------------------------------------------------------------------------------------------------- what stands there


@ROOT_ONLY
def test_devices_are_not_opened(pristine, small):
    add_rows(small, record_row("pkg/null.py", b"x"), record_row("pkg/zero.py", b"x"))
    os.mknod(small.module.parent / "null.py", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.mknod(small.module.parent / "zero.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))  # reads without end
    check = pristine.json("check", small.env, status=1)
    assert files(check)["modified"] == 2
    assert any("device" in finding["why"] for finding in check["findings"])


def test_links_loops_and_fifos(pristine, small, tmp_path):
    outside = tmp_path / "same.py"
    outside.write_bytes(SOURCE)
    for name, make in {"link.py": lambda path: path.symlink_to(outside), "loop.py": lambda path: path.symlink_to("loop.py"),
                       "fifo.py": os.mkfifo, "inside.py": lambda path: path.symlink_to("m.py")}.items():
        make(small.module.parent / name)
        add_rows(small, record_row(f"pkg/{name}", SOURCE))
    check = pristine.json("check", small.env, status=1)
    assert files(check)["modified"] == 4  # the bytes behind the link are right, and still nobody installed a link


def test_a_package_that_is_a_link_to_a_perfect_copy(pristine, small, tmp_path):
    shutil.move(small.module.parent, tmp_path / "pkg")
    small.module.parent.symlink_to(tmp_path / "pkg")
    check = pristine.json("check", small.env, status=1)
    assert "file-unreadable" in rules_at(check, small.module.parent)
    assert files(check)["unreadable"] == 2


@pytest.mark.parametrize("what", ["lib", "lib/python3.11", "lib/python3.11/site-packages"])
def test_modules_behind_a_link_are_not_known_to_be_clean(pristine, small, tmp_path, what):
    shutil.move(small.env / what, tmp_path / "moved")
    (small.env / what).symlink_to(tmp_path / "moved")
    check = pristine.json("check", small.env, status=3)
    assert check["verdict"] == "unknown"
    assert [unknown["what"] for unknown in check["unknown"] if unknown["in_scope"]] == [what]


@pytest.mark.parametrize("what", ["file", "cache"])
def test_bytecode_behind_a_link(pristine, small, tmp_path, what):
    """Python reads a link like the file: an unchecked one there runs in the place of the source."""
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / small.bytecode.name).write_bytes(b"\xa7\r\r\n\x01" + bytes(11) + b"\xe3code")
    if what == "cache":
        small.bytecode.parent.rmdir()
        small.bytecode.parent.symlink_to(tmp_path / "cache")
    else:
        small.bytecode.symlink_to(tmp_path / "cache" / small.bytecode.name)
    check = pristine.json("check", small.env, status=1)
    assert rules_at(check, small.bytecode if what == "file" else small.bytecode.parent) == {"unowned-module"}


def test_metadata_that_would_hang(pristine, small):
    for name in ("INSTALLER", "direct_url.json", "entry_points.txt"):
        path = site(small) / "pkg-1.0.dist-info" / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    (small.env / "pyvenv.cfg").unlink()
    os.mkfifo(small.env / "pyvenv.cfg")
    pristine("check", small.env, status=None, timeout=20)


# ---------------------------------------------------------------------------------------------------- the moment


@contextlib.contextmanager
def background(code, *arguments):
    """A second process that does something over and over, until the block ends."""
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE)
    process.stdout.readline()  # it has begun
    try:
        yield
    finally:
        process.kill()
        process.wait()


def test_a_file_that_changes_while_it_is_read(pristine, small):
    rewrite = ("import os, sys\nfd = os.open(sys.argv[1], os.O_RDWR)\nprint(flush=True)\nn = 0\n"
               "while True:\n n += 1\n os.pwrite(fd, b'%08d' % n, (n * 4096) % (8 << 20))\n")
    big = small.module.parent / "big.bin"
    big.write_bytes(bytes(8 << 20))
    add_rows(small, record_row("pkg/big.bin", bytes(8 << 20)))
    with background(rewrite, big):
        time.sleep(0.1)
        for _ in range(5):
            check = pristine.json("check", small.env, status=None)
            assert check["verdict"] != "clean"
            assert files(check)["modified"] + files(check)["unreadable"] == 1


SWAP_DIRECTORY = """
import ctypes, sys
libc = ctypes.CDLL(None)
a, b = (name.encode() for name in sys.argv[1:3])
print(flush=True)
while True:
    libc.renameat2(-100, a, -100, b, 2)  # RENAME_EXCHANGE
"""


@pytest.mark.parametrize("what", ["package", "site"])
def test_directories_swapped_for_links_during_apply(pristine, small, tmp_path, what):
    """The link leads to another dirty copy: whatever happens, that one is never touched."""
    small.debug("/nowhere/x_tp%d.pt")
    real = small.module.parent if what == "package" else site(small)
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(real, elsewhere, symlinks=True)
    before = snapshot(elsewhere)
    link = real.parent / "link"
    link.symlink_to(elsewhere)
    statuses = set()
    for round_ in range(12):
        pristine("plan", small.env, status=None)
        with background(SWAP_DIRECTORY, real, link):
            statuses.add(pristine("apply", "--yes", status=None).status)
        if real.is_symlink():
            ctypes.CDLL(None).renameat2(-100, os.fsencode(real), -100, os.fsencode(link), 2)
        assert not differences(before, snapshot(elsewhere))
        undone = pristine("undo", "--yes", status=None)
        assert undone.status in (0, 2, 4), undone.err
        if small.module.read_bytes() == SOURCE:
            small.debug("/nowhere/x_tp%d.pt")
    assert statuses <= {0, 1, 2, 4, 5}


def test_dumps_swapped_for_links_during_quarantine(pristine, small, tmp_path):
    """Somebody who owns the directory of the dumps puts links to a victim in their place."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "kept.pt").write_bytes(dumps.torch_zip())
    before = snapshot(victim)
    place = Path("/tmp/swapped")
    for round_ in range(12):
        place.mkdir()
        small.debug(f"{place}/x_tp%d.pt") if round_ == 0 else None
        for rank in range(4):
            (place / f"x_tp{rank}.pt").write_bytes(dumps.torch_zip())
            (place / f"link{rank}").symlink_to(victim / "kept.pt")
        pristine("plan", small.env, status=None)
        with background(SWAP_DIRECTORY, place / "x_tp1.pt", place / "link1"):
            pristine("apply", "--yes", status=None)
        assert not differences(before, snapshot(victim))
        pristine("undo", "--yes", status=None)
        shutil.rmtree(place)


def test_hard_links_to_files_elsewhere(pristine, small, tmp_path):
    """A planted hard link under a dump's name is somebody's file: shown, not taken."""
    small.debug("/tmp/planted_tp%d.pt")
    Path("/tmp/planted_tp0.pt").write_bytes(dumps.torch_zip())
    Path("/tmp/payroll").write_bytes(dumps.torch_zip((3.0, 4.0)))
    os.link("/tmp/payroll", "/tmp/planted_tp1.pt")
    pristine.json("plan", small.env, status=1)
    pristine("apply", "--yes", status=None)
    assert Path("/tmp/payroll").exists() and Path("/tmp/planted_tp1.pt").exists()
    assert Path("/tmp/payroll").stat().st_nlink == 2
    assert not Path("/tmp/planted_tp0.pt").exists()
    pristine("undo", "--yes")
    for name in ("payroll", "planted_tp0.pt", "planted_tp1.pt"):
        Path("/tmp", name).unlink()


# ---------------------------------------------------------------------------------------------------- rights and room


@pytest.fixture
def as_nobody(pristine, tmp_path):
    """The program run by another user, from a place that user may enter."""
    place = Path("/var/tmp/nobody")
    place.mkdir()
    shutil.copy(pristine.program, place / "pristine")
    os.chmod(place, 0o777)

    def run(*arguments):
        return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", place / "pristine",
                               f"--state-dir={place}/state", *map(str, arguments)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60, cwd=place)

    yield place, run
    shutil.rmtree(place)


@ROOT_ONLY
def test_no_permission_is_no_clean(as_nobody):
    place, run = as_nobody
    small = Small(place / "env")
    os.chmod(small.module, 0o600)
    done = run("check", place / "env", "--format=json")
    assert done.returncode == 3, done.stdout + done.stderr
    check = json.loads(done.stdout)
    assert check["verdict"] == "unknown" and files(check)["unreadable"] == 1
    assert any("m.py" in unknown["what"] and unknown["in_scope"] for unknown in check["unknown"])
    os.chmod(small.module, 0o644)
    os.chmod(small.module.parent, 0o700)
    done = run("check", place / "env", "--format=json")
    assert done.returncode == 3, done.stdout + done.stderr
    assert files(json.loads(done.stdout))["unreadable"] == 2


@ROOT_ONLY
@pytest.mark.parametrize("what", ["lib", "lib/python3.11", "lib/python3.11/site-packages",
                                  "lib/python3.11/site-packages/pkg/__pycache__"])
def test_a_directory_that_may_not_be_entered_is_no_clean(as_nobody, what):
    place, run = as_nobody
    small = Small(place / "env")
    os.chmod(small.env / what, 0)
    done = run("check", place / "env", "--format=json")
    assert done.returncode == 3, done.stdout + done.stderr
    assert any(unknown["what"].startswith(what) and unknown["in_scope"] for unknown in json.loads(done.stdout)["unknown"])


@ROOT_ONLY
def test_no_permission_to_repair_changes_nothing(as_nobody):
    place, run = as_nobody
    small = Small(place / "env")
    small.debug("/nowhere/x_tp%d.pt")
    before = snapshot(place / "env")
    assert run("plan", place / "env").returncode == 1
    done = run("apply", "--yes")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "permission" in done.stderr.lower() or "may not" in done.stderr.lower(), done.stderr
    assert not differences(before, snapshot(place / "env"))


def mount(kind, target, data=None, flags=0, source=b"none"):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source, os.fsencode(target), kind, ctypes.c_ulong(flags), data) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def unmount(target):
    ctypes.CDLL(None).umount2(os.fsencode(target), 2)


def fill(place):
    with contextlib.suppress(OSError), open(Path(place) / "filler", "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@ROOT_ONLY
@pytest.mark.parametrize("what", ["state", "environment"])
def test_a_full_disk(pristine, tmp_path, what):
    place = tmp_path / "small-disk"
    place.mkdir()
    mount(b"tmpfs", place, b"size=1m")
    try:
        small = Small((place if what == "environment" else tmp_path) / "env")
        small.debug("/nowhere/x_tp%d.pt")
        if what == "state":
            pristine.state_dir = place / "state"
        else:
            pristine("plan", small.env, status=1)
        fill(place)
        before = snapshot(small.env)
        if what == "state":
            done = pristine("plan", small.env, status=2)
        else:
            done = pristine("apply", "--yes", status=None)
            assert done.status in (2, 4, 5)
        assert "space" in done.err or "full" in done.err, done.err
        if done.status == 5:
            pristine("undo", "--yes", status=None)
        assert not differences(before, snapshot(small.env))
    finally:
        unmount(place)


@ROOT_ONLY
def test_a_read_only_environment(pristine, small):
    small.debug("/nowhere/x_tp%d.pt")
    pristine("plan", small.env, status=1)
    mount(None, small.env, flags=4096, source=os.fsencode(small.env))  # MS_BIND
    mount(None, small.env, flags=4096 | 32 | 1, source=os.fsencode(small.env))  # | MS_REMOUNT | MS_RDONLY
    try:
        before = snapshot(small.env)
        pristine("check", small.env, status=1)
        done = pristine("apply", "--yes", status=4)
        assert "read-only" in done.err.lower(), done.err
        assert not differences(before, snapshot(small.env))
    finally:
        unmount(small.env)


@pytest.mark.parametrize("installer", ["conda", "debian", "rpm"])
def test_an_installer_that_was_written_over_makes_nothing_clean(pristine, small, installer):
    """The word INSTALLER hands a distribution to a package manager, whose hashes are not read: unknown, never clean."""
    small.edit(b"    breakpoint()\n")
    (site(small) / "pkg-1.0.dist-info" / "INSTALLER").write_text(f"{installer}\n")
    check = pristine.json("check", small.env, status=None)
    assert check["verdict"] == "unknown"
