#include "export/c_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Sorted. Keywords of C++ and CUDA, macros in small letters, and what the program's text itself uses. */
static const char *const reserved[] = {
    "add_to_byte",
    "add_to_half",
    "alignas",
    "alignof",
    "alloca",
    "allocate",
    "and",
    "and_eq",
    "asm",
    "assert",
    "auto",
    "barrier",
    "bitand",
    "bitor",
    "blockDim",
    "blockIdx",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "check_cuda",
    "check_nccl",
    "check_pthread",
    "check_system",
    "class",
    "clusterDim",
    "clusterIdx",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "connect_ranks",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delay",
    "delete",
    "dim3",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enable_peer",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "fail",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "gpu",
    "gridDim",
    "i386",
    "id",
    "ids",
    "if",
    "import",
    "inline",
    "int",
    "is_done",
    "keep_busy",
    "linux",
    "long",
    "main",
    "math_errhandling",
    "module",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "prepare_nccl",
    "print_buffer",
    "print_values",
    "private",
    "protected",
    "pthread_barrier_wait",
    "public",
    "rank",
    "ranks_share_a_gpu",
    "receive_ids",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "round",
    "run_rank",
    "sched_priority",
    "short",
    "sigmask",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "template",
    "this",
    "threadIdx",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wait_for_ranks",
    "warpSize",
    "wchar_t",
    "while",
    "write_input",
    "xor",
    "xor_eq",
};

static bool begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static int compare_names(const void *name, const void *other)
{
    return strcmp(name, *(const char *const *)other);
}

/* Macros are written in capitals; those of two letters at most (S0, E1) are nobody's. */
static bool looks_like_a_macro(const char *name)
{
    size_t capitals = 0, small = 0;
    for (const char *c = name; *c; c++) {
        capitals += *c >= 'A' && *c <= 'Z';
        small += *c >= 'a' && *c <= 'z';
    }
    bool begins_with_capital = name[0] >= 'A' && name[0] <= 'Z';
    return (small == 0 && capitals > 2) || (begins_with_capital && strchr(name, '_'));
}

bool c_name_is_reserved(const char *name)
{
    static const char *const beginnings[] = {"_", "cuda", "nccl", "sa_", "si_", "sigev_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins_with(name, beginnings[i]))
            return true;
    size_t length = strlen(name);
    bool is_type = length > 2 && strcmp(name + length - 2, "_t") == 0;
    return is_type || looks_like_a_macro(name) ||
           bsearch(name, reserved, sizeof reserved / sizeof *reserved, sizeof *reserved, compare_names);
}

static char *keep(struct c_names *names, const char *string)
{
    ARRAY_RESERVE(names->owned, names->owned_count, names->owned_capacity);
    return names->owned[names->owned_count++] = memory_copy_string(string);
}

static struct name *entry(struct names *set, const char *name)
{
    const struct word word = {.at = name, .length = (uint32_t)strlen(name)};
    uint32_t found = names_find(set, SORT_MEMORY, word);
    return &set->items[found];
}

/* Whether the name was free; then it is taken. */
static bool take(struct c_names *names, const char *name, bool shared)
{
    if (entry(&names->shared, name)->thing != NONE)
        return false;
    struct name *found = entry(shared ? &names->shared : &names->rank, name);
    bool was_free = found->thing == NONE;
    found->thing = 0;
    return was_free;
}

const char *c_names_take(struct c_names *names, const char *name, const char *suffix, bool shared)
{
    if (!c_name_is_reserved(name)) {
        const char *plain = keep(names, name);
        if (take(names, plain, shared))
            return plain;
    }
    for (unsigned number = 1;; number++) {
        struct text text = {0};
        text_format(&text, "%s%s", name, suffix);
        if (number > 1)
            text_format(&text, "_%u", number);
        const char *candidate = keep(names, text_string(&text));
        text_free(&text);
        if (take(names, candidate, shared))
            return candidate;
    }
}

static const char *suffix_of(uint8_t kind)
{
    return kind == MEMORY_PINNED || kind == MEMORY_PAGEABLE ? "_host" : "_buffer";
}

/* The variable of an earlier memory of the same name, where it has the type too. */
static const char *shared_variable(const struct c_names *names, const struct program *program,
                                   uint32_t memory, uint32_t earlier)
{
    bool fits = earlier != NONE && program->memories[earlier].type == program->memories[memory].type;
    return fits ? names->memories[earlier] : NULL;
}

static void name_memories(struct c_names *names, const struct program *program, uint32_t rank)
{
    struct names declared = {0};
    for (uint32_t i = 0; i < program->memory_count; i++) {
        const struct memory *memory = &program->memories[i];
        if (memory->rank != rank)
            continue;
        struct name *name = entry(&declared, memory->name);
        names->memories[i] = shared_variable(names, program, i, name->thing);
        names->shares[i] = names->memories[i];
        name->thing = i;
        if (!names->shares[i])
            names->memories[i] = c_names_take(names, memory->name, suffix_of(memory->kind), false);
    }
    names_free(&declared);
}

void c_names_begin_rank(struct c_names *names, const struct program *program, uint32_t rank)
{
    names_clear(&names->rank);
    name_memories(names, program, rank);
    for (uint32_t i = 0; i < program->stream_count; i++) {
        const struct stream *stream = &program->streams[i];
        if (stream->rank == rank)
            names->streams[i] =
                stream->is_default ? "cudaStreamLegacy" : c_names_take(names, stream->name, "_stream", false);
    }
    for (uint32_t i = 0; i < program->event_count; i++)
        if (program->events[i].rank == rank)
            names->events[i] = c_names_take(names, program->events[i].name, "_event", false);
}

void c_names_open(struct c_names *names, const struct program *program)
{
    *names = (struct c_names){
        .memories = memory_zeroed(program->memory_count, sizeof *names->memories),
        .shares = memory_zeroed(program->memory_count, sizeof *names->shares),
        .streams = memory_zeroed(program->stream_count, sizeof *names->streams),
        .events = memory_zeroed(program->event_count, sizeof *names->events),
        .communicators = memory_zeroed(program->communicator_count, sizeof *names->communicators),
    };
    for (uint32_t i = 0; i < program->communicator_count; i++)
        names->communicators[i] = c_names_take(names, program->communicators[i].name, "_communicator", true);
}

void c_names_close(struct c_names *names)
{
    for (size_t i = 0; i < names->owned_count; i++)
        free(names->owned[i]);
    free(names->owned);
    free(names->memories);
    free(names->shares);
    free(names->streams);
    free(names->events);
    free(names->communicators);
    names_free(&names->shared);
    names_free(&names->rank);
}
