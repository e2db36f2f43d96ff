/* The __global__ functions: A, B, C and the opaque ones, as src/schedule/element.h says what they make. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/c_inside.h"

static bool is_small_float(enum element_type type)
{
    return type == TYPE_FLOAT16 || type == TYPE_BFLOAT16;
}

static bool is_integer(enum element_type type)
{
    return type <= TYPE_UINT64;
}

const char *c_type(enum element_type type)
{
    static const char *const names[TYPE_COUNT] = {
        [TYPE_INT8] = "int8_t",     [TYPE_UINT8] = "uint8_t",          [TYPE_INT32] = "int32_t",
        [TYPE_UINT32] = "uint32_t", [TYPE_INT64] = "int64_t",          [TYPE_UINT64] = "uint64_t",
        [TYPE_FLOAT16] = "__half",  [TYPE_BFLOAT16] = "__nv_bfloat16", [TYPE_FLOAT32] = "float",
        [TYPE_FLOAT64] = "double",
    };
    return names[type];
}

void c_element(enum element_type type, const char *expression, struct text *out)
{
    text_format(out, "(%s)%s(%s)", c_type(type), is_small_float(type) ? "(double)" : "", expression);
}

/* A launch, span by span. */
struct launch {
    const struct program *program;
    const struct statement *statement;
    const char *kernel;
    unsigned input_count, output_count;
    bool inputs_differ; /* from an output in their number of elements */
    bool has_float;     /* among the inputs */
};

static const struct span *span_at(const struct launch *launch, uint32_t index)
{
    return &launch->program->spans[launch->statement->first_span + index];
}

static enum element_type type_of(const struct launch *launch, const struct span *span)
{
    return (enum element_type)launch->program->memories[span->memory].type;
}

static bool is_output(const struct span *span)
{
    return span->access & ACCESS_CHANGE;
}

static bool is_b(const struct launch *launch)
{
    return strcmp(launch->kernel, "B") == 0;
}

static struct launch describe(const struct program *program, const struct statement *statement)
{
    struct launch launch = {program, statement, program->kernels[statement->kernel], 0, 0, false, false};
    uint32_t count = NONE;
    for (uint32_t i = 0; i < statement->span_count; i++) {
        const struct span *span = span_at(&launch, i);
        if (is_output(span))
            launch.output_count++;
        else
            launch.input_count++;
        if (!is_output(span) && !is_integer(type_of(&launch, span)))
            launch.has_float = true;
        launch.inputs_differ |= count != NONE && span->count != count;
        count = span->count;
    }
    return launch;
}

/* "in", or "in_2" where there are several. */
static void append_numbered(struct text *out, const char *name, unsigned number, unsigned total)
{
    if (total == 1)
        text_append(out, name);
    else
        text_format(out, "%s_%u", name, number);
}

static bool takes_turns(const struct launch *launch)
{
    return launch->output_count > 0 && !is_b(launch);
}

static void append_parameters(const struct launch *launch, struct text *out)
{
    unsigned input = 0, output = 0;
    for (uint32_t i = 0; i < launch->statement->span_count; i++) {
        const struct span *span = span_at(launch, i);
        if (out->length > 0)
            text_append(out, ", ");
        if (is_output(span)) {
            text_format(out, "%s *", c_type(type_of(launch, span)));
            append_numbered(out, "out", ++output, launch->output_count);
            text_append(out, ", size_t ");
            append_numbered(out, "count", output, launch->output_count);
            continue;
        }
        text_format(out, "const %s *", c_type(type_of(launch, span)));
        if (!is_b(launch) || launch->output_count == 0)
            continue; /* what it makes does not depend on it: the parameter needs no name */
        append_numbered(out, "in", ++input, launch->input_count);
        if (launch->inputs_differ) {
            text_append(out, ", size_t ");
            append_numbered(out, "in_count", input, launch->input_count);
        }
    }
    if (takes_turns(launch))
        text_append(out, ", size_t turn");
}

/* One input's element i, in a type in which the sum of all is exact. */
static void append_input(const struct launch *launch, const struct span *span, unsigned number,
                         struct text *out)
{
    if (launch->input_count > 1)
        text_append(out, launch->has_float ? "(double)" : "(int64_t)");
    if (is_small_float(type_of(launch, span)))
        text_append(out, "(float)");
    append_numbered(out, "in", number, launch->input_count);
    if (!launch->inputs_differ) {
        text_append(out, "[i]");
        return;
    }
    text_append(out, "[i % ");
    append_numbered(out, "in_count", number, launch->input_count);
    text_append(out, "]");
}

static void append_doubled(const struct launch *launch, struct text *out)
{
    unsigned number = 0;
    text_append(out, launch->input_count == 0 ? "0" : launch->input_count == 1 ? "2 * " : "2 * (");
    for (uint32_t i = 0; i < launch->statement->span_count; i++) {
        const struct span *span = span_at(launch, i);
        if (is_output(span))
            continue;
        if (number > 0)
            text_append(out, " + ");
        append_input(launch, span, ++number, out);
    }
    if (launch->input_count > 1)
        text_append(out, ")");
}

static void append_value(const struct launch *launch, unsigned output, struct text *out)
{
    struct text value = {0};
    if (strcmp(launch->kernel, "A") == 0) {
        append_numbered(&value, "count", output, launch->output_count);
        text_append(&value, " * turn + i + 1");
    } else if (is_b(launch)) {
        append_doubled(launch, &value);
    } else if (strcmp(launch->kernel, "C") == 0) {
        text_append(&value, "100 * (turn + 1) + i");
    } else {
        text_format(&value, "%u + turn %% 1000 * 1000 + i %% 1000",
                    (launch->statement->kernel + 1) * 1000000);
    }
    text_append(out, text_string(&value));
    text_free(&value);
}

/* Whether the only input has the output's type, and its double needs no conversion. */
static bool doubles_in_place(const struct launch *launch, enum element_type type)
{
    for (uint32_t i = 0; i < launch->statement->span_count; i++)
        if (!is_output(span_at(launch, i)) && type_of(launch, span_at(launch, i)) != type)
            return false;
    return is_b(launch) && launch->input_count == 1 && element_size(type) >= 4;
}

/* What an element becomes: wrapped or rounded to its type. */
static void append_element(const struct launch *launch, const struct span *span, unsigned output,
                           struct text *out)
{
    struct text value = {0};
    enum element_type type = type_of(launch, span);
    if (doubles_in_place(launch, type)) {
        append_value(launch, output, out);
        return;
    }
    if (is_b(launch) && launch->has_float && is_integer(type)) {
        text_append(&value, "(int64_t)(");
        append_value(launch, output, &value);
        text_append(&value, ")");
    } else {
        append_value(launch, output, &value);
    }
    c_element(type, text_string(&value), out);
    text_free(&value);
}

static void append_accumulation(const struct launch *launch, const struct span *span, unsigned output,
                                struct text *out)
{
    enum element_type type = type_of(launch, span);
    struct text place = {0};
    append_numbered(&place, "out", output, launch->output_count);
    if (element_size(type) == 1)
        text_format(out, "        add_to_byte(%s + i, ", text_string(&place));
    else if (type == TYPE_INT64 || type == TYPE_UINT64)
        text_format(out, "        atomicAdd((unsigned long long *)%s + i, (unsigned long long)",
                    text_string(&place));
    else
        text_format(out, "        atomicAdd(%s + i, ", text_string(&place));
    append_element(launch, span, output, out);
    text_append(out, ");\n");
    text_free(&place);
}

static void append_output(const struct launch *launch, const struct span *span, unsigned output,
                          struct text *out)
{
    struct text count = {0};
    append_numbered(&count, "count", output, launch->output_count);
    text_format(out,
                "    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < %s; i += gridDim.x * "
                "blockDim.x)\n",
                text_string(&count));
    text_free(&count);
    if (span->access & ACCESS_ACCUMULATE) {
        append_accumulation(launch, span, output, out);
        return;
    }
    text_append(out, "        ");
    append_numbered(out, "out", output, launch->output_count);
    text_append(out, "[i] = ");
    append_element(launch, span, output, out);
    text_append(out, ";\n");
}

static void append_body(const struct launch *launch, struct text *out)
{
    unsigned output = 0;
    for (uint32_t i = 0; i < launch->statement->span_count; i++)
        if (is_output(span_at(launch, i)))
            append_output(launch, span_at(launch, i), ++output, out);
}

static uint32_t find_kernel(const struct c_export *export, uint32_t kernel, const char *parameters,
                            const char *body)
{
    for (uint32_t i = 0; i < export->kernel_count; i++) {
        const struct c_kernel *known = &export->kernels[i];
        if (known->kernel == kernel && strcmp(known->parameters, parameters) == 0 &&
            strcmp(known->body, body) == 0)
            return i;
    }
    return NONE;
}

/* The name of the functions of a kernel, where none of them has these parameters; or NULL. */
static const char *name_to_share(const struct c_export *export, uint32_t kernel, const char *parameters)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < export->kernel_count; i++) {
        const struct c_kernel *known = &export->kernels[i];
        if (known->kernel != kernel)
            continue;
        if (strcmp(known->parameters, parameters) == 0)
            return NULL;
        name = known->name;
    }
    return name;
}

/* A, B and C keep their names. Any other gets an ending: a function's name may not be one that the headers
 * declare. */
static const char *name_kernel(struct c_export *export, uint32_t kernel, const char *parameters)
{
    const char *name = export->program->kernels[kernel];
    const char *shared = name_to_share(export, kernel, parameters);
    if (shared)
        return shared;
    bool has_meaning = strlen(name) == 1 && strchr("ABC", name[0]);
    struct text text = {0};
    text_format(&text, "%s%s", name, has_meaning ? "" : "_kernel");
    const char *taken = c_names_take(&export->names, text_string(&text), "", true);
    text_free(&text);
    return taken;
}

static uint32_t add_kernel(struct c_export *export, const struct statement *statement)
{
    struct text parameters = {0}, body = {0};
    const struct launch launch = describe(export->program, statement);
    append_parameters(&launch, &parameters);
    append_body(&launch, &body);
    uint32_t found = find_kernel(export, statement->kernel, text_string(&parameters), text_string(&body));
    if (found == NONE) {
        const char *name = name_kernel(export, statement->kernel, text_string(&parameters));
        ARRAY_RESERVE(export->kernels, export->kernel_count, export->kernel_capacity);
        found = export->kernel_count++;
        export->kernels[found] = (struct c_kernel){
            .name = name,
            .kernel = statement->kernel,
            .takes_turns = takes_turns(&launch),
            .passes_input_counts = is_b(&launch) && launch.inputs_differ,
            .parameters = memory_copy_string(text_string(&parameters)),
            .body = memory_copy_string(text_string(&body)),
        };
    }
    text_free(&parameters);
    text_free(&body);
    return found;
}

void c_collect_kernels(struct c_export *export)
{
    const struct program *program = export->program;
    export->kernel_of = memory_all_ones(program->statement_count, sizeof *export->kernel_of);
    for (uint32_t i = 0; i < program->statement_count; i++)
        if (program->statements[i].kind == CALL_LAUNCH)
            export->kernel_of[i] = add_kernel(export, &program->statements[i]);
}

static const char *purpose(const char *kernel)
{
    if (strcmp(kernel, "A") == 0)
        return "Makes the next input.";
    if (strcmp(kernel, "B") == 0)
        return "Doubles what it reads.";
    if (strcmp(kernel, "C") == 0)
        return "Makes something that depends on no input.";
    return "Stands for a kernel of your own: what it writes tells which one it was, and its turn.";
}

void c_write_kernels(const struct c_export *export, struct text *out)
{
    for (uint32_t i = 0; i < export->kernel_count; i++) {
        const struct c_kernel *kernel = &export->kernels[i];
        text_format(out, "/* %s */\nstatic __global__ void %s(%s)\n{\n%s}\n\n",
                    purpose(export->program->kernels[kernel->kernel]), kernel->name, kernel->parameters,
                    kernel->body);
    }
}
