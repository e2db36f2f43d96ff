#include "export/svg.h"

#include <math.h>
#include <string.h>

#include "export/svg_inside.h"
#include "screen/timeline.h"

enum {
    EDGE = 16,
    PLOT_WIDTH = 720,
    NARROW_PLOT_WIDTH = 470,
    BETWEEN = 36,
    TITLE_HEIGHT = 50,
    LEGEND_HEIGHT = 30
};

struct colours {
    const char *ground, *ink, *dim, *faint, *kernel, *on_kernel, *transfer, *copy, *torn;
};
static const struct colours light = {"#ffffff", "#1b1f24", "#57606a", "#d0d7de", "#2f5d8a",
                                     "#ffffff", "#b35c00", "#3d7a46", "#c1121f"};
static const struct colours dark = {"#0d1117", "#e6edf3", "#9aa4ae", "#3d444d", "#6ba4d9",
                                    "#0d1117", "#f0a35e", "#7fc58a", "#ff6b6b"};

static void append_colours(const struct colours *colours, struct text *out)
{
    text_format(out, ".ground,.plate{fill:%s}text{fill:%s}.dim,.small{fill:%s}", colours->ground,
                colours->ink, colours->dim);
    text_format(out, ".axis{stroke:%s}.life{stroke:%s}.lead,.tick{stroke:%s}", colours->faint, colours->dim,
                colours->dim);
    text_format(out, ".kernel,.writes{fill:%s;stroke:%s}.on,.small-on{fill:%s}", colours->kernel,
                colours->ground, colours->on_kernel);
    text_format(out, ".reads{fill:%s;stroke:%s}", colours->ground, colours->kernel);
    text_format(out,
                ".transfer{fill:url(#hatch);stroke:%s}.hatch{stroke:%s}.sends{stroke:%s}.sends-head{fill:%s}",
                colours->transfer, colours->transfer, colours->transfer, colours->transfer);
    text_format(out, ".copy{fill:url(#dots);stroke:%s}.dots{fill:%s}", colours->copy, colours->copy);
    text_format(out, ".event,.held{fill:%s;stroke:%s}.orders{stroke:%s}.orders-head{fill:%s}", colours->ink,
                colours->ink, colours->ink, colours->ink);
    text_format(out, ".waits{fill:%s;stroke:%s}.torn{fill:url(#cross);stroke:%s}.cross{stroke:%s}\n",
                colours->ground, colours->transfer, colours->torn, colours->torn);
}

static void append_style(enum svg_theme theme, struct text *out)
{
    text_append(
        out,
        "<style>\n"
        "text{font:12px system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif}\n"
        ".title{font-size:15px;font-weight:600}.rank{font-weight:600}.row{text-anchor:end}\n"
        ".small,.small-on{font-size:10px}.name,.on,.small-on,.middle{text-anchor:middle}.number{text-anchor:"
        "middle}\n"
        "line{fill:none;stroke-width:1}.lead{stroke-width:.6}.life{stroke-width:1.2}\n"
        ".held{fill-opacity:.18;stroke-width:.8}.waits{stroke-dasharray:3 2}\n"
        ".sends{stroke-width:1.4}.orders{stroke-width:1.2;stroke-dasharray:4 3}.torn{stroke-width:1.6}\n");
    append_colours(theme == SVG_DARK ? &dark : &light, out);
    if (theme == SVG_AUTO) {
        text_append(out, "@media (prefers-color-scheme:dark){\n");
        append_colours(&dark, out);
        text_append(out, "}\n");
    }
    text_append(out, "</style>\n");
}

static const char definitions[] =
    "<defs>\n"
    "<pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\">"
    "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" stroke-width=\"2\"/></pattern>\n"
    "<pattern id=\"dots\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
    "<circle class=\"dots\" cx=\"1.5\" cy=\"1.5\" r=\"1.1\"/></pattern>\n"
    "<pattern id=\"cross\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
    "<path class=\"cross\" d=\"M0 0L5 5M5 0L0 5\" stroke-width=\"1\"/></pattern>\n"
    "<marker id=\"sends-head\" markerWidth=\"7\" markerHeight=\"7\" refX=\"6\" refY=\"3\" orient=\"auto\">"
    "<path class=\"sends-head\" d=\"M0 0L6 3L0 6z\"/></marker>\n"
    "<marker id=\"orders-head\" markerWidth=\"7\" markerHeight=\"7\" refX=\"6\" refY=\"3\" orient=\"auto\">"
    "<path class=\"orders-head\" d=\"M0 0L6 3L0 6z\"/></marker>\n"
    "</defs>\n";

/* The distance of two numbers on the axis: 1, 2 or 5 times a power of ten. */
static double tick_step(double span, double width)
{
    double at_least = span * 80 / width, step = pow(10, floor(log10(at_least > 1 ? at_least : 1)));
    static const double steps[] = {1, 2, 5};
    for (int i = 0; i < 3; i++)
        if (steps[i] * step >= at_least)
            return steps[i] * step;
    return 10 * step;
}

static void draw_axis(const struct svg_panel *panel, struct text *out)
{
    double step = tick_step((double)panel->to - (double)panel->from, panel->width);
    double unit = step >= 1e9 ? 1e9 : step >= 1e6 ? 1e6 : step >= 1e3 ? 1e3 : 1;
    const char *name = step >= 1e9 ? "s" : step >= 1e6 ? "ms" : step >= 1e3 ? "\xC2\xB5s" : "ns";
    double y = panel->bottom;
    text_format(out, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", panel->left,
                y, panel->left + panel->width, y);
    int64_t last = (int64_t)floor((double)panel->to / step);
    for (int64_t number = (int64_t)ceil((double)panel->from / step); number <= last; number++) {
        double tick = (double)number * step, x = svg_x(panel, (int64_t)tick);
        text_format(out, "<line class=\"tick\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x, y, x,
                    y + 4);
        text_format(out, "<text class=\"small number\" x=\"%.1f\" y=\"%.1f\">%.0f %s</text>\n", x, y + 15,
                    tick / unit, name);
    }
}

static void append_variants(const struct program *program, struct text *out)
{
    bool first = true;
    for (size_t i = 0; i < schedule_variant_count(program->schedule); i++) {
        const struct variant *variant = schedule_variant(program->schedule, i);
        if (!(program->variants >> i & 1))
            continue;
        text_format(out, first ? "%s: %s" : "; %s: %s", variant->name, variant->description);
        first = false;
    }
    if (first)
        text_append(out, "as written");
}

static void append_outcome(const struct svg_panel *panel, struct text *out)
{
    int64_t last = panel->from;
    for (uint32_t i = 0; i < panel->program->call_count; i++)
        if (panel->view->calls[i].done > last)
            last = panel->view->calls[i].done;
    if (panel->view->outcome != OUTCOME_FINISHED) {
        text_append(out, ", does not finish");
        return;
    }
    text_append(out, ", all work done after ");
    format_time(last - panel->from, out);
}

static void draw_panel(const struct svg_panel *panel, struct text *out)
{
    struct text caption = {0};
    append_variants(panel->program, &caption);
    append_outcome(panel, &caption);
    text_format(out, "<text x=\"%.1f\" y=\"%d\">", panel->left - panel->margin, EDGE + 30);
    svg_escape(text_string(&caption), out);
    text_append(out, "</text>\n");
    text_free(&caption);
    svg_draw_rows(panel, out);
    draw_axis(panel, out);
}

/* What the figure that is in OUT uses. */
static void draw_legend(double x, double y, struct text *out)
{
    static const struct {
        const char *class, *name;
    } entries[] = {
        {"kernel", "kernel, write"},
        {"reads", "read"},
        {"transfer", "transfer"},
        {"copy", "copy, set"},
        {"waits", "waits"},
        {"held", "host held back"},
        {"torn", "torn"},
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        struct text used = {0};
        text_format(&used, "<rect class=\"%s\"", entries[i].class);
        bool is_used = strstr(text_string(out), text_string(&used));
        text_free(&used);
        if (!is_used)
            continue;
        text_format(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"9\"/>\n",
                    entries[i].class, x, y - 8);
        text_format(out, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 21, y,
                    entries[i].name);
        x += 21 + svg_text_width(entries[i].name, SVG_SMALL_FONT) + 16;
    }
}

static bool is_small_enough(const struct export_run *run, struct error *error)
{
    uint32_t count = run->order->program->call_count;
    return count <= SVG_MOST_OPERATIONS ||
           error_set(error, "a figure shows at most %d calls, and the schedule makes %u", SVG_MOST_OPERATIONS,
                     count);
}

/* Puts the panels side by side on one scale; returns how wide all is. */
static double place_panels(struct svg_panel *panels, int count)
{
    int64_t longest = 0;
    for (int i = 0; i < count; i++)
        if (panels[i].to - panels[i].from > longest)
            longest = panels[i].to - panels[i].from;
    double x = EDGE;
    for (int i = 0; i < count; i++) {
        panels[i].to = panels[i].from + longest;
        panels[i].left = x + panels[i].margin;
        panels[i].width = count == 1 ? PLOT_WIDTH : NARROW_PLOT_WIDTH;
        x = panels[i].left + panels[i].width + BETWEEN;
        svg_place_rows(&panels[i], EDGE + TITLE_HEIGHT - 10);
    }
    return x - BETWEEN + 24 + EDGE;
}

static void append_head(const struct svg_options *options, double width, double height, struct text *out)
{
    text_format(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "role=\"img\">\n<title>",
        width, height, width, height);
    svg_escape(options->title, out);
    text_append(out, "</title>\n");
    append_style(options->theme, out);
    text_append(out, definitions);
    text_format(out, "<rect class=\"ground\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
    text_format(out, "<text class=\"title\" x=\"%d\" y=\"%d\">", EDGE, EDGE + 10);
    svg_escape(options->title, out);
    text_append(out, "</text>\n");
}

bool export_svg(const struct export_run *const *runs, int count, const struct svg_options *options,
                struct text *out, struct error *error)
{
    struct svg_panel panels[2] = {0};
    for (int i = 0; i < count; i++)
        if (!is_small_enough(runs[i], error))
            return false;
    for (int i = 0; i < count; i++)
        svg_panel_open(&panels[i], runs[i]);
    double width = place_panels(panels, count), bottom = 0;
    for (int i = 0; i < count; i++)
        bottom = panels[i].bottom > bottom ? panels[i].bottom : bottom;
    append_head(options, width, bottom + LEGEND_HEIGHT + 22, out);
    for (int i = 0; i < count; i++) {
        draw_panel(&panels[i], out);
        svg_panel_close(&panels[i]);
    }
    draw_legend(panels[0].left - panels[0].margin, bottom + LEGEND_HEIGHT + 6, out);
    text_append(out, "</svg>\n");
    return true;
}
