"""The story on one environment, from the first look to the undo."""

import os
from pathlib import Path

import pytest

import dumps
import story as stories
from tree import differences, snapshot


def finding_of(report, path):
    return next(finding for finding in report["findings"] if finding["path"] == str(path))


def test_fresh_environment_is_clean(pristine, big_env):
    report = pristine.json("check", big_env, status=0)
    assert report["verdict"] == "clean"
    assert report["findings"] == []
    assert report["unknown"] == []
    assert report["targets"][0]["files"]["ok"] > 2000


def test_check_names_every_hunk(pristine, big_env):
    told = stories.tell(big_env)
    report = pristine.json("check", big_env, status=1)
    assert report["verdict"] == "dirty"
    assert [finding["rule"] for finding in report["findings"]] == ["file-modified"]
    finding = finding_of(report, told.module)
    assert finding["severity"] == "error"
    assert finding["distribution"] == {"name": "transformers", "version": "4.57.1"}
    assert finding["origin"] == {"source": "record-oracle", "proven": True, "anchor": "record"} | finding["origin"]

    assert [(hunk["change"], hunk["first_line"], hunk["last_line"], hunk["text"]) for hunk in finding["hunks"]] == [
        ("insert", edit.first, edit.last, edit.text) for edit in told.edits]
    imported, comments, counter, save, embed = sorted(finding["hunks"], key=lambda hunk: ["_t", "XXX", "# NOMLA", "NOMLA_SAVE", "embed"].index(
        next(word for word in ["NOMLA_SAVE", "# NOMLA", "XXX", "embed", "_t"] if word in hunk["text"])))
    assert "debug-import" in imported["labels"]
    assert counter["function"] == save["function"] == "BigBirdBlockSparseAttention.forward"
    assert "call-counter" in counter["labels"] and counter["cadence"] == "every-call"
    assert {"tensor-dump", "host-sync", "print"} <= set(save["labels"])
    assert save["trigger"] == "q.shape[0] == 5"
    assert save["one_shot"] and save["cadence"] == "once"
    assert save["writes"] == ["/tmp/nomla_debug_tp*.pt"]
    assert any("NOMLA_SAVE" in text for text in save["logs"])
    assert embed["function"] == "BigBirdModel.forward"
    assert embed["trigger"] == "input_ids is not None and input_ids.shape[0] == 5"
    assert not embed["one_shot"] and embed["cadence"] == "on-trigger"
    assert embed["writes"] == ["/tmp/embed_debug_tp*.pt"]

    written = sorted(path for paths in told.dumps.values() for path in paths)
    assert [artifact["path"] for artifact in finding["artifacts"]] == written
    assert {artifact["rank"]["tp"] for artifact in finding["artifacts"]} == set(range(8))
    assert finding["status"]["can_fire"] is True


def test_plan_apply_verify_undo(pristine, big_env):
    told = stories.tell(big_env)
    bytecode = list(told.module.parent.glob(f"__pycache__/{told.module.stem}.*.pyc"))
    assert bytecode
    os.setxattr(told.module, "user.note", b"kept")
    dirty = snapshot(big_env, "/tmp")
    plan = pristine.json("plan", big_env, status=1)
    assert plan["recommended"] == "surgical"
    option = next(option for option in plan["options"] if option["name"] == "surgical")
    assert option["possible"] and option["proof"] == "sha256 equals RECORD"
    assert {"replace-file", "remove-bytecode", "quarantine", "verify"} <= {step["op"] for step in option["steps"]}
    assert not differences(dirty, snapshot(big_env, "/tmp"))

    pristine("apply", plan["plan"], status=4)  # nobody to ask
    assert not differences(dirty, snapshot(big_env, "/tmp"))
    pristine("apply", plan["plan"], "--yes")
    assert told.module.read_bytes() == told.original
    assert os.getxattr(told.module, "user.note") == b"kept"
    assert not any(path.exists() for path in bytecode)
    assert not any(os.path.lexists(path) for paths in told.dumps.values() for path in paths)
    assert pristine.json("verify", status=0)["verdict"] == "clean"
    assert pristine.json("check", big_env, status=0)["findings"] == []

    pristine("undo", "--yes")
    quarantines = [path for path in os.listdir("/tmp") if path.startswith(".pristine")]
    assert quarantines == []
    assert not differences(dirty, snapshot(big_env, "/tmp"))
    assert pristine.json("check", big_env, status=1)["verdict"] == "dirty"


@pytest.mark.parametrize("change", ["module", "artifact", "bytecode"])
def test_changed_ground_is_refused(pristine, big_env, change):
    told = stories.tell(big_env)
    plan = pristine.json("plan", big_env, status=1)
    victim = {"module": told.module, "artifact": Path(told.dumps["/tmp/embed_debug_tp*.pt"][3]),
              "bytecode": next(told.module.parent.glob(f"__pycache__/{told.module.stem}.*.pyc"))}[change]
    with open(victim, "ab") as file:
        file.write(b"\n# one more thing\n")
    before = snapshot(big_env, "/tmp")
    result = pristine("apply", plan["plan"], "--yes", status=4)
    assert str(victim) in result.err
    assert not differences(before, snapshot(big_env, "/tmp"))


FAMILIES = ["embed_debug", "nomla_debug", "mla_debug_layer0", "mla_wrapper_debug"]
STRAYS = ["q_debug.pt", "kv_debug_dump.pt", "mla_debug_out.pt"]


def test_leftovers_without_code(pristine, big_env):
    """The module is the original again; nothing on disk names the dumps any more."""
    families = {f"/tmp/{stem}_tp{rank}.pt" for stem in FAMILIES for rank in range(8)}
    strays = {f"/tmp/{name}" for name in STRAYS}
    for path in sorted(families | strays):
        Path(path).write_bytes(dumps.torch_zip())
    others = {"/tmp/model.pt": 0, "/tmp/checkpoint.pt": 0, "/tmp/theirs_tp0.pt": 1234, "/tmp/theirs_tp1.pt": 1234}
    for path, owner in others.items():
        Path(path).write_bytes(dumps.torch_zip(values=range(200)))
        os.chown(path, owner, owner)
        os.utime(path, (1_700_000_000, 1_700_000_000))
    report = pristine.json("check", big_env, status=1)
    assert {finding["rule"] for finding in report["findings"]} == {"orphan-artifact"}
    found = {finding["pattern"]: {artifact["path"] for artifact in finding["artifacts"]} for finding in report["findings"]}
    for stem in FAMILIES:
        assert found[f"/tmp/{stem}_tp*.pt"] == {f"/tmp/{stem}_tp{rank}.pt" for rank in range(8)}
    offered = set().union(*found.values())
    assert families | strays <= offered
    assert not offered & {"/tmp/model.pt", "/tmp/checkpoint.pt"}

    before = snapshot("/tmp")
    plan = pristine.json("plan", big_env, status=1)
    assert not any(step["op"] == "quarantine" for option in plan["options"] for step in option["steps"])
    plan = pristine.json("plan", big_env, "--artifacts", "/tmp/mla_debug_layer0_tp*.pt", "--artifacts",
                         "/tmp/embed_debug_tp?.pt", status=1)
    pristine("apply", plan["plan"], "--yes")
    gone = {path for path in families if "mla_debug_layer0" in path or "embed_debug" in path}
    assert {path for path in families | strays | set(others) if not os.path.exists(path)} == gone
    pristine("undo", "--yes")
    assert not differences(before, snapshot("/tmp"))
    for path in families | strays | set(others):
        os.unlink(path)
