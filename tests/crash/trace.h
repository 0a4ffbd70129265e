/* A record of what changed on disk, complete enough to tell what a power cut would have left: tests/crash/power.py
 * reads it. One line per call that succeeded; names and data in hexadecimal, "-" for nothing:
 *
 *     file|dir DIRECTORY NAME NODE MODE USER GROUP      a new one
 *     write NODE OFFSET DATA
 *     size NODE SIZE
 *     sync NODE MODE USER GROUP MTIME_NS NAME=VALUE,…  its bytes, or names, and its attributes reached the disk
 *     rename|exchange|link DIRECTORY NAME DIRECTORY NAME
 *     unlink DIRECTORY NAME
 *
 * DIRECTORY and NODE are inode numbers, with the device's in the bits from 40 on. A file system must not use an inode
 * number twice; tmpfs does not. */
#ifndef PRISTINE_TESTS_CRASH_TRACE_H
#define PRISTINE_TESTS_CRASH_TRACE_H

#include <sys/types.h>

void trace_open(const char *path); /* NULL: nothing is recorded */
int trace_fd(void);                /* -1: nothing is recorded */

int trace_is_there(int directory_fd, const char *name);
void trace_new(const char *kind, int directory_fd, const char *name);
void trace_write(int fd, const void *data, size_t size, off_t at);
void trace_size(int fd, off_t size);
void trace_sync(int fd);
void trace_unlink(int directory_fd, const char *name);
void trace_two(const char *kind, int from_fd, const char *from, int to_fd, const char *to);

/* Where the next write() to fd goes. */
off_t trace_position(int fd);

#endif
