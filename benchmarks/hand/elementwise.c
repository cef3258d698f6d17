/* 16 elementwise operations and the sum of each row, in one pass over memory. */
#include <math.h>

#define ROWS 256
#define COLUMNS 1024

void run(const float *restrict x, const float *restrict y, const float *restrict bias, float *restrict sums)
{
    for (int i = 0; i < ROWS; ++i) {
        float sum = 0.0f;

        for (int j = 0; j < COLUMNS; ++j) {
            const float p = x[i * COLUMNS + j];
            const float q = y[i * COLUMNS + j];
            float t = (p + q) * p - q;

            t = t < 0.0f ? 0.0f : t;
            t = t * 0.5f + bias[j];
            const float a = fabsf(t);
            const float d = (a > 10.0f ? 10.0f : a) - p;
            const float z = -(t / sqrtf(d * d + 1.0f));
            sum += (z > q || z != z ? z : q) * 0.125f;
        }
        sums[i] = sum;
    }
}
