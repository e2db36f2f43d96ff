#include "schedule/element.h"

#include <math.h>
#include <string.h>

/* The bits of a float type with this many exponent and fraction bits, at most 16 in all with the sign:
 * rounded once, to nearest even. */
static uint16_t small_float_bits(double value, int exponent_bits, int fraction_bits)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint16_t infinity = (uint16_t)(((1u << exponent_bits) - 1) << fraction_bits);
    double magnitude = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | infinity | 1u << (fraction_bits - 1));
    if (magnitude == 0)
        return sign;
    int exponent = isinf(value) ? bias + 1 : ilogb(magnitude);
    if (exponent < 1 - bias)
        exponent = 1 - bias; /* subnormal: the fraction has no leading one */
    if (exponent > bias)
        return sign | infinity;
    /* The fraction with its leading one, as a whole number. A carry of its rounding, or the leading one
     * itself, adds to the exponent field, up to infinity. */
    double fraction = nearbyint(ldexp(magnitude, fraction_bits - exponent));
    uint32_t bits = ((uint32_t)(exponent + bias - 1) << fraction_bits) + (uint32_t)fraction;
    return (uint16_t)(sign | bits);
}

static double small_float_value(uint16_t bits, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1, largest = (1 << exponent_bits) - 1;
    const double sign = bits & 0x8000 ? -1 : 1;
    int exponent = bits >> fraction_bits & largest;
    int fraction = bits & ((1 << fraction_bits) - 1);
    if (exponent == largest)
        return fraction ? (double)NAN : sign * HUGE_VAL;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

/* The low 64 bits of a whole number however large, as two's complement; 0 for what is no number. */
static uint64_t wrapped_bits(double value)
{
    static const double two_to_64 = 18446744073709551616.0;
    if (!isfinite(value))
        return 0;
    double rest = fmod(trunc(value), two_to_64);
    return rest < 0 ? UINT64_C(0) - (uint64_t)-rest : (uint64_t)rest;
}

/* LOAD(int32_t) is the value of the bytes as one. */
#define LOAD(type)                                                                                           \
    {                                                                                                        \
        type value;                                                                                          \
        memcpy(&value, bytes, sizeof value);                                                                 \
        return (double)value;                                                                                \
    }

double element_load(enum element_type type, const void *bytes)
{
    uint16_t half;
    switch (type) {
    case TYPE_INT8:
        LOAD(int8_t)
    case TYPE_UINT8:
        LOAD(uint8_t)
    case TYPE_INT32:
        LOAD(int32_t)
    case TYPE_UINT32:
        LOAD(uint32_t)
    case TYPE_INT64:
        LOAD(int64_t)
    case TYPE_UINT64:
        LOAD(uint64_t)
    case TYPE_FLOAT16:
        memcpy(&half, bytes, sizeof half);
        return small_float_value(half, 5, 10);
    case TYPE_BFLOAT16:
        memcpy(&half, bytes, sizeof half);
        return small_float_value(half, 8, 7);
    case TYPE_FLOAT32:
        LOAD(float)
    default:
        LOAD(double)
    }
}

void element_store(enum element_type type, void *bytes, double value)
{
    uint64_t bits;
    uint16_t half;
    float single;
    switch (type) {
    case TYPE_FLOAT16:
        half = small_float_bits(value, 5, 10);
        memcpy(bytes, &half, sizeof half);
        break;
    case TYPE_BFLOAT16:
        half = small_float_bits(value, 8, 7);
        memcpy(bytes, &half, sizeof half);
        break;
    case TYPE_FLOAT32:
        single = (float)value;
        memcpy(bytes, &single, sizeof single);
        break;
    case TYPE_FLOAT64:
        memcpy(bytes, &value, sizeof value);
        break;
    case TYPE_INT8:
    case TYPE_UINT8:
        bits = wrapped_bits(value);
        memcpy(bytes, &(uint8_t){(uint8_t)bits}, 1);
        break;
    case TYPE_INT32:
    case TYPE_UINT32:
        bits = wrapped_bits(value);
        memcpy(bytes, &(uint32_t){(uint32_t)bits}, 4);
        break;
    default:
        bits = wrapped_bits(value);
        memcpy(bytes, &bits, 8);
        break;
    }
}

enum { OPAQUE_PERIOD = 1000, OPAQUE_TURNS = 1000, OPAQUE_STRIDE = OPAQUE_PERIOD * OPAQUE_TURNS };

/* Tells the opaque kernels apart; exact in a float32 up to the sixteenth kernel of a program. */
static double opaque_value(uint32_t kernel, uint32_t turn, uint32_t index)
{
    return (kernel + 1.0) * OPAQUE_STRIDE + turn % OPAQUE_TURNS * OPAQUE_PERIOD + index % OPAQUE_PERIOD;
}

bool value_names_kernel(const struct program *program, double value, uint32_t *kernel, uint32_t *turn)
{
    static const double exact = 1 << 24; /* in a float32 */
    if (!(value >= OPAQUE_STRIDE && value < exact && value < (program->kernel_count + 1.0) * OPAQUE_STRIDE))
        return false;
    uint32_t whole = (uint32_t)value;
    *kernel = whole / OPAQUE_STRIDE - 1;
    *turn = whole % OPAQUE_STRIDE / OPAQUE_PERIOD;
    return true;
}

static bool is_opaque(const struct program *program, const struct statement *statement)
{
    return statement->kind == CALL_LAUNCH && strcmp(program->kernels[statement->kernel], "A") != 0 &&
           strcmp(program->kernels[statement->kernel], "C") != 0;
}

uint32_t produced_period(const struct program *program, uint32_t call)
{
    return is_opaque(program, call_statement(program, call)) ? OPAQUE_PERIOD : UINT32_MAX;
}

double produced_value(const struct program *program, uint32_t call, uint32_t count, uint32_t index)
{
    const struct statement *statement = call_statement(program, call);
    uint32_t turn = program->calls[call].turn;
    if (is_opaque(program, statement))
        return opaque_value(statement->kernel, turn, index);
    if (statement->kind == CALL_LAUNCH && strcmp(program->kernels[statement->kernel], "C") == 0)
        return 100 * (turn + 1.0) + index;
    return (double)count * turn + index + 1;
}
