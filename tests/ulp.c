/* How far a function of f32 that loomir wrote is from the double one of the C library: see ulp.py. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "model.h"

#define COUNT 16384

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The distance in units in the last place of the exact result; what is infinite is the next power of two. */
static double distance(float y, double exact)
{
    const double largest = ldexp(1.0, 128);
    const int exponent = exact == 0.0 ? -126 : ilogb(exact);
    double value = y;
    if (isnan(y) || isnan(exact)) {
        return isnan(y) && isnan(exact) ? 0.0 : INFINITY;
    }
    if (fabs(exact) >= largest) {
        return (double)y == (exact > 0 ? INFINITY : -INFINITY) ? 0.0 : INFINITY;
    }
    if (isinf(y)) {
        value = copysign(largest, value);
    }
    return fabs(value - exact) * ldexp(1.0, 23 - (exponent < -126 ? -126 : exponent));
}

/* The largest distance for every step-th value from `first` to `last` (bits), where it is, and the mean. */
double furthest(double (*exact)(double), uint32_t first, uint32_t last, uint32_t step, float *where, double *mean)
{
    static float x[COUNT], y[COUNT];
    double worst = 0.0, sum = 0.0;
    uint64_t done = 0;
    for (uint64_t bits = first; bits <= last;) {
        int count = 0;
        for (; count < COUNT && bits <= last; ++count, bits += step) {
            x[count] = of_bits((uint32_t)bits);
        }
        model_run(x, y, NULL);
        for (int i = 0; i < count; ++i) {
            const double d = distance(y[i], exact((double)x[i]));
            sum += d;
            if (!(d <= worst)) {
                worst = d;
                *where = x[i];
            }
        }
        done += (uint64_t)count;
    }
    *mean = sum / (double)done;
    return worst;
}
