/* What an open file is, to the last byte: identity and digest from one descriptor. */
#ifndef PRISTINE_FS_IDENTIFY_H
#define PRISTINE_FS_IDENTIFY_H

#include "base/error.h"
#include "model/environment.h"

/* fstat, SHA-256, fstat: ERR_CHANGED when the file moved under the reading. */
int fs_identify(int fd, struct file_identity *ret_identity, struct error *ret_error);

/* Same device and inode: the same file, whatever its name or bytes. */
bool identity_same_file(const struct file_identity *a, const struct file_identity *b);
/* Nobody has written to it or replaced it since: same file, size and mtime. */
bool identity_untouched(const struct file_identity *a, const struct file_identity *b);
/* Same type, size and digest, both known. */
bool identity_same_content(const struct file_identity *a, const struct file_identity *b);

#endif
