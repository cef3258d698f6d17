/* Sum a vector, then one of two updates of it. */
#include <string.h>

void run(const float *restrict v0, const float *restrict w, float *restrict v)
{
    memcpy(v, v0, 16 * sizeof *v);
    for (int i = 0; i < 10000; ++i) {
        float sum = 0.0f;

        for (int k = 0; k < 16; ++k) {
            sum += v[k];
        }
        if (sum > 0.0f) {
            for (int k = 0; k < 16; ++k) {
                v[k] = v[k] * 0.75f - w[k];
            }
        } else {
            for (int k = 0; k < 16; ++k) {
                v[k] += w[k] * 0.375f;
            }
        }
    }
}
