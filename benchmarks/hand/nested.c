/* 100 x 100 trips over a vector of 16. */
#include <string.h>

void run(const float *restrict v0, const float *restrict a, const float *restrict b, float *restrict v)
{
    memcpy(v, v0, 16 * sizeof *v);
    for (int i = 0; i < 100; ++i) {
        for (int j = 0; j < 100; ++j) {
            const float floor = (float)j * 0.01f;

            for (int k = 0; k < 16; ++k) {
                const float x = v[k] * a[k] + b[k];
                v[k] = x < floor ? floor : x; /* a NaN stays one */
            }
        }
        for (int k = 0; k < 16; ++k) {
            v[k] *= 0.5f;
        }
    }
}
