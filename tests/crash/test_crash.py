"""The program killed, or its calls failing, at every point at which it changes a disk: nothing is ever lost.

tests/crash/shim.c does the harm. Each loop goes on until the command gets through unharmed, so that every point is tried,
whatever their number; after each, `undo` must give the tree as it was before, to the last attribute, and `apply` again
the clean one.
"""

import errno
import itertools
import os
import random
import shutil
from pathlib import Path

import pytest

from world import KILLED, SHIM, World

POINTS_MIN = 60  # fewer would mean that the shim does not see the calls
BESIDE, ELSEWHERE, DELETE = (), ("--quarantine={quarantine}",), ("--delete",)
PLAIN = {"CRASH_PLAIN": 1}
# Each way of `apply`, on a file system that can exchange names and on one that cannot.
WAYS = pytest.mark.parametrize("world", [(BESIDE, None), (ELSEWHERE, None), (DELETE, None), (BESIDE, PLAIN),
                                         (ELSEWHERE, PLAIN)],
                               ids=["beside", "elsewhere", "delete", "beside-plain", "elsewhere-plain"], indirect=True)


@pytest.fixture
def world(request):
    assert SHIM.exists(), "build first: tools/test does"
    apply, always = getattr(request, "param", (BESIDE, None))
    world = World(Path("/dev/shm") / f"pristine-crash-{os.getpid()}", apply, always)
    yield world
    world.remove()


def applied(world):
    world.make()
    world.apply(status=0)


def harmed_at_every_point(prepare, act, harm, recover):
    """Harms at the first point, the second, … until the command gets through; gives the number of points."""
    for point in itertools.count(1):
        prepare()
        done = act(**{harm: point})
        if done.returncode == 0:
            return point - 1
        assert done.returncode == KILLED, done
        recover()


@WAYS
def test_apply_killed_at_every_point_then_undone(world):
    assert harmed_at_every_point(world.make, world.apply, "CRASH_KILL_AT", world.undo_and_compare) >= POINTS_MIN


@WAYS
def test_apply_killed_at_every_point_then_applied(world):
    assert harmed_at_every_point(world.make, world.apply, "CRASH_KILL_AT", world.apply_again_and_undo) >= POINTS_MIN


@WAYS
def test_undo_killed_at_every_point(world):
    points = harmed_at_every_point(lambda: applied(world), world.undo, "CRASH_KILL_AT", world.undo_and_compare)
    assert points >= POINTS_MIN


@pytest.mark.parametrize("recover", [World.undo_and_compare, World.apply_again_and_undo])
def test_every_write_torn(world, recover):
    world.make()
    torn = 0
    for point in range(1, len(world.calls_of_apply()) + 1):
        world.make()
        done = world.apply(CRASH_TEAR_AT=point)
        if done.returncode != KILLED:  # no call that writes
            assert done.returncode == 0, world.shown
            continue
        torn += 1
        recover(world)
    assert torn >= 20


@WAYS
def test_killed_again_while_recovering(world):
    """A second crash, in the middle of what a first one made necessary."""
    random_ = random.Random(2)
    for point in itertools.count(1, 2):
        world.make()
        done = world.apply(CRASH_KILL_AT=point)
        if done.returncode == 0:
            break
        for _ in range(3):
            (world.undo if random_.random() < 0.7 else world.apply)(CRASH_KILL_AT=random_.randint(1, POINTS_MIN))
        world.undo_and_compare()


@pytest.mark.parametrize("world", [(BESIDE, None), (ELSEWHERE, None)], ids=["beside", "elsewhere"], indirect=True)
def test_ctrl_c_at_every_point(world):
    world.make()
    statuses = set()
    for point in range(1, len(world.calls_of_apply()) + 1):
        world.make()
        done = world.apply(CRASH_STOP_AT=point)
        statuses.add(done.returncode)
        if done.returncode == 4:
            world.assert_dirty()
        world.undo_and_compare() if point % 2 else world.apply_again_and_undo()
    assert statuses >= {4, 5}


def test_short_writes(world):
    """A write that takes half of what it was given is no error: the rest follows."""
    world.make()
    for point in range(1, len(world.calls_of_apply()) + 1):
        world.make()
        world.apply(status=0, CRASH_SHORT_AT=point)
        world.assert_clean()


# ---------------------------------------------------------------------------------------------------- calls that fail

ERRORS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES, errno.EINTR]


def assert_told(world, done):
    """A status that says what is so, and a message where it is not "done"."""
    if done.returncode == 0:
        world.assert_clean()
    elif done.returncode == 4:
        world.assert_dirty()
    assert done.returncode in (0, 4, 5), world.shown
    assert done.returncode == 0 or done.stderr, world.shown


def fail_through(world, harm, number, *options):
    world.make()
    points = len(world.calls_of_apply())
    assert points >= POINTS_MIN
    for point in range(1, points + 1):
        world.make()
        done = world.run("apply", "--yes", *world.apply_options, *options, CRASH_ERRNO=number, **{harm: point})
        yield point, done


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
@pytest.mark.parametrize("world", [(BESIDE, None), (ELSEWHERE, PLAIN)], ids=["beside", "elsewhere-plain"], indirect=True)
def test_apply_with_every_call_failing(world, number):
    for point, done in fail_through(world, "CRASH_FAIL_AT", number):
        assert_told(world, done)
        world.undo_and_compare() if point % 2 else world.apply_again_and_undo()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS], ids=errno.errorcode.get)
def test_apply_with_every_call_failing_from_one_on(world, number):
    for point, done in fail_through(world, "CRASH_FAIL_FROM", number):
        assert_told(world, done)
        world.undo_and_compare() if point % 2 else world.apply_again_and_undo()


def test_apply_that_takes_itself_back(world):
    """--on-failure=undo: either all is done, or all is as it was; 5 only where the way back failed too."""
    for _, done in fail_through(world, "CRASH_FAIL_AT", errno.ENOSPC, "--on-failure=undo"):
        assert_told(world, done)
        world.undo_and_compare()


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.get)
def test_undo_with_every_call_failing(world, number):
    applied(world)
    points = len(world.calls("undo", "--yes"))
    for point in range(1, points + 1):
        applied(world)
        done = world.undo(CRASH_ERRNO=number, CRASH_FAIL_AT=point)
        assert done.returncode == 0 or done.stderr, world.shown
        world.undo_and_compare()


# ---------------------------------------------------------------------------------------------------- other commands


@pytest.mark.parametrize("harm", ["CRASH_KILL_AT", "CRASH_FAIL_AT"])
@pytest.mark.parametrize("command", ["check", "plan", "accept"])
def test_what_only_remembers(world, command, harm):
    """Whatever happens to a command that changes the state directory alone: the environment is untouched, and the same
    command does its work the next time."""
    world.make(plan=False)
    arguments = [world.small.module, "--reason", "test"] if command == "accept" else [world.env]
    good = 0 if command == "accept" else 1
    if command == "accept":
        world.run("check", world.env, status=1)
    points = len(world.calls(command, *arguments, status=good))
    assert points > 10
    for point in range(1, points + 1):
        world.make(plan=False)
        if command == "accept":
            world.run("check", world.env, status=1)
        done = world.run(command, *arguments, **{harm: point, "CRASH_ERRNO": errno.EIO})
        assert done.returncode in ((KILLED,) if harm == "CRASH_KILL_AT" else (good, 2, 4)), world.shown
        assert done.returncode in (KILLED, good) or done.stderr, world.shown
        world.assert_dirty()
        again = world.run(command, *arguments, status=good)
        assert not again.stderr, world.shown


@pytest.mark.parametrize("world", [(BESIDE, None), (ELSEWHERE, None)], ids=["beside", "elsewhere"], indirect=True)
def test_purge_killed_at_every_point(world):
    def purged():
        world.run("purge", "--yes", status=0)
        assert not [path for place in (world.dumps, world.quarantine) for path in place.rglob("*")], world.shown
        world.deletes = True
        world.undo_and_compare()
        world.deletes = False

    assert harmed_at_every_point(lambda: applied(world), lambda **harm: world.run("purge", "--yes", **harm),
                                 "CRASH_KILL_AT", purged) >= 20


# ---------------------------------------------------------------------------------------------------- order


def is_synced(calls, start, end, path):
    return any(call[0] in ("fsync", "fdatasync") and call[1] == path for call in calls[start:end])


@WAYS
@pytest.mark.parametrize("command", ["apply", "undo"])
def test_what_must_be_durable_is_flushed_in_time(world, command):
    """For every change of a name in the environment or among the dumps: what goes in is flushed before, its directory after,
    and the journal before and after, so that a power cut between any two calls leaves what the journal can settle."""
    world.make() if command == "apply" else applied(world)
    calls = world.calls_of_apply() if command == "apply" else world.calls("undo", "--yes")
    state, ours = f"{world.state_dir}/", (f"{world.env}/", f"{world.dumps}/", f"{world.quarantine}/")
    renames = [i for i, call in enumerate(calls)
               if call[0] in ("rename", "exchange", "link") and call[2].startswith(ours)]
    assert len(renames) >= 2
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
    calls = world.calls_of_apply()
    objects = f"{world.state_dir}/objects"
    first = next(i for i, call in enumerate(calls) if call[1].startswith(f"{world.env}/"))
    kept = [i for i, call in enumerate(calls) if call[0] == "rename" and call[2].startswith(objects)]
    assert kept and max(kept) < first
    for at in kept:
        written = max(i for i in range(at) if calls[i][0] == "write" and calls[i][1] == calls[at][1])
        assert is_synced(calls, written, at, calls[at][1])
    assert is_synced(calls, max(kept), first, objects)
