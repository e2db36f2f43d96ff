/* The rules, for whoever goes through a program's calls and has each point wait for what it has to. */
#ifndef HANDOFF_ORDER_RULES_H
#define HANDOFF_ORDER_RULES_H

#include "order/progress.h"

struct builder {
    struct order *order;
    const struct program *program;
    struct progress progress;
    const bool *skipped;    /* by statement; NULL */
    const bool *first_uses; /* by call: see connect.h. NULL: what there is besides the rules is left out */
    bool counting;
};

static inline const struct statement *statement_of(const struct builder *builder, uint32_t call)
{
    return call_statement(builder->program, call);
}

/* CALL is the one that is made, or a member of the group that it ends; SUBMITTED_BY is the one that is made.
 */
void rule_1_host_program(struct builder *builder, uint32_t call);
void rule_2_stream(struct builder *builder, uint32_t call, uint32_t submitted_by);
void rule_3_event(struct builder *builder, uint32_t call, enum phase held);
void rule_4_default_stream(struct builder *builder, uint32_t point, uint32_t stream);
void rule_4_default_sync(struct builder *builder, uint32_t call);
void rule_5_transfer(struct builder *builder, uint32_t call);
void rule_6_group(struct builder *builder, uint32_t end);
void rule_6_start(struct builder *builder, uint32_t member);
void rule_6_start_apart(struct builder *builder, uint32_t member);
void rule_6_streams(struct builder *builder);
void rule_7_collective(struct builder *builder, uint32_t call);
void rule_7_creation(struct builder *builder, uint32_t call);
void rule_8_stream(struct builder *builder, uint32_t call);
void rule_8_device(struct builder *builder, uint32_t call);
void rule_8_barrier(struct builder *builder, uint32_t call);
void rule_9_copy_returns(struct builder *builder, uint32_t call);
void rule_9_set_returns(struct builder *builder, uint32_t call);
void rule_10_allocation(struct builder *builder, uint32_t call, uint8_t rule);
void rule_11_turn(struct builder *builder, uint32_t call);
void rule_12_destroy(struct builder *builder, uint32_t call);

/* No rules: what NCCL and CUDA may do besides (docs/schedule-language.md, what a verdict rests on). */
void besides_connection(struct builder *builder, uint32_t call, uint32_t submitted_by);
void besides_pageable_copy(struct builder *builder, uint32_t call);

#endif
