/* What the recurrent programs by hand share: GNU C's vectors, as wide as the flags allow; loomir's arithmetic for tanh and sigmoid. */
#ifndef VECTORS_H
#define VECTORS_H

#include <math.h>
#include <string.h>

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float vector __attribute__((vector_size(4 * LANES)));

static inline vector load(const float *p)
{
    vector v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(float *p, vector v)
{
    memcpy(p, &v, sizeof v);
}

static inline float limited(float x, float limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/* The rational function of passes/loops/math_expand.py. */
static inline float tanh_of(float x)
{
    const float c = limited(x, 9.02f), z = c * c;
    const float p = (((1.338423179e-08f * z + 2.063577852e-05f) * z + 0.003497454991f) * z + 0.1338268501f) * z + 1.0f;
    const float q = (((7.790224559e-07f * z + 0.0003288512961f) * z + 0.02588435073f) * z + 0.4671600626f) * z + 1.0f;

    return limited(c * p / q, 1.0f);
}

static inline float sigmoid_of(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

/* rows x columns becomes columns x rows. */
static inline void transpose(float *restrict to, const float *restrict from, int rows, int columns)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            to[j * rows + i] = from[i * columns + j];
        }
    }
}

/* sum += x W, W of count rows of `width` numbers, a multiple of 8 vectors: their sums stay in registers. */
static inline void add_product(float *restrict sum, const float *restrict x, const float *restrict weights, int count,
                               int width)
{
    for (int j = 0; j < width; j += 8 * LANES) {
        vector s[8];

        for (int v = 0; v < 8; ++v) {
            s[v] = load(sum + j + v * LANES);
        }
        for (int k = 0; k < count; ++k) {
            const float *const row = weights + k * width + j;
            const float factor = x[k];

            s[0] += factor * load(row);
            s[1] += factor * load(row + LANES);
            s[2] += factor * load(row + 2 * LANES);
            s[3] += factor * load(row + 3 * LANES);
            s[4] += factor * load(row + 4 * LANES);
            s[5] += factor * load(row + 5 * LANES);
            s[6] += factor * load(row + 6 * LANES);
            s[7] += factor * load(row + 7 * LANES);
        }
        for (int v = 0; v < 8; ++v) {
            store(sum + j + v * LANES, s[v]);
        }
    }
}

#endif
