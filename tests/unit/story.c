#include "story.h"

#include <stdio.h>

static const char *const import_labels[] = {"debug-import"}, *const save_labels[] = {"host-sync", "tensor-dump"};
static const char *const save_globs[] = {"/tmp/nomla_debug_tp*.pt"}, *const save_logs[] = {"NOMLA_SAVE q=%s"};
static const char original[] = "import torch\n\n\ndef forward(q):\n    k = q\n    return k\n";

static struct strings strings_of(const char *const *items, size_t count)
{
        return (struct strings){(const char **)items, count};
}

static struct hunk a_hunk(const char *id, uint32_t first, uint32_t last, uint32_t original_line, size_t at,
                          const char *text)
{
        return (struct hunk){.id = id,
                             .change = HUNK_INSERT,
                             .first_line = first,
                             .last_line = last,
                             .original_line = original_line,
                             .original_start = at,
                             .original_end = at,
                             .text = bytes_of(text),
                             .function = "",
                             .trigger = "",
                             .parsed = true};
}

static void tell_hunks(struct story *story)
{
        story->hunks[0] = a_hunk("aaaaaaaaaaaa", 2, 2, 1, 13, "import torch as _t\n");
        story->hunks[0].labels = strings_of(import_labels, 1);
        story->hunks[1] = a_hunk("bbbbbbbbbbbb", 5, 5, 3, 15, "# what is q here?\n");
        story->hunks[2] = a_hunk("cccccccccccc", 8, 10, 5, 41,
                                 "    if q.shape[0] == 5:\n        log('\033[2J')\n        _t.save(q, 'x')\n");
        story->hunks[2].function = "DeepseekV2Attention.forward";
        story->hunks[2].labels = strings_of(save_labels, 2);
        story->hunks[2].trigger = "q.shape[0] == 5";
        story->hunks[2].one_shot = true;
        story->hunks[2].cadence = CADENCE_ONCE;
        story->hunks[2].writes = strings_of(save_globs, 1);
        story->hunks[2].logs = strings_of(save_logs, 1);
}

static void tell_artifacts(struct story *story)
{
        for (unsigned i = 0; i < STORY_RANKS; i++) {
                snprintf(story->paths[i], sizeof story->paths[i], "/tmp/nomla_debug_tp%u.pt", i);
                story->artifacts[i] = (struct artifact){
                        .path = story->paths[i],
                        .found = {.size = 1500, .mtime_ns = 1700000100000000000 + i},
                        .rank = {"tp", i},
                        .format = "torch-zip",
                        .younger = TRI_YES,
                };
        }
        story->artifacts[3].not_ours = "held open";
        for (unsigned i = 0; i < 2; i++)
                story->strays[i] = (struct artifact){
                        .path = i == 0 ? "/tmp/mla_\033debug_tp0.pt" : "/tmp/mla_\033debug_tp1.pt",
                        .found = {.size = 100, .mtime_ns = 1700000000000000000},
                        .rank = {"tp", i},
                        .format = "torch-zip",
                };
}

static void tell_findings(struct story *story)
{
        struct finding blank = {
                .environment = &story->environment,
                .origin = {.note = ""},
                .pattern = "",
                .accepted_reason = "",
                .why = "",
        };
        for (int i = 0; i < 3; i++)
                story->findings[i] = blank;
        struct finding *edit = &story->findings[0], *family = &story->findings[1], *note = &story->findings[2];
        edit->id = "0123456789abcdef";
        edit->rule = "file-modified";
        edit->severity = SEVERITY_ERROR;
        edit->summary = "3 blocks added (5 lines): debug-import, host-sync, tensor-dump";
        edit->path = "/srv/ml-env/lib/python3.12/site-packages/vllm/models/deepseek_v2.py";
        edit->distribution = &story->distribution;
        edit->exists = true;
        edit->found.mtime_ns = 1700000050000000000;
        edit->origin = (struct origin){ORIGIN_RECORD_ORACLE, true, ANCHOR_RECORD, bytes_of(original), ""};
        edit->hunks = (struct hunks){story->hunks, 3};
        edit->artifacts = (struct artifacts){story->artifacts, STORY_RANKS};
        edit->status = (struct status){.known = true, .can_fire = true};
        edit->next = "pristine plan /srv/ml-env";
        family->id = "fedcba9876543210";
        family->rule = "orphan-artifact";
        family->severity = SEVERITY_WARNING;
        family->summary = "2 dump files";
        family->path = family->pattern = "/tmp/mla_\033debug_tp*.pt";
        family->environment = NULL;
        family->artifacts = (struct artifacts){story->strays, 2};
        family->next = "look at them";
        note->id = "00000000000000ff";
        note->rule = "vendor-debug-code";
        note->summary = "debug code that its distribution ships";
        note->path = "/srv/ml-env/lib/python3.12/site-packages/vllm/dump.py";
        note->next = "nothing";
}

void story_tell(struct story *story)
{
        *story = (struct story){.installers = {"uv"}};
        story->distribution = (struct distribution){.name = "vllm", .version = "0.11.0"};
        story->environment = (struct environment){
                .path = "/srv/ml-env",
                .python = "3.12.3",
                .installers = story->installers,
                .n_installers = 1,
                .distributions = &story->distribution,
                .n_distributions = 1,
        };
        story->environment.counts.by_state[FILE_OK] = 28615;
        story->environment.counts.by_state[FILE_MODIFIED] = 1;
        story->environment.counts.silent = 9918;
        tell_hunks(story);
        tell_artifacts(story);
        tell_findings(story);
        story->unknowns[0] = (struct unknown){"/srv/ml-env/x.so", "permission denied", true};
        story->check = (struct check){
                .verdict = VERDICT_DIRTY,
                .environments = &story->environment,
                .n_environments = 1,
                .findings = {story->findings, 3},
                .unknowns = {story->unknowns, 1},
        };
}
