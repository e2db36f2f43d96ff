#include <stdlib.h>

#include "device/cuda/module.h"

/* The GPU numbers of LIST, in order; their count, or 0 and ERROR. */
static unsigned read_list(const char *list, unsigned available, uint16_t *numbers, struct error *error)
{
    unsigned count = 0;
    const char *place = list;
    for (bool more = true; more;) {
        char *end;
        unsigned long number = strtoul(place, &end, 10);
        if (end == place || (*end != ',' && *end != '\0') || *place == '-' || *place == '+') {
            error_set(error, "--gpus %s: expected GPU numbers with commas between them, such as 1,0", list);
            return 0;
        }
        if (number >= available) {
            error_set(error, "--gpus %s: there is no GPU %lu (%u found, counted from 0)", list, number,
                      available);
            return 0;
        }
        if (count == SCHEDULE_MAX_GPUS) {
            error_set(error, "--gpus: more than %d GPUs", SCHEDULE_MAX_GPUS);
            return 0;
        }
        numbers[count++] = (uint16_t)number;
        more = *end == ',';
        place = end + 1;
    }
    return count;
}

bool cuda_choose_gpus(const char *list, unsigned available, uint16_t *gpus, struct error *error)
{
    uint16_t named[SCHEDULE_MAX_GPUS];
    unsigned count = available;
    if (list) {
        count = read_list(list, available, named, error);
    } else {
        for (unsigned i = 0; i < available && i < SCHEDULE_MAX_GPUS; i++) {
            named[i] = (uint16_t)i;
        }
    }
    for (unsigned i = 0; count > 0 && i < SCHEDULE_MAX_GPUS; i++) {
        gpus[i] = named[i % count];
    }
    return count > 0;
}
