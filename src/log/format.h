/* The file format's words: what writer and reader share. docs/log-format.md describes them. */
#ifndef HANDOFF_LOG_FORMAT_H
#define HANDOFF_LOG_FORMAT_H

#include "log/record.h"
#include "order/order.h"

enum { LOG_VERSION = 1 };

/* The fields of a record. */
enum record_field {
    FIELD_RANK = 1 << 0,
    FIELD_CALL = 1 << 1,
    FIELD_WAIT = 1 << 2, /* point and rule */
    FIELD_COMMUNICATOR = 1 << 3,
    FIELD_MEMORY = 1 << 4,
    FIELD_VALUES = 1 << 5, /* first, count and bytes */
    FIELD_TEXT = 1 << 6,
    FIELD_NUMBER = 1 << 7,
};

struct record_format {
    const char *name;
    unsigned required, optional; /* bits of enum record_field */
    const char *number;          /* the key of FIELD_NUMBER */
    int64_t smallest, largest;   /* of that number */
};

/* By enum record_kind. */
extern const struct record_format record_formats[RECORD_KIND_COUNT];

/* "none" is no outcome of a run. */
const char *outcome_name(enum outcome outcome);
const char *phase_name(enum phase phase);

#endif
