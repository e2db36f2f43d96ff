/* Any bytes as a lesson. */
#include "lesson/lesson.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct diagnostics diagnostics = {0};
    struct lesson *lesson = lesson_parse("fuzz", (const char *)bytes, length, &diagnostics);
    struct text text = {0};
    diagnostics_print(&diagnostics, "fuzz", &text);
    text_free(&text);
    lesson_free(lesson);
    diagnostics_free(&diagnostics);
    return 0;
}
