#include <string.h>

#include "export/svg_inside.h"

void svg_escape(const char *bytes, struct text *out)
{
    struct text visible = {0};
    text_append_visible(&visible, bytes, strlen(bytes));
    for (const char *c = text_string(&visible); *c; c++) {
        switch (*c) {
        case '&':
            text_append(out, "&amp;");
            break;
        case '<':
            text_append(out, "&lt;");
            break;
        case '>':
            text_append(out, "&gt;");
            break;
        case '"':
            text_append(out, "&quot;");
            break;
        default:
            text_append_bytes(out, c, 1);
            break;
        }
    }
    text_free(&visible);
}

/* Fonts differ: as wide as the wider ones are. */
double svg_text_width(const char *text, double size)
{
    double width = 0;
    for (const char *c = text; *c; c++) {
        if ((*c & 0xC0) == 0x80)
            continue;
        if (strchr("ijlt.,:;'|!()[] ", *c))
            width += 0.36;
        else if (strchr("mwMW", *c))
            width += 0.92;
        else
            width += 0.62;
    }
    return width * size;
}

bool svg_spread(struct svg_label *labels, size_t count, double left, double right)
{
    enum { GAP = 6 };
    double needed = 0, free_from = left, free_to = right;
    for (size_t i = 0; i < count; i++)
        needed += labels[i].width + GAP;
    if (needed - GAP > right - left)
        return false;
    for (size_t i = 0; i < count; i++) {
        double wanted = labels[i].anchor - 2;
        labels[i].left = wanted > free_from ? wanted : free_from;
        free_from = labels[i].left + labels[i].width + GAP;
    }
    for (size_t i = count; i-- > 0;) {
        if (labels[i].left + labels[i].width > free_to)
            labels[i].left = free_to - labels[i].width;
        free_to = labels[i].left - GAP;
    }
    return true;
}
