/* What the exports are made of: loops, names, the map from lines to calls, labels, and the reduced order. */
#include "schedule_support.h"

#include "export/c.h"
#include "export/c_names.h"
#include "export/c_rounds.h"
#include "export/graph.h"
#include "export/svg_inside.h"

/* Steps of the schedule's LINES, each with its own code but for those that VARY in each step. */
static struct c_loop *fold_lines(const char *lines, const char *vary, struct c_step *steps, uint32_t *loops)
{
    uint32_t count = (uint32_t)strlen(lines);
    for (uint32_t i = 0; i < count; i++) {
        char code[16];
        snprintf(code, sizeof code, "%c%u", lines[i], strchr(vary, lines[i]) ? i : 0);
        steps[i] = (struct c_step){.code = strdup(code), .reason = strdup(""), .line = (uint32_t)lines[i]};
    }
    return c_fold_rounds(steps, count, loops);
}

static void free_steps(struct c_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(steps[i].code);
        free(steps[i].reason);
    }
}

static void rounds_that_are_alike_are_a_loop(void **state)
{
    (void)state;
    struct c_step steps[16];
    uint32_t count;
    struct c_loop *loops = fold_lines("abcbcbcd", "", steps, &count);
    assert_int_equal(count, 1);
    assert_int_equal(loops[0].first, 1);
    assert_int_equal(loops[0].length, 2);
    assert_int_equal(loops[0].rounds, 3);
    assert_int_equal(steps[5].same, 1);
    assert_int_equal(steps[6].same, 2);
    assert_int_equal(steps[7].same, 7);
    free_steps(steps, 8);
    free(loops);
}

static void a_loop_in_a_loop(void **state)
{
    (void)state;
    struct c_step steps[16];
    uint32_t count;
    struct c_loop *loops = fold_lines("abbbcabbbc", "", steps, &count);
    assert_int_equal(count, 2);
    assert_int_equal(loops[0].length, 5);
    assert_int_equal(loops[0].rounds, 2);
    assert_int_equal(loops[1].first, 1);
    assert_int_equal(loops[1].length, 1);
    assert_int_equal(loops[1].rounds, 3);
    assert_int_equal(steps[8].same, 1);
    free_steps(steps, 10);
    free(loops);
}

static void rounds_that_differ_stand_one_after_the_other(void **state)
{
    (void)state;
    struct c_step steps[16];
    uint32_t count;
    struct c_loop *loops = fold_lines("abababa", "a", steps, &count);
    assert_int_equal(count, 0);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(steps[i].same, i);
    free_steps(steps, 7);
    free(loops);
}

static void names_that_mean_something_are_not_kept(void **state)
{
    (void)state;
    static const char *const reserved[] = {"int",      "while", "xor_eq",   "add_to_byte", "NULL",
                                           "CUDA",     "linux", "cudaFree", "ncclSend",    "size_t",
                                           "stdin",    "_x",    "SIGINT",   "M_PI_2f64",   "keep_busy",
                                           "template", "gpu",   "alignas"};
    static const char *const kept[] = {"x",       "S0", "E",      "x_",   "compute", "E1",
                                       "forward", "X2", "result", "Loss", "A"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!c_name_is_reserved(reserved[i]))
            fail_msg("%s is kept", reserved[i]);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (c_name_is_reserved(kept[i]))
            fail_msg("%s is not kept", kept[i]);
}

static const char looping[] = "rank 0\n"               /* 1 */
                              "buffer x float32[4]\n"  /* 2 */
                              "stream s nonblocking\n" /* 3 */
                              "repeat 3\n"             /* 4 */
                              "launch A -> x on s\n"   /* 5 */
                              "send x to 1 on s\n"     /* 6 */
                              "end\n"                  /* 7 */
                              "sync s\n"               /* 8 */
                              "rank 1\n"               /* 9 */
                              "buffer x float32[4]\n"  /* 10 */
                              "stream t\n"             /* 11 */
                              "repeat 3\n"             /* 12 */
                              "recv x from 0 on t\n"   /* 13 */
                              "end\n";                 /* 14 */

static const char *line_of(const struct text *text, uint32_t line)
{
    const char *at = text_string(text);
    for (; line > 0; line--)
        at = strchr(at, '\n') + 1;
    return at;
}

static void lines_name_their_calls(void **state)
{
    (void)state;
    static const char *const words[CALL_KIND_COUNT] = {
        [CALL_BUFFER] = "cudaMalloc", [CALL_STREAM] = "cudaStreamCreate",
        [CALL_LAUNCH] = "A<<<",       [CALL_SEND] = "ncclSend",
        [CALL_RECV] = "ncclRecv",     [CALL_SYNC_STREAM] = "cudaStreamSynchronize"};
    struct reading reading = read_schedule(looping);
    struct order *order = order_build(reading.program);
    struct text text = {0};
    struct export_line_map map;
    text_append(&text, "kept\n");
    export_c(order, "loop.schedule", &text, &map);
    for (uint32_t call = 0; call < reading.program->call_count; call++) {
        const struct statement *statement = call_statement(reading.program, call);
        const char *line = line_of(&text, map.lines[call] + 1), *word = strstr(line, words[statement->kind]);
        if (!word || word > strchr(line, '\n'))
            fail_msg("call %u (%s) is not in %.60s", call, call_kind_name(statement->kind), line);
        assert_int_equal(call_statement(reading.program, map.calls[map.lines[call]])->line, statement->line);
    }
    assert_int_equal(map.lines[2], map.lines[4]); /* the rounds of a loop share its lines */
    assert_non_null(strstr(text_string(&text), "round < 3"));
    export_line_map_free(&map);
    text_free(&text);
    order_free(order);
    reading_free(&reading);
}

static struct text export_text(const char *schedule)
{
    struct reading reading = read_schedule(schedule);
    struct order *order = order_build(reading.program);
    struct text text = {0};
    export_c(order, "two.schedule", &text, NULL);
    order_free(order);
    reading_free(&reading);
    return text;
}

/* Whether the lines stand one right behind the other. */
static void assert_lines(const struct text *text, const char *lines)
{
    if (!strstr(text_string(text), lines))
        fail_msg("not together:\n%s", lines);
}

/* CUDA programming guide, stream and event behavior: a kernel launches on a stream of the current GPU, and an
 * event is recorded on a stream of its own. */
static void work_on_another_gpu_has_it_current(void **state)
{
    (void)state;
    struct text text = export_text("rank 0\n"
                                   "buffer a float32[4]\n"
                                   "stream s nonblocking\n"
                                   "use gpu 1\n"
                                   "comm second\n"
                                   "buffer b float32[4]\n"
                                   "stream t nonblocking\n"
                                   "use gpu 0\n"
                                   "record E on t\n"
                                   "wait E on s\n"
                                   "launch B b -> a on s\n"
                                   "set b to 3 on t\n"
                                   "send b to 1 on t via second takes 2ms\n"
                                   "rank 1\n"
                                   "comm second\n"
                                   "buffer b float32[4]\n"
                                   "stream t nonblocking\n"
                                   "recv b from 0 on t via second\n");
    assert_lines(&text, "    CUDA(cudaSetDevice(gpu(1)));\n"
                        "    CUDA(cudaEventCreateWithFlags(&E, cudaEventDisableTiming));\n"
                        "    CUDA(cudaSetDevice(gpu(0)));\n");
    assert_lines(&text, "    CUDA(cudaSetDevice(gpu(1)));\n"
                        "    NCCL(ncclCommInitRank(&second, RANKS, id, 0));\n"
                        "    connect_ranks(second);\n");
    assert_lines(&text, "    CUDA(cudaSetDevice(gpu(1)));\n"
                        "    CUDA(cudaMemsetAsync(b, 3, 4 * sizeof *b, t));\n"
                        "    CUDA(cudaSetDevice(gpu(0)));\n");
    assert_lines(&text, "    CUDA(cudaSetDevice(gpu(1)));\n"
                        "    keep_busy(t, 2'000'000);\n"
                        "    CUDA(cudaSetDevice(gpu(0)));\n"
                        "    NCCL(ncclSend(b, 4, ncclFloat32, 1, second, t));\n");
    /* B reads on GPU 0 what is on GPU 1, and nothing reads the other way. */
    assert_lines(&text, "    enable_peer(0, 1);\n    CUDA(cudaSetDevice(gpu(0)));\n");
    assert_null(strstr(text_string(&text), "enable_peer(1"));
    /* NCCL has to be told where ranks meet on one GPU: second has both on GPU 1, and nobody uses world. */
    assert_lines(&text, "gpus[][RANKS] = {\n    {1, 1},\n};\n");
    text_free(&text);
}

static void work_on_one_gpu_needs_no_peer(void **state)
{
    (void)state;
    struct text text = export_text(looping);
    assert_null(strstr(text_string(&text), "enable_peer"));
    assert_lines(&text, "gpus[][RANKS] = {\n    {0, 1},\n};\n");
    text_free(&text);
}

static void labels_keep_apart(void **state)
{
    (void)state;
    struct svg_label labels[3] = {
        {.anchor = 10, .width = 40}, {.anchor = 12, .width = 30}, {.anchor = 99, .width = 20}};
    assert_true(svg_spread(labels, 3, 0, 110));
    for (int i = 0; i < 3; i++) {
        assert_true(labels[i].left >= 0 && labels[i].left + labels[i].width <= 110);
        assert_true(i == 0 || labels[i].left >= labels[i - 1].left + labels[i - 1].width);
    }
    assert_false(svg_spread(labels, 3, 0, 90));
}

static void markup_is_text(void **state)
{
    (void)state;
    struct text out = {0};
    svg_escape("a<b>&\"\x1b", &out);
    assert_string_equal(text_string(&out), "a&lt;b&gt;&amp;&quot;\\x1B");
    text_free(&out);
}

/* "0>1" for each edge that nothing else implies; "=" for a transfer. */
static void append_edges(const struct graph *graph, struct text *out)
{
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct graph_edge *edge = &graph->edges[e];
        if (!edge->is_implied)
            text_format(out, "%u%s%u ", edge->from, edge->is_transfer ? "=" : ">", edge->to);
    }
}

static void what_others_say_already_is_implied(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "stream s nonblocking\n"
                                           "stream t nonblocking\n"
                                           "launch a on s\n" /* node 0 */
                                           "launch b on s\n" /* node 1 */
                                           "record E on s\n" /* node 2 */
                                           "wait E on t\n"   /* node 3 */
                                           "launch c on t\n" /* node 4 */
                                           "sync device\n"); /* node 5 */
    struct order *order = order_build(reading.program);
    struct graph graph;
    struct text edges = {0};
    assert_true(graph_open(&graph, order, 6));
    append_edges(&graph, &edges);
    assert_string_equal(text_string(&edges), "0>1 1>2 2>3 3>4 4>5 ");
    graph_close(&graph);
    assert_false(graph_open(&graph, order, 5));
    graph_close(&graph);
    text_free(&edges);
    order_free(order);
    reading_free(&reading);
}

/* A receive is done after its send started: that says nothing of the send's end, which the host waits for by
 * itself. */
static void a_transfer_says_only_that_the_send_started(void **state)
{
    (void)state;
    struct reading reading = read_schedule("rank 0\n"
                                           "buffer x int8[4]\n"
                                           "stream s nonblocking\n"
                                           "send x to 1 on s\n" /* node 0 */
                                           "sync s\n"           /* node 1 */
                                           "barrier\n"          /* node 2 */
                                           "rank 1\n"
                                           "buffer x int8[4]\n"
                                           "stream s nonblocking\n"
                                           "recv x from 0 on s\n" /* node 3 */
                                           "sync s\n"             /* node 4 */
                                           "barrier\n");          /* node 5 */
    struct order *order = order_build(reading.program);
    struct graph graph;
    struct text edges = {0};
    assert_true(graph_open(&graph, order, 100));
    append_edges(&graph, &edges);
    assert_string_equal(text_string(&edges), "0>1 1>2 0=3 3>4 4>5 ");
    graph_close(&graph);
    text_free(&edges);
    order_free(order);
    reading_free(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_that_are_alike_are_a_loop),
        cmocka_unit_test(a_loop_in_a_loop),
        cmocka_unit_test(rounds_that_differ_stand_one_after_the_other),
        cmocka_unit_test(names_that_mean_something_are_not_kept),
        cmocka_unit_test(lines_name_their_calls),
        cmocka_unit_test(work_on_another_gpu_has_it_current),
        cmocka_unit_test(work_on_one_gpu_needs_no_peer),
        cmocka_unit_test(labels_keep_apart),
        cmocka_unit_test(markup_is_text),
        cmocka_unit_test(what_others_say_already_is_implied),
        cmocka_unit_test(a_transfer_says_only_that_the_send_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
