#include "screen/layout.h"

enum {
    PROGRAM_MIN_ROWS = 6,
    PROGRAM_LEAST_ROWS = 3, /* where a text needs the room */
    TIMELINE_MIN_ROWS = 4,
    RANK_PANEL_COLUMNS = 60, /* as many rank panels stand beside one another as get this much */
    LEFT_MAX_COLUMNS = 64,
};

static int clamp(int value, int low, int high)
{
    return value > high ? high : value < low ? low : value;
}

int layout_left_columns(int columns)
{
    return clamp(columns * 2 / 5, 0, LEFT_MAX_COLUMNS);
}

int layout_right_columns(int columns)
{
    return columns - layout_left_columns(columns) - 1;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The rows that panels of ACROSS columns need in all; a row of panels is as high as its highest. */
static int rows_needed(const struct layout_content *content, const int *rank_rows, int across)
{
    int total = 0;
    for (int first = 0; first < content->rank_count; first += across) {
        int highest = 0;
        for (int rank = first; rank < first + across && rank < content->rank_count; rank++)
            highest = larger(highest, rank_rows[rank]);
        total += highest;
    }
    return total;
}

static void place_ranks_open(struct layout *layout, const struct layout_content *content,
                             const int *rank_rows, int across)
{
    struct rectangle area = layout->ranks;
    int bands = (content->rank_count + across - 1) / across, row = 0;
    int gap = rows_needed(content, rank_rows, across) + bands - 1 <= area.rows ? 1 : 0;
    for (int first = 0; first < content->rank_count; first += across) {
        int highest = 0;
        for (int rank = first; rank < first + across && rank < content->rank_count; rank++)
            highest = larger(highest, rank_rows[rank]);
        for (int rank = first; rank < first + across && rank < content->rank_count; rank++) {
            int left = area.columns * (rank - first) / across;
            int right = area.columns * (rank - first + 1) / across;
            if (rank - first < across - 1)
                right -= 2;
            layout->rank[rank] = rectangle_within(area, (struct rectangle){row, left, highest, right - left});
        }
        row += highest + gap;
    }
}

/* One row for each rank, and the rest for the chosen one. Where not even the rows are enough, those around
 * the chosen rank are shown. */
static void place_ranks_folded(struct layout *layout, const struct layout_content *content)
{
    struct rectangle area = layout->ranks;
    int wanted = content->rank_rows[DETAIL_FLOWING][content->chosen_rank];
    int open =
        clamp(area.rows - (content->rank_count - 1), clamp(wanted, 1, larger(area.rows / 2, 1)), wanted);
    int others = clamp(area.rows - open, 0, content->rank_count - 1);
    int first = clamp(content->chosen_rank - others / 2, 0, content->rank_count - 1 - others);
    int row = 0;
    for (int rank = first; rank <= first + others; rank++) {
        int rows = rank == content->chosen_rank ? open : 1;
        layout->rank[rank] = rectangle_within(area, (struct rectangle){row, 0, rows, area.columns});
        row += rows;
    }
}

static void place_ranks(struct layout *layout, const struct layout_content *content)
{
    if (content->rank_count == 0 || layout->ranks.rows <= 0)
        return;
    int across = clamp(layout->ranks.columns / RANK_PANEL_COLUMNS, 1, content->rank_count);
    for (int detail = DETAIL_COUNT - 1; detail >= 0; detail--) {
        layout->detail = (enum detail)detail;
        if (rows_needed(content, content->rank_rows[detail], across) <= layout->ranks.rows) {
            place_ranks_open(layout, content, content->rank_rows[detail], across);
            return;
        }
    }
    place_ranks_folded(layout, content);
}

void layout_make(struct layout *layout, int rows, int columns, const struct layout_content *content)
{
    *layout = (struct layout){0};
    struct rectangle screen = {0, 0, rows, columns};
    if (rows < LAYOUT_MIN_ROWS || columns < LAYOUT_MIN_COLUMNS) {
        layout->too_small = true;
        return;
    }
    layout->title = rectangle_within(screen, (struct rectangle){0, 0, 1, columns});
    layout->status = rectangle_within(screen, (struct rectangle){rows - 2, 0, 1, columns});
    layout->keys = rectangle_within(screen, (struct rectangle){rows - 1, 0, 1, columns});

    struct rectangle body = {1, 0, rows - 3, columns};
    int left = layout_left_columns(columns);
    layout->divider = rectangle_within(body, (struct rectangle){0, left, body.rows, 1});

    int program = body.rows;
    if (content->has_prose) {
        program =
            clamp(content->program_lines, PROGRAM_MIN_ROWS, larger(body.rows * 2 / 5 - 1, PROGRAM_MIN_ROWS));
        program = clamp(body.rows - 1 - content->prose_rows, PROGRAM_LEAST_ROWS, program);
        layout->prose = rectangle_within(body, (struct rectangle){0, 0, body.rows - program - 1, left});
        layout->left_rule = rectangle_within(body, (struct rectangle){body.rows - program - 1, 0, 1, left});
    }
    layout->program = rectangle_within(body, (struct rectangle){body.rows - program, 0, program, left});

    int across = clamp(layout_right_columns(columns) / RANK_PANEL_COLUMNS, 1, larger(content->rank_count, 1));
    int ranks_need = rows_needed(content, content->rank_rows[DETAIL_LINES], across);
    int at_most = larger(body.rows - 1 - ranks_need, body.rows * 2 / 5 - 1);
    int timeline = clamp(content->timeline_rows, TIMELINE_MIN_ROWS, at_most);
    struct rectangle right = {body.row, left + 1, body.rows, columns - left - 1};
    layout->ranks =
        rectangle_within(right, (struct rectangle){0, 0, right.rows - timeline - 1, right.columns});
    layout->right_rule =
        rectangle_within(right, (struct rectangle){right.rows - timeline - 1, 0, 1, right.columns});
    layout->timeline =
        rectangle_within(right, (struct rectangle){right.rows - timeline, 0, timeline, right.columns});
    place_ranks(layout, content);
}
