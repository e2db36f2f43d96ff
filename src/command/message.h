/* What a command says on standard error. */
#ifndef HANDOFF_COMMAND_MESSAGE_H
#define HANDOFF_COMMAND_MESSAGE_H

/* Prints "handoff COMMAND: " and the message as a line; untrusted bytes in it are made visible. COMMAND NULL:
 * "handoff: ". */
void complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
