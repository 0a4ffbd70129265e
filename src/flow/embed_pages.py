#!/usr/bin/env python3
"""Writes the pages of rules/findings/ as a C source. Usage: embed_pages.py OUTPUT.c PAGE.md…"""
import pathlib
import sys


def main(output, *pages):
    paths = sorted(map(pathlib.Path, pages))
    parts = ['#include "flow/finding_pages.h"\n']
    for index, path in enumerate(paths):
        numbers = ", ".join(str(byte - 256 * (byte > 127)) for byte in path.read_bytes())
        parts.append("static const char text_%d[] = {%s, 0};" % (index, numbers))
    rows = "".join('        {"%s", text_%d},\n' % (path.stem, index) for index, path in enumerate(paths))
    parts.append("\nstatic const struct finding_page pages[] = {\n%s};\n" % rows)
    parts.append("const struct finding_page *finding_pages(size_t *ret_count)\n{")
    parts.append("        *ret_count = sizeof pages / sizeof *pages;\n        return pages;\n}\n")
    pathlib.Path(output).write_text("\n".join(parts), encoding="ascii")


if __name__ == "__main__":
    main(*sys.argv[1:])
