/* ONNX's LSTM: gates i, o, f, c. Weights are transposed first, so that products run along their rows. */
#include "vectors.h"

#define STEPS 1000
#define INPUTS 64
#define HIDDEN 128
#define GATES (4 * HIDDEN)

void run(const float *restrict xs, const float *restrict h0, const float *restrict c0, const float *restrict w,
         const float *restrict r, const float *restrict b, float *restrict hs, float *restrict h_end,
         float *restrict c_end)
{
    static float wt[INPUTS * GATES], rt[HIDDEN * GATES];
    const float *h = h0;
    float c[HIDDEN], bias[GATES];

    transpose(wt, w, GATES, INPUTS);
    transpose(rt, r, GATES, HIDDEN);
    memcpy(c, c0, sizeof c);
    for (int j = 0; j < GATES; ++j) {
        bias[j] = b[j] + b[GATES + j];
    }
    for (int t = 0; t < STEPS; ++t) {
        float g[GATES];
        float *const next = hs + t * HIDDEN;

        memcpy(g, bias, sizeof g);
        add_product(g, xs + t * INPUTS, wt, INPUTS, GATES);
        add_product(g, h, rt, HIDDEN, GATES);
        for (int j = 0; j < HIDDEN; ++j) {
            c[j] = sigmoid_of(g[2 * HIDDEN + j]) * c[j] + sigmoid_of(g[j]) * tanh_of(g[3 * HIDDEN + j]);
            next[j] = sigmoid_of(g[HIDDEN + j]) * tanh_of(c[j]);
        }
        h = next;
    }
    memcpy(h_end, h, HIDDEN * sizeof *h);
    memcpy(c_end, c, sizeof c);
}
