/* Each token attends to itself and to those before it: keys transposed in their cache, so that products run along tokens. */
#include "vectors.h"

#define TOKENS 256
#define HEADS 4
#define WIDE 32

void run(const float *restrict qs, const float *restrict ks, const float *restrict vs, float *restrict ys)
{
    static float keys[HEADS][WIDE][TOKENS], values[HEADS][TOKENS][WIDE];
    const float scale = 0.17677669529663687f; /* 1 / sqrt(32) */

    /* Scores are computed in whole vectors: those of tokens to come are not read. */
    memset(keys, 0, sizeof keys);
    for (int t = 0; t < TOKENS; ++t) {
        for (int head = 0; head < HEADS; ++head) {
            const int place = (t * HEADS + head) * WIDE;
            float scores[TOKENS], most, sum = 0.0f;
            vector y[WIDE / LANES] = {{0}};

            for (int d = 0; d < WIDE; ++d) {
                keys[head][d][t] = ks[place + d];
            }
            memcpy(values[head][t], vs + place, WIDE * sizeof *vs);
            for (int s = 0; s <= t; s += LANES) {
                vector product = {0};

                for (int d = 0; d < WIDE; ++d) {
                    product += qs[place + d] * load(&keys[head][d][s]);
                }
                store(scores + s, product * scale);
            }
            most = scores[0];
            for (int s = 1; s <= t; ++s) {
                most = scores[s] > most ? scores[s] : most;
            }
            for (int s = 0; s <= t; ++s) {
                scores[s] = expf(scores[s] - most);
                sum += scores[s];
            }
            for (int s = 0; s <= t; ++s) {
                const float share = scores[s] / sum;

                for (int d = 0; d < WIDE / LANES; ++d) {
                    y[d] += share * load(&values[head][s][d * LANES]);
                }
            }
            for (int d = 0; d < WIDE / LANES; ++d) {
                store(ys + place + d * LANES, y[d]);
            }
        }
    }
}
