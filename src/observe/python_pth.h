/* .pth files: what `site` does with each line at every start of Python. Pure: bytes in, meaning out. */
#ifndef PRISTINE_OBSERVE_PYTHON_PTH_H
#define PRISTINE_OBSERVE_PYTHON_PTH_H

#include "base/text.h"

enum { PTH_BYTES_MAX = 1 << 20 };

/* What made the environment, as pyvenv.cfg says; some hooks are normal only there. */
enum venv_maker {
        VENV_BY_VIRTUALENV = 1 << 0,
        VENV_BY_UV = 1 << 1,
        VENV_IS_OVERLAY = 1 << 2, /* extends-environment: uv's ephemeral layer */
};

unsigned pth_parse_makers(struct bytes pyvenv_cfg);

struct pth_summary {
        unsigned imports;    /* lines that run code */
        unsigned known;      /* those of them that are normal for a file of this name */
        unsigned paths;      /* lines that add a directory */
        struct bytes import; /* the first line that runs code and is not known */
        struct bytes path;   /* the first path */
};

/* claimed: an egg-info of the site lists the file as its own. */
void pth_summarize(struct bytes name, struct bytes content, unsigned makers, bool claimed,
                   struct pth_summary *ret_summary);

/* The next line as `site` reads it: any of \n, \r\n, \r ends it. False at the end. */
bool pth_next_line(struct bytes *content, struct bytes *ret_line);

/* Whether a line is a path: neither blank, a comment, nor an import. */
bool pth_line_is_path(struct bytes line);

#endif
