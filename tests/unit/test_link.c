/* Streams of bytes between simulated devices, both ends in one process here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/sim/link.h"

struct pair {
    int descriptors[2];
    struct links ends[2]; /* of rank 0 and rank 1 */
};

static void open_pair(struct pair *pair)
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair->descriptors), 0);
    links_open(&pair->ends[0], (int[]){-1, pair->descriptors[0]}, 2);
    links_open(&pair->ends[1], (int[]){pair->descriptors[1], -1}, 2);
}

static void close_pair(struct pair *pair)
{
    for (int end = 0; end < 2; end++) {
        links_close(&pair->ends[end]);
        if (pair->descriptors[end] >= 0)
            close(pair->descriptors[end]);
    }
}

static void send_text(struct pair *pair, uint32_t key, const char *text)
{
    links_send(&pair->ends[0], 1, key, (const uint8_t *)text, strlen(text));
}

static void check_receives(struct pair *pair, uint32_t key, const char *expected)
{
    char bytes[64] = "";
    assert_true(links_receive(&pair->ends[1], 0, key, (uint8_t *)bytes, strlen(expected)));
    assert_string_equal(bytes, expected);
}

static void test_streams_are_told_apart_by_their_keys(void **state)
{
    (void)state;
    struct pair pair;
    open_pair(&pair);
    send_text(&pair, 7, "one ");
    send_text(&pair, 8, "other");
    send_text(&pair, 7, "stream");
    links_flush(&pair.ends[0]);
    check_receives(&pair, 8, "oth");
    check_receives(&pair, 7, "one str");
    check_receives(&pair, 8, "er");
    check_receives(&pair, 7, "eam");
    close_pair(&pair);
}

static void test_what_was_sent_before_the_end_arrives(void **state)
{
    (void)state;
    struct pair pair;
    uint8_t byte;
    open_pair(&pair);
    send_text(&pair, 1, "last words");
    links_flush(&pair.ends[0]);
    close(pair.descriptors[0]);
    pair.descriptors[0] = -1;
    assert_false(links_receive(&pair.ends[1], 0, 2, &byte, 1));
    check_receives(&pair, 1, "last words");
    assert_false(links_receive(&pair.ends[1], 0, 1, &byte, 1));
    /* And sending to one that has gone is no fault. */
    links_send(&pair.ends[1], 0, 3, &byte, 1);
    links_flush(&pair.ends[1]);
    close_pair(&pair);
}

static void test_a_stream_to_oneself(void **state)
{
    (void)state;
    struct pair pair;
    uint8_t bytes[4] = {1, 2, 3, 4}, received[4] = {0};
    open_pair(&pair);
    links_send(&pair.ends[0], 0, 5, bytes, 4);
    assert_true(links_receive(&pair.ends[0], 0, 5, received, 4));
    assert_memory_equal(received, bytes, 4);
    close_pair(&pair);
}

/* Megabytes that nobody asks for yet, while the sender waits for room and the receiver for its channel. */
static void test_what_comes_unasked_is_kept(void **state)
{
    (void)state;
    enum { LENGTH = 3 << 20 };
    struct pair pair;
    int channel[2];
    open_pair(&pair);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, channel), 0);
    uint8_t *bytes = malloc(LENGTH), *received = malloc(LENGTH);
    for (size_t i = 0; i < LENGTH; i++)
        bytes[i] = (uint8_t)(i * 2654435761U >> 24);
    pid_t sender = fork();
    if (sender == 0) {
        links_send(&pair.ends[0], 1, 1, bytes, LENGTH);
        links_send(&pair.ends[0], 1, 2, bytes, 16);
        links_flush(&pair.ends[0]);
        _exit(write(channel[1], "x", 1) == 1 ? 0 : 1);
    }
    links_await(&pair.ends[1], channel[0]); /* comes back only if everything could be sent meanwhile */
    assert_true(links_receive(&pair.ends[1], 0, 2, received, 16));
    assert_memory_equal(received, bytes, 16);
    assert_true(links_receive(&pair.ends[1], 0, 1, received, LENGTH));
    assert_memory_equal(received, bytes, LENGTH);
    waitpid(sender, NULL, 0);
    free(bytes);
    free(received);
    close(channel[0]);
    close(channel[1]);
    close_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_are_told_apart_by_their_keys),
        cmocka_unit_test(test_what_was_sent_before_the_end_arrives),
        cmocka_unit_test(test_a_stream_to_oneself),
        cmocka_unit_test(test_what_comes_unasked_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
