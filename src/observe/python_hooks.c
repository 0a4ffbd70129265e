/* Startup hooks: what Python runs before the first line of any program. `site` executes the import lines of every .pth
 * file of a site, then imports sitecustomize and usercustomize; the directory of a script comes before everything else
 * on its path; a ._pth file beside the interpreter replaces the path altogether. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fs/hash.h"
#include "observe/python_furniture.h"
#include "observe/python_module.h"
#include "observe/python_pth.h"

enum { HOOK_BYTES_MAX = 4 << 20, SHOWN_MAX = 120 };

/* Files of a new environment are written within this time of its pyvenv.cfg. */
static const int64_t CREATION_SLACK_NS = 2000000000;

static const char *const customizers[] = {"sitecustomize", "usercustomize"};

/* Every text that virtualenv 20 and 21 and uv have put into _virtualenv.py. */
static const char *const virtualenv_digests[] = {
        "684b8c07932ba4a84ac2e5ae9afe49ef04e92bac3d8d4191d455cf09d093e5fc", /* virtualenv 20.0 to 20.10 */
        "ce57d5e0d9b5d7356cb42da7450ba8f9359bdf693e335f4c921626943c77e64d", /* 20.13 */
        "c9199315871b11b12df226f890a38e66e63191e1adbfb11a66e6861151b33fca", /* 20.16 to 20.21 */
        "0f20351ea7e90039c46d3fabdef991f28b1e3ff33eb13ee6f0d5cd21ea0e8b14", /* 20.26 to 20.33 */
        "bec6155ff7bfc88f8e79e481f27fd7ee0a3b40eeca9bfeb41f4c4b997b2f8100", /* 20.35 */
        "02943e192823d75212f206e1f2991ac572119882683a95dfbb7a1b913d7b14b5", /* 20.39 */
        "e8c426ce260f866254ff35cefedc8b3efbd6d1446d99d7a4cdeb0095f98a8b8f", /* 21.1 */
        "cfe56cafbd68fd31a0e87100f111d7d2f6b7157241096500013c07e88d80a22f", /* 21.15 */
        "ee52b2e2e720a40885a6b4b90c40e28e5c70e550af74d5efd169eaa5db2a6f6f", /* uv 0.1 */
        "6cf30c56faf2a55228914dbbd17f8088ed371ebb08f5e7fa6fd931f913fcaf1d", /* uv 0.4 to 0.8 */
        "cfb3db86aaa53bb62b5ff764970bec2d71c9228590a0ebec57f6ec926cc0bf1a", /* uv 0.13 */
};

static bool site_is_scripts(const struct site *site)
{
        return !site->importable && bytes_equal(path_name(bytes_of(site->path)), BYTES_LITERAL("bin"));
}

/* sitecustomize and usercustomize in any form, compiled and as a package too. */
static bool name_is_customizer(struct bytes name, int minor)
{
        struct module_name module = module_parse_file(name, minor);
        struct bytes stem = module.kind != MODULE_NONE ? module.stem : name;
        for (size_t i = 0; i < sizeof customizers / sizeof *customizers; i++)
                if (bytes_equal(stem, bytes_of(customizers[i])))
                        return true;
        return false;
}

bool furniture_is_hook(const struct furniture *furniture, const struct unowned_entry *entry)
{
        const struct environment *environment = furniture->survey->environment;
        struct bytes name = path_name(bytes_of(entry->path));
        if (site_is_scripts(&environment->sites[entry->site]))
                return true;
        return environment->sites[entry->site].importable && furniture_is_top_level(furniture, entry) &&
               (bytes_end_with(name, ".pth") || bytes_equal(name, BYTES_LITERAL("_virtualenv.py")) ||
                name_is_customizer(name, environment->python_minor));
}

/* A piece of a line for the report. */
static const char *shown(struct furniture *furniture, struct bytes line)
{
        bool cut = line.size > SHOWN_MAX;
        return arena_printf(furniture->survey->arena, "%.*s%s", (int)(cut ? SHOWN_MAX : line.size),
                            (const char *)line.data, cut ? "…" : "");
}

static bool path_exists(struct furniture *furniture, const char *site, struct bytes path)
{
        AUTO_CLOSE int fd = -1;
        struct survey *survey = furniture->survey;
        const char *full = path.data[0] == '/' ? arena_strndup(survey->arena, (const char *)path.data, path.size)
                                               : arena_printf(survey->arena, "%s/%s/%.*s", survey->environment->path,
                                                              site, (int)path.size, path.data);
        return root_open_directory(survey->root, full, &fd, NULL, NULL) == 0;
}

static bool all_paths_exist(struct furniture *furniture, const char *site, struct bytes content)
{
        for (struct bytes line; pth_next_line(&content, &line);) {
                while (line.size > 0 && (line.data[line.size - 1] == ' ' || line.data[line.size - 1] == '\t'))
                        line.size--;
                if (pth_line_is_path(line) && !path_exists(furniture, site, line))
                        return false;
        }
        return true;
}

/* Files that list directories for a living. */
static bool name_lists_paths(struct bytes name)
{
        static const char *const names[] = {"easy-install.pth", "pipx_shared.pth", "conda.pth",
                                            "_virtualenv_path_extensions.pth", "virtualenv_path_extensions.pth"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (bytes_equal(name, bytes_of(names[i])))
                        return true;
        return false;
}

static void judge_pth(struct furniture *furniture, const struct unowned_entry *entry)
{
        struct survey *survey = furniture->survey;
        struct bytes name = path_name(bytes_of(entry->path)), content;
        struct pth_summary summary;
        const char *site = survey->environment->sites[entry->site].path;
        if (!furniture_read(survey, entry->path, PTH_BYTES_MAX, &content)) {
                furniture_add(furniture, entry, "startup-hook", SEVERITY_ERROR,
                              "nobody's, and what it holds could not be read");
                return;
        }
        bool claimed = furniture->delegated[entry->site] || furniture_is_claimed(furniture, entry->path);
        pth_summarize(name, content, furniture->makers, claimed, &summary);
        bool hidden = name.data[0] == '.';
        if (summary.imports > summary.known)
                furniture_add(furniture, entry, "startup-hook", SEVERITY_ERROR,
                              arena_printf(survey->arena, "%snobody's, and it runs: %s", hidden ? "hidden; " : "",
                                           shown(furniture, summary.import)));
        else if (hidden)
                furniture_add(furniture, entry, "startup-hook", SEVERITY_WARNING,
                              "hidden, and read by Python 3.8 to 3.12 like any other .pth");
        else if (summary.paths > 0 && !claimed && !name_lists_paths(name))
                furniture_add(furniture, entry, "startup-hook", SEVERITY_WARNING,
                              arena_printf(survey->arena, "nobody's, and it adds to the path: %s",
                                           shown(furniture, summary.path)));
        else if (summary.paths > 0 && !all_paths_exist(furniture, site, content))
                furniture_add(furniture, entry, "startup-hook", SEVERITY_NOTE,
                              "it names a directory that is not there");
        else
                survey_count_silent(survey);
}

/* The module behind _virtualenv.pth: unowned by design, so that only its text can vouch for it. */
static void judge_virtualenv_module(struct furniture *furniture, const struct unowned_entry *entry)
{
        struct survey *survey = furniture->survey;
        struct bytes content;
        struct digest digest = {0};
        char hex[DIGEST_HEX_SIZE] = "";
        if (furniture_read(survey, entry->path, HOOK_BYTES_MAX, &content)) {
                hash_bytes(content, &digest);
                digest_to_hex(&digest, hex);
        }
        for (size_t i = 0; i < sizeof virtualenv_digests / sizeof *virtualenv_digests; i++)
                if (strcmp(hex, virtualenv_digests[i]) == 0) {
                        survey_count_silent(survey);
                        return;
                }
        struct stat cfg, file;
        bool as_old = (furniture->makers & (VENV_BY_VIRTUALENV | VENV_BY_UV)) != 0 &&
                      fstatat(survey->prefix_fd, "pyvenv.cfg", &cfg, AT_SYMLINK_NOFOLLOW) == 0 &&
                      fstatat(survey->prefix_fd, entry->path, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
                      (int64_t)file.st_mtim.tv_sec * 1000000000 + file.st_mtim.tv_nsec <=
                              (int64_t)cfg.st_mtim.tv_sec * 1000000000 + cfg.st_mtim.tv_nsec + CREATION_SLACK_NS;
        if (as_old)
                furniture_add(furniture, entry, "startup-hook", SEVERITY_NOTE,
                              "not a text known of virtualenv or uv, but as old as the environment");
        else
                furniture_add(furniture, entry, "startup-hook", SEVERITY_ERROR,
                              "in the place of virtualenv's own module, but not its text");
}

/* A directory counts where it has an __init__; without one any other module of the name goes first. */
static bool is_package(struct survey *survey, const struct unowned_entry *entry)
{
        static const char *const inits[] = {"__init__.py", "__init__.pyc", "__init__.so"};
        struct stat st;
        for (size_t i = 0; i < sizeof inits / sizeof *inits; i++) {
                const char *path = arena_printf(survey->arena, "%s/%s", entry->path, inits[i]);
                if (fstatat(survey->prefix_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
                        return true;
        }
        return false;
}

static void judge_beside_scripts(struct furniture *furniture, const struct unowned_entry *entry)
{
        struct survey *survey = furniture->survey;
        struct bytes name = path_name(bytes_of(entry->path));
        bool directory = entry->type == DT_DIR;
        if (bytes_end_with(name, "._pth")) {
                furniture_add(furniture, entry, "startup-hook", SEVERITY_ERROR,
                              "it replaces the whole import path of the interpreter beside it");
                return;
        }
        bool importable = directory ? module_is_identifier(name) && is_package(survey, entry)
                                    : module_parse_file(name, survey->environment->python_minor).kind != MODULE_NONE;
        bool activator = bytes_equal(name, BYTES_LITERAL("activate_this.py")) &&
                         (furniture->makers & (VENV_BY_VIRTUALENV | VENV_BY_UV)) != 0;
        if (importable && !activator)
                furniture_add(furniture, entry, "startup-hook", SEVERITY_WARNING,
                              "every script in this directory finds it before any other module of its name");
}

static void judge_hook(struct furniture *furniture, const struct unowned_entry *entry)
{
        struct bytes name = path_name(bytes_of(entry->path));
        if (site_is_scripts(&furniture->survey->environment->sites[entry->site]))
                judge_beside_scripts(furniture, entry);
        else if (bytes_end_with(name, ".pth"))
                judge_pth(furniture, entry);
        else if (bytes_equal(name, BYTES_LITERAL("_virtualenv.py")))
                judge_virtualenv_module(furniture, entry);
        else
                furniture_add(furniture, entry, "startup-hook", SEVERITY_ERROR,
                              "nobody's, and imported before any program");
}

/* An owned hook that was edited is an edit with its own repair; that it runs everywhere deserves saying as well. */
static void add_edited_hook(struct furniture *furniture, const struct file_fact *edited)
{
        struct survey *survey = furniture->survey;
        struct bytes name = path_name(bytes_of(edited->path)), content;
        struct file_fact fact = *edited;
        if (bytes_end_with(name, ".pth")) {
                struct pth_summary summary;
                if (!furniture_read(survey, edited->path, PTH_BYTES_MAX, &content))
                        return;
                pth_summarize(name, content, furniture->makers, false, &summary);
                if (summary.imports == 0)
                        return;
        }
        fact.rule = "startup-hook";
        fact.severity = SEVERITY_ERROR;
        fact.why = "it was changed since it was installed";
        survey_add_fact(survey, &fact);
}

static bool path_is_site_hook(const struct environment *environment, const char *path)
{
        struct bytes name = path_name(bytes_of(path)), directory = path_directory(bytes_of(path));
        if (!bytes_end_with(name, ".pth") && !name_is_customizer(name, environment->python_minor))
                return false;
        for (size_t i = 0; i < environment->n_sites; i++)
                if (environment->sites[i].importable && bytes_equal(directory, bytes_of(environment->sites[i].path)))
                        return true;
        return false;
}

/* An owned .pth that is as installed may still be what one is looking for: a poisoned release brings its own. */
static void note_owned_pth(struct furniture *furniture, const char *site, const struct owned_file *file)
{
        struct survey *survey = furniture->survey;
        struct bytes content;
        struct pth_summary summary;
        const char *path = arena_printf(survey->arena, "%s/%.*s", site, (int)file->name.size, file->name.data);
        if (!furniture_read(survey, path, PTH_BYTES_MAX, &content))
                return;
        pth_summarize(file->name, content, furniture->makers, false, &summary);
        if (summary.imports == 0)
                return;
        uint32_t *owner = arena_new(survey->arena, uint32_t);
        *owner = survey->ownership.claims[file->first_claim].owner;
        struct file_fact fact = {
                .state = FILE_OK,
                .rule = "startup-hook",
                .severity = SEVERITY_NOTE,
                .path = path,
                .owners = owner,
                .n_owners = 1,
                .expected_size = -1,
                .exists = true,
                .found = file->found,
                .is_text_source = true,
                .why = arena_printf(survey->arena, "as its distribution ships it; it runs: %s",
                                    shown(furniture, summary.import)),
        };
        survey_add_fact(survey, &fact);
}

static void note_owned_hooks(struct furniture *furniture)
{
        const struct survey *survey = furniture->survey;
        const struct ownership *ownership = &survey->ownership;
        for (size_t i = 0; i < survey->environment->n_sites; i++) {
                const struct site *site = &survey->environment->sites[i];
                uint32_t directory = ownership_directory(ownership, bytes_of(site->path));
                if (!site->importable || directory == OWNERSHIP_NONE)
                        continue;
                for (uint32_t file = ownership->directories[directory].first_file; file != OWNERSHIP_NONE;
                     file = ownership->files[file].next_in_directory)
                        if (bytes_end_with(ownership->files[file].name, ".pth"))
                                note_owned_pth(furniture, site->path, &ownership->files[file]);
        }
}

void furniture_hooks(struct furniture *furniture)
{
        struct survey *survey = furniture->survey;
        size_t n_facts = survey->n_facts;
        for (size_t i = 0; i < n_facts; i++) {
                struct file_fact fact = survey->facts[i];
                if ((fact.state == FILE_MODIFIED || fact.state == FILE_UPSTREAM_WRONG) &&
                    path_is_site_hook(survey->environment, fact.path))
                        add_edited_hook(furniture, &fact);
        }
        if (survey->options->vendor_notes)
                note_owned_hooks(furniture);
        for (size_t i = 0; i < survey->n_unowned; i++)
                if (furniture_is_hook(furniture, &survey->unowned[i]))
                        judge_hook(furniture, &survey->unowned[i]);
}
