/* Directories of wheels that pip and uv are told to look into, from their variables and from pip's configuration files:
 * read, not asked for. Only places of this host count; what is on a server comes with the package index. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "flow/check_run.h"

enum { LINKS_MAX = 64, CONFIG_MAX = 64 << 10 };

static void add_link(struct arena *arena, struct strings *links, const char *text, size_t length)
{
        static const char scheme[] = "file://";
        if (length >= sizeof scheme - 1 && strncmp(text, scheme, sizeof scheme - 1) == 0) {
                text += sizeof scheme - 1;
                length -= sizeof scheme - 1;
        }
        if (length > 0 && text[0] == '/' && links->count < LINKS_MAX)
                links->items[links->count++] = arena_strndup(arena, text, length);
}

/* Several stand in one value, parted by any of `separators`. */
static void add_value(struct arena *arena, struct strings *links, const char *value, const char *separators)
{
        while (*value != '\0') {
                value += strspn(value, separators);
                size_t length = strcspn(value, separators);
                add_link(arena, links, value, length);
                value += length;
        }
}

/* "find-links = A" with more on lines that are indented. */
static void add_config_text(struct arena *arena, struct strings *links, const char *text)
{
        static const char key[] = "find-links";
        bool in_value = false;
        while (*text != '\0') {
                size_t length = strcspn(text, "\n");
                const char *line = arena_strndup(arena, text, length), *rest = line;
                text += length + (text[length] == '\n');
                if (*line != ' ' && *line != '\t') {
                        in_value = strncmp(line, key, sizeof key - 1) == 0;
                        rest = in_value ? line + sizeof key - 1 + strspn(line + sizeof key - 1, " \t") : line;
                        in_value = in_value && (*rest == '=' || *rest == ':');
                        rest += in_value;
                }
                if (in_value)
                        add_value(arena, links, rest, " \t\r");
        }
}

static void add_config(struct check_run *run, struct strings *links, const char *directory, const char *name)
{
        AUTO_CLOSE int directory_fd = -1, fd = -1;
        struct file_identity identity;
        struct bytes bytes = {0};
        if (root_open_directory(&run->root, directory, &directory_fd, NULL, NULL) < 0 ||
            fs_open_regular(directory_fd, name, &fd, &identity, NULL) < 0 ||
            fs_read_whole(fd, CONFIG_MAX, &bytes, NULL) < 0)
                return;
        add_config_text(run->arena, links, arena_strndup(run->arena, (const char *)bytes.data, bytes.size));
        free((void *)bytes.data);
}

void check_find_links(struct check_run *run, const struct environment *environment, const struct strings *homes,
                      struct strings *ret_links)
{
        const char *pip = getenv("PIP_FIND_LINKS"), *uv = getenv("UV_FIND_LINKS");
        struct strings links = {arena_new_array(run->arena, const char *, LINKS_MAX), 0};
        if (strcmp(run->root.path, "/") == 0) {
                add_value(run->arena, &links, pip != NULL ? pip : "", " \t\n");
                add_value(run->arena, &links, uv != NULL ? uv : "", ", \t\n");
        }
        add_config(run, &links, "/etc", "pip.conf");
        for (size_t i = 0; i < homes->count; i++) {
                add_config(run, &links, arena_printf(run->arena, "%s/.config/pip", homes->items[i]), "pip.conf");
                add_config(run, &links, arena_printf(run->arena, "%s/.pip", homes->items[i]), "pip.conf");
        }
        add_config(run, &links, environment->path, "pip.conf");
        *ret_links = links;
}
