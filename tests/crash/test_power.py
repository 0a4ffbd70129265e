"""The power cut after every call of `apply` and of `undo` that changes the disk.

A kill leaves what was written; a power cut also takes what was not flushed. tests/crash/power.py tells from the trace of a
run what a disk may hold at each moment. From every such state `undo` must give the tree as it was before the plan.
"""

import os
import random
from pathlib import Path

import pytest

from power import LOST, NAMES, Disk
from test_restore import RestoreWorld
from world import SHIM, World

BESIDE, ELSEWHERE, DELETE = (), ("--quarantine={quarantine}",), ("--delete",)
PLAIN = {"CRASH_PLAIN": 1}
MIXED_PER_POINT = 3


@pytest.fixture(params=[(World, BESIDE, None), (World, ELSEWHERE, None), (World, DELETE, None), (World, BESIDE, PLAIN),
                        (RestoreWorld, BESIDE, None), (RestoreWorld, BESIDE, PLAIN)],
                ids=["beside", "elsewhere", "delete", "plain", "restore", "restore-plain"])
def world(request):
    assert SHIM.exists(), "build first: tools/test does"
    kind, apply, always = request.param
    world = kind(Path("/dev/shm") / f"pristine-power-{os.getpid()}", apply, always)
    yield world
    world.remove()


def lines_of(world, act):
    """The trace of an unharmed run, and the tree before it."""
    trace = world.place.with_suffix(".trace")
    trace.unlink(missing_ok=True)
    disk = Disk(world.place, world.quarantine)
    act(status=0, CRASH_TRACE=trace)
    lines = [line for line in trace.read_text().splitlines()]
    trace.unlink()
    return disk, lines


def cut_everywhere(world, act, recover):
    disk, lines = lines_of(world, act)
    assert len(lines) > 60
    random_ = random.Random(3)
    states = 0
    for line in [None, *lines]:
        if line is not None:
            disk.do(line)
        for how in (LOST, NAMES, *[random_] * MIXED_PER_POINT):
            disk.put(disk.cut(how))
            world.cut = f"after {line and line[:200]!r}: {how}"
            recover()
            states += 1
    return states


def test_power_cut_at_every_point_of_apply(world):
    world.make()
    assert cut_everywhere(world, world.apply, world.undo_and_compare) > 300


def test_power_cut_at_every_point_of_undo(world):
    world.make()
    world.apply(status=0)
    assert cut_everywhere(world, world.undo, world.undo_and_compare) > 300
