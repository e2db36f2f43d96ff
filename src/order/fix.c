#include "order/fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "order/check.h"
#include "order/crossed.h"
#include "order/remedy.h"

/* So many changes are tried in all, fewer of a program that takes long to check. */
enum { TRIAL_LIMIT = 400, CALLS_LIMIT = 2000000 };

/* What tells a finding apart, whatever the lines are: a string. */
struct keys {
    char **items;
    uint32_t count;
};

struct fixing {
    const struct order *order;
    const struct program *program;
    const struct findings *findings;
    struct fixes *fixes;
    struct keys original; /* of the findings */
    struct keys current;  /* of the findings with the changes so far */
    uint32_t crossed;     /* collectives of the original: a change makes no more */
    uint32_t trials_left;
};

/* Whichever communicator carries it, it is the same transfer. */
static void append_without_communicator(const struct program *program, uint32_t call, struct text *out)
{
    const struct statement *statement = call_statement(program, call);
    struct text described = {0}, via = {0};
    size_t length, end;
    call_describe(program, call, &described);
    length = end = described.length;
    if (call_is_communication(statement) && statement->communicator != 0) {
        text_format(&via, " via %s", program->communicators[statement->communicator].name);
        while (length > 0 && strncmp(described.bytes + length, via.bytes, via.length) != 0)
            length--;
        end = length + via.length;
    }
    text_append_bytes(out, described.bytes, length);
    text_append(out, described.bytes + end);
    text_free(&described);
    text_free(&via);
}

static char *key_of(const struct program *program, const struct finding *finding)
{
    enum { CALLS = 16 };
    uint32_t calls[CALLS];
    uint32_t count = finding_calls(finding, calls, CALLS);
    struct text key = {0};
    text_format(&key, "%s", finding_kind_name(finding->kind));
    if (finding->memory != NONE)
        text_format(&key, " %s", program->memories[finding->memory].name);
    for (uint32_t i = 0; i < count; i++) {
        text_format(&key, "; %u ", call_statement(program, calls[i])->rank);
        append_without_communicator(program, calls[i], &key);
    }
    return key.bytes;
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct keys list_keys(const struct program *program, const struct findings *findings)
{
    struct keys keys = {.count = findings->count};
    keys.items = memory_resize(NULL, keys.count, sizeof *keys.items);
    for (uint32_t i = 0; i < keys.count; i++)
        keys.items[i] = key_of(program, &findings->items[i]);
    return keys;
}

static void sort_keys(struct keys *keys)
{
    qsort(keys->items, keys->count, sizeof *keys->items, compare_keys);
}

static void free_keys(struct keys *keys)
{
    for (uint32_t i = 0; i < keys->count; i++)
        free(keys->items[i]);
    free(keys->items);
    *keys = (struct keys){0};
}

/* How often KEY is among the sorted KEYS. */
static uint32_t count_key(const struct keys *keys, const char *key)
{
    uint32_t low = 0, high = keys->count, count = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(keys->items[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < keys->count && strcmp(keys->items[low + count], key) == 0)
        count++;
    return count;
}

/* Whether nothing is in NOW more often than it was BEFORE, of what counts. */
static bool nothing_came(const struct keys *before, const struct keys *now, bool counts_unwritten)
{
    const char *unwritten = finding_kind_name(FINDING_UNINITIALIZED);
    for (uint32_t i = 0; i < now->count; i++)
        if (count_key(now, now->items[i]) > count_key(before, now->items[i]) &&
            (counts_unwritten || strncmp(now->items[i], unwritten, strlen(unwritten)) != 0))
            return false;
    return true;
}

/* Whether it can be read without variants, and with each of them. */
static bool reads_without_faults(const struct schedule *schedule)
{
    struct diagnostics diagnostics = {0};
    bool fine = true;
    for (size_t v = 0; v <= schedule_variant_count(schedule) && fine; v++) {
        uint32_t variants = v == 0 ? 0 : UINT32_C(1) << (v - 1);
        struct program *program = program_resolve(schedule, variants, &diagnostics);
        fine = program != NULL;
        program_free(program);
    }
    diagnostics_free(&diagnostics);
    return fine;
}

/* The findings of a text under the variants of the original; false where it has faults, or crosses
 * collectives in a group. */
static bool check_text(const struct fixing *fixing, const struct text *text, struct keys *keys)
{
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = schedule_parse(text_string(text), text->length, 1, &diagnostics);
    bool fine = schedule && reads_without_faults(schedule);
    struct program *program =
        fine ? program_resolve(schedule, fixing->program->variants, &diagnostics) : NULL;
    if (program) {
        struct order *order = order_build(program);
        struct findings findings = order_check(order);
        fine = find_crossed(order, NULL, NULL) <= fixing->crossed;
        *keys = list_keys(program, &findings);
        sort_keys(keys);
        findings_free(&findings);
        order_free(order);
        program_free(program);
    }
    schedule_free(schedule);
    diagnostics_free(&diagnostics);
    return program && fine;
}

/* Two changes of one line would take each other's place. */
static bool collide(const struct change *a, const struct change *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            if (a->edits[i].line == b->edits[j].line && a->edits[i].kind != EDIT_INSERT &&
                b->edits[j].kind != EDIT_INSERT)
                return true;
    return false;
}

/* Makes the change on top of those so far, and keeps it if KEY is gone then and nothing has come. Where a
 * race is mended it may come to light that something is read before it is written: with COUNTS_UNWRITTEN that
 * is no mending. */
static bool try_change(struct fixing *fixing, const char *key, const struct change *change,
                       bool counts_unwritten)
{
    struct change *all = &fixing->fixes->all;
    struct text text = {0};
    struct keys keys = {0};
    size_t before = all->count;
    if (collide(all, change))
        return false;
    fixing->trials_left--;
    change_append(all, change);
    schedule_edit(all->schedule, all->edits, all->count, &text);
    bool fine = check_text(fixing, &text, &keys) &&
                count_key(&keys, key) < count_key(&fixing->current, key) &&
                nothing_came(&fixing->current, &keys, counts_unwritten);
    text_free(&text);
    if (fine) {
        free_keys(&fixing->current);
        fixing->current = keys;
        return true;
    }
    free_keys(&keys);
    while (all->count > before)
        free((void *)all->edits[--all->count].words);
    return false;
}

/* Whether the changes so far do as much without those that are left out. */
static bool do_as_much(struct fixing *fixing, const struct edit *edits, size_t count)
{
    struct text text = {0};
    struct keys keys = {0};
    fixing->trials_left--;
    schedule_edit(fixing->program->schedule, edits, count, &text);
    bool fine = check_text(fixing, &text, &keys) && nothing_came(&fixing->current, &keys, true);
    text_free(&text);
    free_keys(&keys);
    return fine;
}

/* What an edit inserts that was not there before: what only moves stands behind the removal of its line. */
static bool inserts(const struct change *change, size_t number, const char *word)
{
    const struct edit *edit = &change->edits[number];
    bool moves = number > 0 && change->edits[number - 1].kind == EDIT_REMOVE;
    return edit->kind == EDIT_INSERT && !moves && strncmp(edit->words, word, strlen(word)) == 0;
}

/* Leaves out the edits FIRST and SECOND (which may be the same), unless they are needed. */
static bool leave_out(struct fixing *fixing, size_t first, size_t second)
{
    struct change *all = &fixing->fixes->all;
    struct edit *fewer = memory_resize(NULL, all->count, sizeof *fewer);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (i != first && i != second)
            fewer[count++] = all->edits[i];
    bool fine = fixing->trials_left > 0 && do_as_much(fixing, fewer, count);
    if (fine) {
        free((void *)all->edits[first].words);
        if (second != first)
            free((void *)all->edits[second].words);
        memcpy(all->edits, fewer, count * sizeof *fewer);
        all->count = count;
    }
    free(fewer);
    return fine;
}

/* A later change may do what an earlier one was made for. */
static void leave_out_needless(struct fixing *fixing, const char *word)
{
    for (size_t i = 0; i < fixing->fixes->all.count;)
        if (!inserts(&fixing->fixes->all, i, word) || !leave_out(fixing, i, i))
            i++;
}

/* The edit that begins a group where edit END closes another one; its number, or the count of edits. */
static size_t group_behind(const struct change *change, size_t end)
{
    size_t group = 0;
    while (group < change->count &&
           !(inserts(change, group, "group") && change->edits[group].line == change->edits[end].line))
        group++;
    return group;
}

/* Two groups with nothing between them are one, where that is as good. */
static void join_groups(struct fixing *fixing)
{
    const struct change *all = &fixing->fixes->all;
    for (size_t i = 0; i < all->count;) {
        size_t group = inserts(all, i, "end") ? group_behind(all, i) : all->count;
        if (group == all->count || !leave_out(fixing, i, group))
            i++;
    }
}

static bool make_attempts(struct fixing *fixing, uint32_t number, bool counts_unwritten)
{
    const char *key = fixing->original.items[number];
    struct change *change = &fixing->fixes->by_finding[number];
    const struct remedy remedy = {.order = fixing->order,
                                  .program = fixing->program,
                                  .finding = &fixing->findings->items[number],
                                  .so_far = &fixing->fixes->all,
                                  .change = change};
    for (unsigned attempt = 0; fixing->trials_left > 0; attempt++) {
        if (!remedy_guess(&remedy, attempt))
            break;
        if (change->count > 0 && try_change(fixing, key, change, counts_unwritten))
            return true;
        change_clear(change);
    }
    change_clear(change);
    return false;
}

static void fix_finding(struct fixing *fixing, uint32_t number)
{
    if (!make_attempts(fixing, number, true) && fixing->findings->items[number].kind == FINDING_RACE)
        make_attempts(fixing, number, false);
}

/* Whether it is a fault of the file: notes are none, and what hangs on a setting of NCCL is not mended here.
 */
static bool is_to_be_fixed(const struct finding *finding)
{
    return finding_severity(finding->kind) != SEVERITY_NOTE && finding->kind != FINDING_UNPORTABLE;
}

/* Of findings with the same key, as many are gone as are missing, the first ones. */
static void mark_gone(struct fixing *fixing)
{
    struct keys sorted = list_keys(fixing->program, fixing->findings);
    sort_keys(&sorted);
    for (uint32_t i = 0; i < fixing->original.count; i++) {
        const char *key = fixing->original.items[i];
        uint32_t missing = count_key(&sorted, key) - count_key(&fixing->current, key);
        for (uint32_t j = 0; j < i; j++)
            missing -= missing > 0 && strcmp(fixing->original.items[j], key) == 0;
        fixing->fixes->gone[i] = missing > 0 && is_to_be_fixed(&fixing->findings->items[i]);
    }
    free_keys(&sorted);
}

/* Looks which findings the change of finding NUMBER takes away where no other is made. */
static void try_alone(struct fixing *fixing, const struct keys *before, uint32_t number)
{
    const struct change *change = &fixing->fixes->by_finding[number];
    struct text text = {0};
    struct keys keys = {0};
    fixing->trials_left--;
    schedule_edit(change->schedule, change->edits, change->count, &text);
    bool fine = check_text(fixing, &text, &keys) &&
                nothing_came(before, &keys, fixing->findings->items[number].kind != FINDING_RACE);
    for (uint32_t i = 0; i < fixing->original.count && fine; i++) {
        const char *key = fixing->original.items[i];
        uint32_t left = count_key(&keys, key);
        if (left == 0 || (i == number && left < count_key(before, key)))
            fixing->fixes->cures[i] = fixing->fixes->cures[i] == NONE ? number : fixing->fixes->cures[i];
    }
    text_free(&text);
    free_keys(&keys);
}

static void find_cures(struct fixing *fixing)
{
    uint32_t changes = 0;
    for (uint32_t i = 0; i < fixing->fixes->count; i++)
        changes += fixing->fixes->by_finding[i].count > 0;
    if (changes < 2)
        return;
    struct keys before = list_keys(fixing->program, fixing->findings);
    sort_keys(&before);
    for (uint32_t i = 0; i < fixing->fixes->count && fixing->trials_left > 0; i++)
        if (fixing->fixes->by_finding[i].count > 0)
            try_alone(fixing, &before, i);
    free_keys(&before);
}

/* Or one that reads alike: which of them a change took away is not known. */
static bool is_still_there(const struct fixing *fixing, uint32_t number)
{
    return count_key(&fixing->current, fixing->original.items[number]) > 0;
}

static struct fixes find_fixes(const struct order *order, const struct findings *findings, bool each)
{
    const struct program *program = order->program;
    const struct change none = {.schedule = program->schedule, .variants = program->variants};
    struct fixes fixes = {.count = findings->count, .all = none};
    struct fixing fixing = {.order = order,
                            .program = program,
                            .findings = findings,
                            .fixes = &fixes,
                            .crossed = find_crossed(order, NULL, NULL),
                            .trials_left = TRIAL_LIMIT};
    if ((uint64_t)program->call_count * TRIAL_LIMIT > CALLS_LIMIT)
        fixing.trials_left = CALLS_LIMIT / program->call_count + 1;
    fixes.by_finding = memory_resize(NULL, findings->count, sizeof *fixes.by_finding);
    fixes.gone = memory_zeroed(findings->count, sizeof *fixes.gone);
    fixes.cures = memory_all_ones(findings->count, sizeof *fixes.cures);
    fixing.original = list_keys(program, findings);
    fixing.current = list_keys(program, findings);
    sort_keys(&fixing.current);
    for (uint32_t i = 0; i < findings->count; i++)
        fixes.by_finding[i] = none;
    for (uint32_t i = 0; i < findings->count; i++)
        if (is_to_be_fixed(&findings->items[i]) && is_still_there(&fixing, i))
            fix_finding(&fixing, i);
    leave_out_needless(&fixing, "wait ");
    leave_out_needless(&fixing, "sync ");
    leave_out_needless(&fixing, "record ");
    join_groups(&fixing);
    mark_gone(&fixing);
    if (each)
        find_cures(&fixing);
    free_keys(&fixing.original);
    free_keys(&fixing.current);
    return fixes;
}

struct fixes order_fix(const struct order *order, const struct findings *findings)
{
    return find_fixes(order, findings, false);
}

struct fixes order_fix_each(const struct order *order, const struct findings *findings)
{
    return find_fixes(order, findings, true);
}

const struct change *fixes_find(const struct fixes *fixes, uint32_t finding)
{
    if (finding >= fixes->count || !fixes->gone[finding])
        return NULL;
    uint32_t cure = fixes->cures[finding];
    return cure == NONE ? &fixes->all : &fixes->by_finding[cure];
}

void fixes_free(struct fixes *fixes)
{
    for (uint32_t i = 0; i < fixes->count; i++)
        change_free(&fixes->by_finding[i]);
    free(fixes->by_finding);
    free(fixes->gone);
    free(fixes->cures);
    change_free(&fixes->all);
}
