/* ONNX's GRU with linear_before_reset=1: gates z, r, n. Weights are transposed first, so that products run along their rows. */
#include "vectors.h"

#define STEPS 1000
#define INPUTS 64
#define HIDDEN 128
#define GATES (3 * HIDDEN)

void run(const float *restrict xs, const float *restrict h0, const float *restrict w, const float *restrict r,
         const float *restrict b, float *restrict hs, float *restrict h_end)
{
    static float wt[INPUTS * GATES], rt[HIDDEN * GATES];
    const float *h = h0;

    transpose(wt, w, GATES, INPUTS);
    transpose(rt, r, GATES, HIDDEN);
    for (int t = 0; t < STEPS; ++t) {
        float x[GATES], s[GATES];
        float *const next = hs + t * HIDDEN;

        memcpy(x, b, sizeof x);
        memcpy(s, b + GATES, sizeof s);
        add_product(x, xs + t * INPUTS, wt, INPUTS, GATES);
        add_product(s, h, rt, HIDDEN, GATES);
        for (int j = 0; j < HIDDEN; ++j) {
            const float z = sigmoid_of(x[j] + s[j]);
            const float reset = sigmoid_of(x[HIDDEN + j] + s[HIDDEN + j]);
            const float n = tanh_of(x[2 * HIDDEN + j] + reset * s[2 * HIDDEN + j]);

            next[j] = (1.0f - z) * n + z * h[j];
        }
        h = next;
    }
    memcpy(h_end, h, HIDDEN * sizeof *h);
}
