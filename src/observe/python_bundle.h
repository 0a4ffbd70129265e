/* Certificate bundles: sites append their own authorities to certifi's file and to the copies that pip and botocore
 * carry. Where the installed bytes are still there in front, and nothing but certificates follows, that is what
 * happened. */
#ifndef PRISTINE_OBSERVE_PYTHON_BUNDLE_H
#define PRISTINE_OBSERVE_PYTHON_BUNDLE_H

#include "base/text.h"
#include "model/digest.h"

/* Whether every line is of a PEM certificate, a comment or blank, and there is a certificate. */
bool bundle_is_certificates(struct bytes bytes);

/* Whether a prefix of bytes has this digest and the rest is certificates only. size is the prefix's size, -1 when it is
 * not known: then every line end is tried. ret_added counts the certificates that follow. */
bool bundle_was_extended(struct bytes bytes, const struct digest *digest, int64_t size, unsigned *ret_added);

#endif
