#include "order/vain.h"

#include "order/wording.h"

/* What is farther away than so many calls was hardly meant for the operation. */
enum { CALL_LIMIT = 4096 };

struct pair {
    const struct order *order;
    uint32_t submitted; /* the call that submits the earlier operation: its own, or the end of its group */
    uint32_t stream;    /* of the earlier operation */
    uint32_t later;
};

static const struct statement *statement_of(const struct pair *pair, uint32_t call)
{
    return call_statement(pair->order->program, call);
}

static uint32_t gpu_of_earlier(const struct pair *pair)
{
    return pair->order->program->streams[pair->stream].gpu;
}

static bool waits_for_another_gpu(const struct pair *pair, uint32_t call)
{
    const struct statement *statement = statement_of(pair, call);
    return statement->kind == CALL_SYNC_DEVICE && statement->gpu != gpu_of_earlier(pair);
}

static bool asks_for_earlier(const struct pair *pair, uint32_t call)
{
    const struct statement *statement = statement_of(pair, call);
    uint32_t record = pair->order->bound[call];
    if (statement->kind == CALL_QUERY_STREAM)
        return statement->stream == pair->stream;
    return statement->kind == CALL_QUERY_EVENT && record != NONE && record > pair->submitted &&
           statement_of(pair, record)->stream == pair->stream;
}

/* The first such call between the two; NONE. */
static uint32_t find_between(const struct pair *pair, bool (*is_such)(const struct pair *pair, uint32_t call))
{
    uint32_t last = pair->submitted + CALL_LIMIT;
    for (uint32_t call = pair->submitted + 1; call < pair->later && call <= last; call++)
        if (is_such(pair, call))
            return call;
    return NONE;
}

void vain_words(const struct order *order, uint32_t earlier, uint32_t later, struct text *out)
{
    const struct program *program = order->program;
    const struct statement *statement = call_statement(program, earlier);
    const struct pair pair = {order, submitter_of(order, earlier), statement->stream, later};
    uint32_t sync = find_between(&pair, waits_for_another_gpu), query = find_between(&pair, asks_for_earlier);
    if (sync != NONE) {
        text_append(out, ". ");
        word_call_of_rank(program, sync, out);
        text_format(out, " waits only for GPU %u, which was current there, and the first is on GPU %u",
                    statement_of(&pair, sync)->gpu, gpu_of_earlier(&pair));
    }
    if (query != NONE) {
        text_append(out, ". ");
        word_call_of_rank(program, query, out);
        text_append(out, " proves nothing, as nobody waits for its answer");
    }
}
