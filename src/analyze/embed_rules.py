#!/usr/bin/env python3
"""Writes the folders of rules/ as a C source. Usage: embed_rules.py RULES_DIRECTORY OUTPUT.c [DEPFILE]

Called by Meson at build time. A folder counts as a rule when it holds rule.json and query.scm.
"""
import pathlib
import sys


def c_bytes(data):
    """The bytes as C string literals, one per source line; every byte that C could read otherwise is octal."""
    lines = data.splitlines(keepends=True) or [b""]
    return "\n".join('        "' + "".join(c_char(byte) for byte in line) + '"' for line in lines)


def c_char(byte):
    char = chr(byte)
    return char if 32 <= byte < 127 and char not in '"\\?' else "\\%03o" % byte


def main(directory, output, depfile=None):
    folders = sorted(p for p in pathlib.Path(directory).iterdir() if (p / "rule.json").is_file())
    parts = ['#include "analyze/rules.h"\n']
    for index, folder in enumerate(folders):
        for name, file in (("query", "query.scm"), ("json", "rule.json")):
            data = c_bytes((folder / file).read_bytes())
            parts.append("static const unsigned char %s_%d[] =\n%s;\n" % (name, index, data))
    parts.append("static const struct rule_source sources[] = {")
    for index, folder in enumerate(folders):
        row = '        {"%s", {query_%d, sizeof query_%d - 1}, {json_%d, sizeof json_%d - 1}},'
        parts.append(row % (folder.name, index, index, index, index))
    parts.append("};\n")
    parts.append("const struct rule_source *rules_embedded(size_t *ret_count)\n{")
    parts.append("        *ret_count = sizeof sources / sizeof *sources;\n        return sources;\n}\n")
    pathlib.Path(output).write_text("\n".join(parts), encoding="ascii")
    if depfile:
        inputs = [str(f / name) for f in folders for name in ("query.scm", "rule.json")]
        pathlib.Path(depfile).write_text("%s: %s\n" % (output, " ".join([str(directory)] + inputs)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
