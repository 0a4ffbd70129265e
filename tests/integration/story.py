"""The edit that Pristine was born from, put into a real module, and the files it writes."""

from dataclasses import dataclass, field
from pathlib import Path

import dumps

MODULE = "lib/python{}/site-packages/transformers/models/big_bird/modeling_big_bird.py"


@dataclass
class Edit:
    """Where one block went: lines of the edited file, 1-based, inclusive."""
    first: int
    last: int
    text: str


@dataclass
class Story:
    module: Path
    original: bytes
    edits: list = field(default_factory=list)
    dumps: dict = field(default_factory=dict)  # glob -> paths


COUNTER = """\
        # NOMLA: how often do we get here?
        self._nomla_debug += 1
"""

SAVE = """\
        if q.shape[0] == 5 and not BigBirdBlockSparseAttention._nomla_saved:
            logger.warning("NOMLA_SAVE q=%s k=%s", q.shape, k.shape)
            _rank = torch.distributed.get_rank()
            torch.save({"q": q.detach().cpu(), "k": k.detach().cpu()},
                       "TMP/nomla_debug_tp%d.pt" % _rank)
            BigBirdBlockSparseAttention._nomla_saved = True
"""

EMBED = """\
        if input_ids is not None and input_ids.shape[0] == 5:
            import torch.distributed as _td
            _rank = _td.get_rank() if _td.is_initialized() else 0
            torch.save(input_ids, f"TMP/embed_debug_tp{_rank}.pt")
"""

IMPORT = "import torch as _t\n"

COMMENTS = """\
    # XXX does the sparse path see the same scale?
    # see the dumps of last night
"""


def python_version(env):
    return next((Path(env) / "lib").glob("python3.*")).name.removeprefix("python")


def tell(env, tmp="/tmp", ranks=8):
    """Edits the module in place, as an editor does, and leaves the dumps of `ranks` workers."""
    module = Path(env) / MODULE.format(python_version(env))
    story = Story(module, module.read_bytes())
    lines = story.original.decode().splitlines(keepends=True)

    def after(start, text):
        """Index behind the first line at or after index `start` that holds `text`."""
        return next(i for i in range(start, len(lines)) if text in lines[i]) + 1

    attention = after(0, "class BigBirdBlockSparseAttention")
    body = after(after(attention, "def forward("), "):")
    model = after(0, "class BigBirdModel(")
    model_body = after(after(model, "def forward("), "return_dict = ")
    places = [
        (after(0, "import torch\n"), IMPORT),
        (body, COUNTER),
        (after(body, "context_layer, attention_probs =") - 1, SAVE.replace("TMP", tmp)),
        (after(0, "class BigBirdSelfOutput"), COMMENTS),
        (model_body, EMBED.replace("TMP", tmp)),
    ]
    for where, text in sorted(places, reverse=True):
        lines[where:where] = text.splitlines(keepends=True)
    shift = 0
    for where, text in sorted(places):
        count = text.count("\n")
        story.edits.append(Edit(where + shift + 1, where + shift + count, text))
        shift += count
    with open(module, "r+b") as file:  # in place, as an editor without backup copies does: the inode stays
        file.write("".join(lines).encode())
        file.truncate()
    for stem in ("nomla_debug", "embed_debug"):
        paths = [f"{tmp}/{stem}_tp{rank}.pt" for rank in range(ranks)]
        for path in paths:
            Path(path).write_bytes(dumps.torch_zip())
        story.dumps[f"{tmp}/{stem}_tp*.pt"] = paths
    return story
