#include "cli/exit_status.h"

int exit_status_of_verdict(enum verdict verdict)
{
        static const int statuses[] = {
                [VERDICT_CLEAN] = EXIT_CLEAN, [VERDICT_DIRTY] = EXIT_FINDINGS, [VERDICT_UNKNOWN] = EXIT_INCOMPLETE};
        return statuses[verdict];
}

int exit_status_of_error(int code)
{
        static const struct {
                int code, status;
        } statuses[] = {
                {ERR_REFUSED, EXIT_REFUSED},
                {ERR_CHANGED, EXIT_REFUSED},
                {ERR_PARTWAY, EXIT_PARTWAY},
                {ERR_INTERRUPTED, EXIT_INCOMPLETE},
        };
        for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
                if (statuses[i].code == code)
                        return statuses[i].status;
        return EXIT_USAGE;
}
