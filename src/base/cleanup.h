/* Scope-bound ownership: a variable marked with one of these attributes is released when its scope ends, so that no
 * path out of a function leaks and no `goto` is needed. steal_…() hands the value on and disarms the attribute. */
#ifndef PRISTINE_BASE_CLEANUP_H
#define PRISTINE_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(function) __attribute__((cleanup(function)))

static inline void cleanup_free(void *pointer)
{
        free(*(void **)pointer);
}

static inline void cleanup_close(const int *fd)
{
        if (*fd >= 0)
                close(*fd);
}

static inline void cleanup_fclose(FILE **file)
{
        if (*file != NULL)
                fclose(*file);
}

static inline void cleanup_closedir(DIR **dir)
{
        if (*dir != NULL)
                closedir(*dir);
}

#define AUTO_FREE CLEANUP(cleanup_free)
#define AUTO_CLOSE CLEANUP(cleanup_close) /* initialise with -1 */
#define AUTO_FCLOSE CLEANUP(cleanup_fclose)
#define AUTO_CLOSEDIR CLEANUP(cleanup_closedir)

#define steal_pointer(pointer)                                                                                         \
        __extension__({                                                                                                \
                __typeof__(pointer) *from_ = &(pointer);                                                               \
                __typeof__(pointer) value_ = *from_;                                                                   \
                *from_ = NULL;                                                                                         \
                value_;                                                                                                \
        })

static inline int steal_fd(int *fd)
{
        int value = *fd;
        *fd = -1;
        return value;
}

#endif
