/* Logs as files (JSON Lines, written and read with jansson) and in memory. */
#ifndef HANDOFF_LOG_LOG_H
#define HANDOFF_LOG_LOG_H

#include <stdio.h>

#include "log/record.h"

/* A log in memory: the header and all records so far, which own their bytes. */
struct log {
    struct log_header header;
    struct record *records;
    size_t count, capacity;
};

void log_append(struct log *log, const struct record *record); /* copies */
void log_free(struct log *log);
void log_header_free(struct log_header *header);

/* Writing. Every line is whole or an error says so: an error of log_writer_write() may be about a record that
 * was given before, and log_writer_close() reports what flushing and closing found. The header comes first,
 * as soon as it is known. */
struct log_writer;
struct log_writer *log_writer_open(const char *path, struct error *error);
bool log_writer_begin(struct log_writer *writer, const struct log_header *header, struct error *error);
bool log_writer_write(struct log_writer *writer, const struct record *record, struct error *error);
bool log_writer_close(struct log_writer *writer, struct error *error);

/* One line, without its newline: for followers and the file alike. */
void log_header_to_json(const struct log_header *header, struct text *line);
void log_record_to_json(const struct record *record, struct text *line);

/* Reading. A log is untrusted: every number is checked against the program that its header's schedule makes,
 * so that a view can be folded over what was read without further checks. log_read() resolves the schedule
 * itself. A log that ends too early is read as far as it goes, and WARNING says so (else it is empty). */
struct log_input {
    struct log log;
    struct error warning;
    struct schedule *schedule;
    struct program *program;
    struct order *order;
};
bool log_read(struct log_input *input, const char *path, struct error *error);
/* The same for a file that is in memory; NAME is for messages. */
bool log_read_bytes(struct log_input *input, const char *name, const char *bytes, size_t length,
                    struct error *error);
/* Only the header, from its line: the records can be appended as they come. A schedule of more calls than
 * CALL_LIMIT is an error. */
bool log_read_header(struct log_input *input, const char *line, size_t length, uint32_t call_limit,
                     struct error *error);
void log_input_free(struct log_input *input);
/* Freed by log_header_free(), also after an error. */
bool log_header_from_json(struct log_header *header, const char *line, size_t length, struct error *error);
/* The record's bytes are STORAGE's. */
bool log_record_from_json(const struct program *program, struct record *record, struct text *storage,
                          const char *line, size_t length, struct error *error);

#endif
