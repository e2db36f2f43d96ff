#include "order/order.h"

const char *rule_sentence(unsigned rule)
{
    static const char *const sentences[] = {
        [1] = "a host program makes its calls one after another",
        [2] = "an operation starts after it was submitted and after the one before it in its stream",
        [3] = "a wait on an event waits for the latest record that its host program had made",
        [4] = "the default stream and the blocking streams of a GPU wait for one another",
        [5] = "a receive is done no sooner than its send started, and a send may wait for its receive",
        [6] = "a group is done when all its members are",
        [7] = "a collective needs every rank",
        [8] = "sync, poll and barrier hold the host program back",
        [9] = "a copy between these kinds of memory holds the host back",
        [10] = "free and buffer may wait for all work of the GPU",
        [11] = "the communication of one GPU may have to take turns in the order of the calls",
        [12] = "destroy waits for the communicator's work and for the other ranks",
    };
    return rule < sizeof sentences / sizeof *sentences && sentences[rule] ? sentences[rule] : "";
}

static bool is_larger_send(const struct program *program, const struct statement *statement)
{
    return statement->kind == CALL_SEND &&
           span_bytes(program, &program->spans[statement->first_span]) > EAGER_LIMIT;
}

enum strength strength_without_abort(const struct order *order, uint32_t point, const struct wait *wait)
{
    const struct statement *statement = call_statement(order->program, point_call(point));
    if (wait->strength != ABORTABLE)
        return (enum strength)wait->strength;
    bool is_optional =
        wait->rule == 11 || (wait->rule == 5 && statement->kind == CALL_SEND) ||
        (statement->kind == CALL_BROADCAST && wait->rule == 7 && wait->rank != statement->peer);
    return is_optional ? MAY : ALWAYS;
}

bool choice_takes(const struct order *order, enum choice choice, uint32_t point, const struct wait *wait)
{
    switch (choice) {
    case CHOICE_STRICT:
        return true;
    case CHOICE_GUARANTEED:
        return wait->strength == ALWAYS;
    case CHOICE_EAGER:
        break;
    }
    return strength_without_abort(order, point, wait) != MAY ||
           (wait->rule == 5 &&
            is_larger_send(order->program, call_statement(order->program, point_call(point))));
}
