/* A finding, file or hunk that is wanted. Kept in the journal, never in the environment. It holds exactly as long as
 * the accepted bytes do: a further change makes it a finding again. */
#ifndef PRISTINE_MODEL_ACCEPTANCE_H
#define PRISTINE_MODEL_ACCEPTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/digest.h"

struct acceptance {
        const char *finding; /* id of the finding at the time */
        const char *rule;
        const char *path; /* absolute */
        const char *hunk; /* hunk id, "" for the whole finding */
        bool has_digest;
        struct digest digest; /* of the file when it was accepted as a whole */
        const char *reason;
        int64_t when_ns;
        uint32_t user;
};

#endif
