/* Inside of dump_path.h: the evaluator's state and what its two files ask of each other. */
#ifndef PRISTINE_ANALYZE_EVALUATE_H
#define PRISTINE_ANALYZE_EVALUATE_H

#include "analyze/dump_path.h"

struct evaluation {
        struct code *code;
        const struct frame *frame;
        unsigned depth; /* how many more levels */
};

struct values evaluate(const struct evaluation *evaluation, TSNode node);
struct values evaluate_join(const struct evaluation *evaluation, struct values left, struct values right);
struct values evaluate_name(const struct evaluation *evaluation, TSNode node);
struct values evaluate_attribute(const struct evaluation *evaluation, TSNode node);
struct values evaluate_subscript(const struct evaluation *evaluation, TSNode node);
/* The n-th element of a sequence, and any element that iterating gives (of each its n-th, or the whole). */
struct values evaluate_element(const struct evaluation *evaluation, TSNode sequence, int32_t element);
struct values evaluate_each(const struct evaluation *evaluation, TSNode iterable, int32_t element);
struct values evaluate_key(const struct evaluation *evaluation, TSNode dictionary, struct bytes key);
/* Follows a name to the expression it is bound to, when there is exactly one. */
TSNode evaluate_resolve(const struct evaluation *evaluation, TSNode node);
/* A call being evaluated; object is the null node for a plain function. */
struct call {
        const struct evaluation *evaluation;
        TSNode node, object;
};

TSNode evaluate_call_argument(const struct call *call, int position, const char *keyword);
struct values evaluate_call_value(const struct call *call, int position, const char *keyword);
struct values evaluate_call_object(const struct call *call);

/* Methods of strings. */
struct values evaluate_format(const struct call *call);
struct values evaluate_join_parts(const struct call *call);
struct values evaluate_replace(const struct call *call);
struct values evaluate_strip(const struct call *call);
struct values evaluate_lstrip(const struct call *call);
struct values evaluate_rstrip(const struct call *call);
struct values evaluate_lower(const struct call *call);
struct values evaluate_upper(const struct call *call);

struct values evaluate_call(const struct evaluation *evaluation, TSNode call);
/* The values of every `return` of the frame's function. */
struct values evaluate_returns(const struct evaluation *evaluation, const struct frame *frame);
/* .parent, .name, .stem, .suffix of a path */
struct values evaluate_path_part(const struct evaluation *evaluation, TSNode object, struct bytes part);
struct values evaluate_home(const struct evaluation *evaluation); /* of root, and of any user */
/* left / right with pathlib's and os.path.join's rule for an absolute right side */
struct values evaluate_path_join(const struct evaluation *evaluation, struct values left, struct values right);

#endif
