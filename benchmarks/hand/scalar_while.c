/* A loop whose condition is computed: two scalar recurrences. */
#include <stdint.h>

void run(int64_t n, float x, float y, int64_t *count_end, float *x_end, float *y_end)
{
    int64_t count = 0;

    while (count < n) {
        x = x * 0.75f + y;
        y = y * -0.5f + 1.25f;
        ++count;
    }
    *count_end = count;
    *x_end = x;
    *y_end = y;
}
