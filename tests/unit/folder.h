/* A private folder of one test, and short ways to put things into it. Every call asserts that it worked. */
#ifndef PRISTINE_TESTS_UNIT_FOLDER_H
#define PRISTINE_TESTS_UNIT_FOLDER_H

struct folder {
        char path[64];
        int fd;
};

struct folder folder_new(void);
void folder_remove(struct folder *folder); /* with everything in it */

void folder_make_directory(const struct folder *folder, const char *path); /* and those above it */
void folder_write(const struct folder *folder, const char *path, const char *content);

#endif
