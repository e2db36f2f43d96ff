#include "command/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void complain(const char *command, const char *format, ...)
{
    char message[ERROR_LENGTH + 512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    struct text line = {0};
    text_append(&line, "handoff");
    if (command)
        text_format(&line, " %s", command);
    text_append(&line, ": ");
    text_append_visible(&line, message, strlen(message));
    text_append(&line, "\n");
    fputs(text_string(&line), stderr);
    text_free(&line);
}
