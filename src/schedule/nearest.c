#include <string.h>

#include "base/memory.h"
#include "schedule/schedule.h"

enum { LONGEST = SCHEDULE_MAX_NAME + 1 };

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

/* Letters that may differ before a name of this length is another name. */
static unsigned tolerance(size_t length)
{
    size_t letters = (length + 1) / 3;
    return letters < 3 ? (unsigned)letters : 3;
}

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

/* One row of the table of distances: ROW from the two rows above it. Returns the least of the row. */
static unsigned fill_row(size_t i, const char *name, const char *known, size_t known_length,
                         unsigned rows[3][LONGEST + 1])
{
    unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    unsigned least = row[0] = (unsigned)i;
    char letter = lower(name[i - 1]);
    for (size_t j = 1; j <= known_length; j++) {
        char other = lower(known[j - 1]);
        row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other));
        bool swapped = i > 1 && j > 1 && letter == lower(known[j - 2]) && lower(name[i - 2]) == other;
        if (swapped && two_above[j - 2] + 1 < row[j])
            row[j] = two_above[j - 2] + 1;
        if (row[j] < least)
            least = row[j];
    }
    return least;
}

unsigned name_distance(const char *name, size_t length, const char *known, size_t known_length)
{
    unsigned allowed = tolerance(length > known_length ? length : known_length);
    size_t difference = length > known_length ? length - known_length : known_length - length;
    if (difference > allowed || length > SCHEDULE_MAX_NAME || known_length > SCHEDULE_MAX_NAME)
        return NAMES_APART;
    unsigned rows[3][LONGEST + 1];
    for (size_t j = 0; j <= known_length; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= length; i++) {
        if (fill_row(i, name, known, known_length, rows) > allowed)
            return NAMES_APART;
    }
    unsigned distance = rows[length % 3][known_length];
    if (distance == 0 && memcmp(name, known, length) != 0)
        return 1;
    return distance <= allowed ? distance : NAMES_APART;
}

const char *nearest_name(const char *name, const char *const *known, size_t known_count)
{
    const char *nearest = NULL;
    unsigned least = NAMES_APART;
    for (size_t i = 0; i < known_count; i++) {
        unsigned distance = name_distance(name, strlen(name), known[i], strlen(known[i]));
        if (distance < least) {
            least = distance;
            nearest = known[i];
        }
    }
    return nearest;
}
