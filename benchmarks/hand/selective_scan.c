/* h = exp(delta A) h + (delta u) B, y = h C, for each channel, step by step. */
#include "vectors.h"

#define STEPS 1024
#define CHANNELS 64
#define NUMBERS 16

void run(const float *restrict h0, const float *restrict deltas, const float *restrict us, const float *restrict bs,
         const float *restrict cs, const float *restrict a, float *restrict h, float *restrict ys)
{
    memcpy(h, h0, CHANNELS * NUMBERS * sizeof *h);
    for (int t = 0; t < STEPS; ++t) {
        for (int d = 0; d < CHANNELS; ++d) {
            const float delta = deltas[t * CHANNELS + d], du = delta * us[t * CHANNELS + d];
            vector seen = {0};
            float sum = 0.0f;

            for (int n = 0; n < NUMBERS; n += LANES) {
                float *const state = h + d * NUMBERS + n;
                vector decay;

                for (int k = 0; k < LANES; ++k) {
                    decay[k] = expf(delta * a[d * NUMBERS + n + k]);
                }

                const vector next = decay * load(state) + du * load(bs + t * NUMBERS + n);

                store(state, next);
                seen += next * load(cs + t * NUMBERS + n);
            }
            for (int k = 0; k < LANES; ++k) {
                sum += seen[k];
            }
            ys[t * CHANNELS + d] = sum;
        }
    }
}
