"""The program killed, or its calls failing, at every point at which it changes a disk: nothing is ever lost.

tests/crash/shim.c does the harm. Each loop goes on until the command gets through unharmed, so that every point is tried,
whatever their number; after each, `undo` must give the tree as it was before, to the last attribute, and `apply` again
the clean one.
"""

import errno
import itertools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import dumps
from small import SOURCE, Small
from tree import differences, snapshot

CHECKOUT = Path(__file__).resolve().parents[2]
SHIM = CHECKOUT / "build" / "tests" / "crash" / "libcrash_shim.so"
KILLED = -9
POINTS_MIN = 60  # fewer would mean that the shim does not see the calls


class World:
    """A dirty environment with two dumps and a plan to clean it, all on one memory file system, made anew each time."""

    def __init__(self, place):
        self.place = Path(place)
        self.program = os.environ.get("PRISTINE", str(CHECKOUT / "build" / "pristine"))

    def make(self):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        self.dumps = self.place / "dumps"
        self.dumps.mkdir()
        self.small = Small(self.place / "env")
        self.small.debug(f"{self.dumps}/small_debug_tp%d.pt")
        for rank in range(2):
            (self.dumps / f"small_debug_tp{rank}.pt").write_bytes(dumps.torch_zip())
        os.chmod(self.small.module, 0o640)
        if os.geteuid() == 0:
            os.chown(self.small.module, 1, 1)
        os.setxattr(self.small.module, "user.note", b"kept")
        self.dirty = self.state()
        self.run("plan", self.place / "env", status=1)

    def state(self):
        return snapshot(self.place / "env", self.dumps)

    def run(self, *arguments, status=None, **harm):
        environment = {**os.environ, **{name: str(value) for name, value in harm.items()}}
        if harm:
            environment["LD_PRELOAD"] = str(SHIM)
        done = subprocess.run([self.program, f"--state-dir={self.place}/state", *map(str, arguments)],
                              capture_output=True, env=environment, stdin=subprocess.DEVNULL, timeout=60)
        self.shown = f"{arguments} {harm} -> {done.returncode}\n{done.stdout.decode()}\n{done.stderr.decode()}"
        assert done.returncode == KILLED or 0 <= done.returncode <= 5, self.shown
        assert status is None or done.returncode == status, self.shown
        return done

    def assert_dirty(self):
        assert not differences(self.dirty, self.state()), (differences(self.dirty, self.state()), self.shown)

    def assert_clean(self):
        assert self.small.module.read_bytes() == SOURCE, self.shown
        assert os.getxattr(self.small.module, "user.note") == b"kept"
        assert self.small.module.stat().st_mode & 0o7777 == 0o640
        assert not self.small.bytecode.exists()
        assert not list(self.dumps.glob("*.pt"))
        strays = [path for path in self.place.joinpath("env").rglob(".pristine*")]
        assert not strays, strays
        self.run("verify", status=0)


@pytest.fixture
def world(tmp_path):
    assert SHIM.exists(), "build first: tools/test does"
    place = Path("/dev/shm") / f"pristine-crash-{os.getpid()}"
    yield World(place)
    shutil.rmtree(place, ignore_errors=True)


def undo(world):
    world.run("undo", "--yes", status=0)
    world.assert_dirty()


def apply_again(world):
    world.run("apply", "--yes", status=0)
    world.assert_clean()
    undo(world)


def go_through(world, command, harm, recover, prepare=lambda world: None):
    """Harms `command` at its first point, its second, …, and recovers each time; gives the number of points."""
    for point in itertools.count(1):
        world.make()
        prepare(world)
        done = world.run(command, "--yes", **{harm: point})
        if done.returncode == 0:
            return point - 1
        assert done.returncode == KILLED, world.shown
        recover(world)


@pytest.mark.parametrize("harm", ["CRASH_KILL_AT", "CRASH_TEAR_AT"])
@pytest.mark.parametrize("recover", [undo, apply_again])
def test_apply_killed_at_every_point(world, harm, recover):
    if harm == "CRASH_TEAR_AT":  # only calls that write are torn: the others go through, and the loop must go on
        return tear_through(world, recover)
    assert go_through(world, "apply", harm, recover) >= POINTS_MIN


def tear_through(world, recover):
    torn = 0
    world.make()
    points = len(logged(world, "apply"))
    for point in range(1, points + 1):
        world.make()
        done = world.run("apply", "--yes", CRASH_TEAR_AT=point)
        if done.returncode == KILLED:
            torn += 1
            recover(world)
        else:
            assert done.returncode == 0, world.shown
    assert torn >= 20


def applied(world):
    world.run("apply", "--yes", status=0)


def test_undo_killed_at_every_point(world):
    assert go_through(world, "undo", "CRASH_KILL_AT", undo, prepare=applied) >= POINTS_MIN


ERRORS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES]


@pytest.mark.parametrize("harm", ["CRASH_FAIL_AT", "CRASH_FAIL_FROM"])
@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_apply_with_every_call_failing(world, harm, number):
    """One call fails, or all from one on: a message, a status that says what is so, and the way back."""
    world.make()
    points = len(logged(world, "apply"))
    assert points >= POINTS_MIN
    for point in range(1, points + 1):
        world.make()
        done = world.run("apply", "--yes", CRASH_ERRNO=number, **{harm: point})
        if done.returncode == 0:
            world.assert_clean()
        elif done.returncode == 4:
            world.assert_dirty()
        assert done.returncode == 0 or done.stderr, world.shown
        undo(world) if point % 2 else apply_again(world)


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_undo_with_every_call_failing(world, number):
    world.make()
    applied(world)
    points = len(logged(world, "undo"))
    for point in range(1, points + 1):
        world.make()
        applied(world)
        done = world.run("undo", "--yes", CRASH_ERRNO=number, CRASH_FAIL_AT=point)
        assert done.returncode == 0 or done.stderr, world.shown
        undo(world)


def logged(world, command):
    """The calls of an unharmed run: (name, path, other path)."""
    log = world.place / "calls"
    world.run(command, "--yes", status=0, CRASH_LOG=log)
    return [line.split("\t") for line in log.read_text(errors="surrogateescape").splitlines()]


def is_synced(calls, start, end, path):
    return any(call[0] in ("fsync", "fdatasync") and call[1] == path for call in calls[start:end])


@pytest.mark.parametrize("command", ["apply", "undo"])
def test_what_must_be_durable_is_flushed_in_time(world, command):
    """For every change of a name in the environment or among the dumps: what goes in is flushed before, its directory after,
    and the journal before and after, so that a power cut between any two calls leaves what the journal can settle."""
    world.make()
    if command == "undo":
        applied(world)
    calls = logged(world, command)
    state, ours = f"{world.place}/state/", (f"{world.place}/env/", f"{world.place}/dumps/")
    renames = [i for i, call in enumerate(calls)
               if call[0] in ("rename", "exchange") and call[2].startswith(ours)]
    assert len(renames) >= 3
    for at in renames:
        name, source, target = calls[at]
        written = [i for i in range(at) if calls[i][0] == "write" and calls[i][1] == source]
        if written:
            assert is_synced(calls, written[-1], at, source), f"{source} is renamed before it is flushed"
        later = next((i for i in range(at, len(calls)) if calls[i][0] == "write" and calls[i][1].startswith(state)),
                     len(calls))
        for directory in {os.path.dirname(source), os.path.dirname(target)}:
            assert is_synced(calls, at, later, directory), f"{directory} is not flushed before the step counts as done"
        journal = [i for i in range(at) if calls[i][0] == "write" and calls[i][1].startswith(state)
                   and not calls[i][1].endswith("-shm")]
        assert journal, "nothing was written down before the first change"
        assert any(call[0] in ("fsync", "fdatasync") and call[1].startswith(state)
                   for call in calls[journal[-1]:at]), "the journal is not flushed before the act"


def test_before_images_are_durable_first(world):
    world.make()
    calls = logged(world, "apply")
    objects = f"{world.place}/state/objects"
    first = next(i for i, call in enumerate(calls) if call[1].startswith(f"{world.place}/env/"))
    kept = [i for i, call in enumerate(calls) if call[0] == "rename" and call[2].startswith(objects)]
    assert kept and max(kept) < first
    for at in kept:
        written = max(i for i in range(at) if calls[i][0] == "write" and calls[i][1] == calls[at][1])
        assert is_synced(calls, written, at, calls[at][1])
    assert is_synced(calls, max(kept), first, objects)
