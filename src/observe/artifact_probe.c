#include "observe/artifact_probe.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "fs/root.h"
#include "observe/artifact.h"

enum { HEAD_SIZE = 512, SAFETENSORS_HEADER_MAX = 100 << 20, HOLDERS_MAX = 64 };

/* The name of a zip archive's first member. */
static struct bytes zip_first_name(struct bytes head)
{
        struct cursor cursor = cursor_over(head);
        cursor_skip(&cursor, 26);
        uint16_t name_size = cursor_u16le(&cursor);
        cursor_skip(&cursor, 2);
        return cursor_take(&cursor, name_size);
}

static const char *zip_format(struct bytes head)
{
        struct bytes name = zip_first_name(head);
        if (bytes_end_with(name, "/data.pkl") || bytes_end_with(name, "/constants.pkl") ||
            bytes_end_with(name, "/byteorder") || bytes_end_with(name, "/.format_version"))
                return "torch-zip";
        return bytes_end_with(name, ".npy") ? "npz" : "";
}

static bool is_safetensors(struct bytes head)
{
        struct cursor cursor = cursor_over(head);
        uint64_t size = cursor_u64le(&cursor);
        return size >= 2 && size <= SAFETENSORS_HEADER_MAX && cursor_u8(&cursor) == '{' && !cursor.failed;
}

const char *artifact_format(struct bytes head)
{
        if (bytes_start_with(head, "PK\x03\x04"))
                return zip_format(head);
        if (bytes_start_with(head, "\x80\x02\x8a\nl\xfc\x9c"
                                   "F\xf9 j\xa8P\x19."))
                return "torch-legacy";
        if (bytes_start_with(head, "\x93NUMPY"))
                return "npy";
        if (is_safetensors(head))
                return "safetensors";
        if (head.size > 2 && head.data[0] == 0x80 && head.data[1] >= 2 && head.data[1] <= 5)
                return "pickle";
        return "";
}

static const char *const rank_kinds[] = {"tp", "rank", "pp", "dp", "ep", "cp", "sp", "worker", "gpu", "dist", "r"};

/* A rank is a kind's word at the start of a part of the name, at once or after "_", "-", "=" or "." followed by digits
 * that end the part. */
struct rank artifact_rank(const char *name)
{
        struct rank rank = {.kind = ""};
        for (const char *at = name; *at != '\0'; at++) {
                if (at > name && isalnum((unsigned char)at[-1]))
                        continue;
                for (size_t i = 0; i < sizeof rank_kinds / sizeof *rank_kinds; i++) {
                        size_t length = strlen(rank_kinds[i]);
                        if (strncasecmp(at, rank_kinds[i], length) != 0)
                                continue;
                        const char *digits = at + length;
                        digits +=
                                *digits != '\0' && strchr("_-=.", *digits) != NULL && isdigit((unsigned char)digits[1]);
                        size_t n = strspn(digits, "0123456789");
                        if (n == 0 || n > 5 || isalpha((unsigned char)digits[n]))
                                continue;
                        rank.kind = rank_kinds[i];
                        rank.number = (uint32_t)strtoul(digits, NULL, 10);
                }
        }
        return rank;
}

static void probe_head(int directory_fd, const char *name, struct artifact *artifact)
{
        unsigned char head[HEAD_SIZE];
        AUTO_CLOSE int fd = -1;
        struct file_identity identity;
        struct error error;
        if (fs_open_regular(directory_fd, name, &fd, &identity, &error) < 0)
                return;
        artifact->found = identity;
        ssize_t got = pread(fd, head, sizeof head, 0);
        if (got > 0)
                artifact->format = artifact_format((struct bytes){head, (size_t)got});
}

bool artifact_probe(int directory_fd, const char *name, const char *path, struct arena *arena,
                    struct artifact *ret_artifact)
{
        struct stat st;
        if (fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)))
                return false;
        struct artifact artifact = {.path = arena_strdup(arena, path), .format = "", .rank = artifact_rank(name)};
        fs_identity_from_stat(&st, &artifact.found);
        if (S_ISLNK(st.st_mode)) {
                artifact.not_ours = "a symbolic link: never taken";
        } else {
                probe_head(directory_fd, name, &artifact);
                if (artifact.found.links > 1)
                        artifact.not_ours = "it has another name elsewhere (a hard link)";
        }
        *ret_artifact = artifact;
        return true;
}

static struct artifact *find_by_name(struct artifact *const *artifacts, size_t count, const char *link)
{
        const char *name = strrchr(link, '/');
        for (size_t i = 0; i < count && name != NULL; i++) {
                const char *own = strrchr(artifacts[i]->path, '/');
                if (own != NULL && strcmp(own, name) == 0)
                        return artifacts[i];
        }
        return NULL;
}

static void add_holder(struct arena *arena, struct artifact *artifact, uint32_t pid)
{
        if (artifact->n_open_by == HOLDERS_MAX)
                return;
        if (artifact->open_by == NULL)
                artifact->open_by = arena_new_array(arena, uint32_t, HOLDERS_MAX);
        if (artifact->n_open_by == 0 || artifact->open_by[artifact->n_open_by - 1] != pid)
                artifact->open_by[artifact->n_open_by++] = pid;
        if (artifact->not_ours == NULL)
                artifact->not_ours = arena_printf(arena, "held open by process %u", pid);
}

/* readlink() first: it touches no file system, so that a hung mount that somebody has open cannot hang us. */
static void look_at_descriptor(struct arena *arena, int fds, const char *name, uint32_t pid,
                               struct artifact *const *artifacts, size_t count)
{
        char link[4096];
        ssize_t length = readlinkat(fds, name, link, sizeof link - 1);
        if (length <= 0)
                return;
        link[length] = '\0';
        struct stat st;
        if (find_by_name(artifacts, count, link) == NULL || fstatat(fds, name, &st, 0) < 0)
                return;
        for (size_t i = 0; i < count; i++)
                if (artifacts[i]->found.device == st.st_dev && artifacts[i]->found.inode == st.st_ino)
                        add_holder(arena, artifacts[i], pid);
}

/* False when the process cannot be looked into. */
static bool look_at_process(struct arena *arena, const char *pid, struct artifact *const *artifacts, size_t count)
{
        char path[64];
        snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
        AUTO_CLOSEDIR DIR *dir = opendir(path);
        if (dir == NULL)
                return errno == ENOENT;
        uint32_t number = (uint32_t)strtoul(pid, NULL, 10);
        for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
                if (entry->d_name[0] != '.')
                        look_at_descriptor(arena, dirfd(dir), entry->d_name, number, artifacts, count);
        return true;
}

void artifact_holders(struct arena *arena, struct artifact *const *artifacts, size_t count)
{
        AUTO_CLOSEDIR DIR *dir = count > 0 ? opendir("/proc") : NULL;
        bool all = dir != NULL;
        if (count == 0)
                return;
        for (struct dirent *entry = all ? readdir(dir) : NULL; entry != NULL; entry = readdir(dir))
                if (isdigit((unsigned char)entry->d_name[0]) &&
                    !look_at_process(arena, entry->d_name, artifacts, count))
                        all = false;
        for (size_t i = 0; i < count; i++)
                artifacts[i]->open_unknown = !all;
}
