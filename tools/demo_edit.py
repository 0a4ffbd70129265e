"""The edit of the demo: what a tired person puts into an installed module, and the files that it wrote."""

import io
import pickle
import sys
import zipfile
from pathlib import Path

env, dumps = Path(sys.argv[1]), sys.argv[2]
module = next(env.glob("lib/python3*/site-packages/rich/console.py"))
lines = module.read_text().splitlines(keepends=True)


def behind(text, start=0):
    return next(i for i in range(start, len(lines)) if text in lines[i]) + 1


method = behind("    def render(")
body = behind('"""', behind('"""', method))
edits = [
    (behind("import zlib\n"), "import torch as _t  # DEBUG\n"),
    (body, "        # how often do we get here?\n        self._dbg_calls = getattr(self, '_dbg_calls', 0) + 1\n"),
    (body, f"""\
        if options is not None and options.max_width == 5 and not getattr(Console, "_dbg_saved", False):
            print("DBG_SAVE", options.size)
            _t.save({{"options": options}}, "{dumps}/render_debug_tp%d.pt" % int(os.environ.get("RANK", 0)))
            Console._dbg_saved = True
"""),
]
for where, text in sorted(edits, reverse=True):
    lines[where:where] = text.splitlines(keepends=True)
module.write_text("".join(lines))

for rank in range(4):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"rank": rank}, protocol=2))
        archive.writestr("archive/version", "3\n")
    Path(dumps, f"render_debug_tp{rank}.pt").write_bytes(out.getvalue())
