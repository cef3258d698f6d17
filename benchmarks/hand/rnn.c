/* h = tanh(x W + h R + b) for every row of x. The products run along the rows of the weights. */
#include <math.h>
#include <string.h>

#define STEPS 1000
#define INPUTS 64
#define HIDDEN 128

static void add_product(float *restrict sum, const float *restrict x, const float *restrict weights, int count)
{
    for (int k = 0; k < count; ++k) {
        const float factor = x[k];
        const float *restrict row = weights + k * HIDDEN;

        for (int j = 0; j < HIDDEN; ++j) {
            sum[j] += factor * row[j];
        }
    }
}

void run(const float *restrict xs, const float *restrict h0, const float *restrict w, const float *restrict r,
         const float *restrict b, float *restrict h_end, float *restrict hs)
{
    const float *h = h0;

    for (int t = 0; t < STEPS; ++t) {
        float sum[HIDDEN];
        float *const next = hs + t * HIDDEN;

        memcpy(sum, b, sizeof sum);
        add_product(sum, xs + t * INPUTS, w, INPUTS);
        add_product(sum, h, r, HIDDEN);
        for (int j = 0; j < HIDDEN; ++j) {
            next[j] = tanhf(sum[j]);
        }
        h = next;
    }
    memcpy(h_end, h, HIDDEN * sizeof *h);
}
