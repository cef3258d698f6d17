/* What the processor can do at most, in one thread: fused multiplications and additions, and copies.

   GNU C's vectors, as wide as the instructions that the flags allow; built with -ffp-contract=fast behind the other
   flags (kernels.py), as a product and a sum are one instruction only so. */
#define _POSIX_C_SOURCE 199309L
#include <stddef.h>
#include <string.h>
#include <time.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif

typedef float vector __attribute__((vector_size(BYTES)));

#define CHAINS 12 /* as many sums as hide the latency of one: 4 or 5 cycles, 2 in each */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Floating-point operations per second; `sink` gets the sums, so that no compiler leaves them out. */
double peak_flops(long count, float factor, float *sink)
{
    const vector f = factor - (vector){0};
    /* (Sums that began alike would be one.) */
    vector s0 = f, s1 = 2 * f, s2 = 3 * f, s3 = 4 * f, s4 = 5 * f, s5 = 6 * f;
    vector s6 = 7 * f, s7 = 8 * f, s8 = 9 * f, s9 = 10 * f, s10 = 11 * f, s11 = 12 * f;
    const double start = seconds();

    for (long i = 0; i < count; ++i) {
        s0 = s0 * f + f;
        s1 = s1 * f + f;
        s2 = s2 * f + f;
        s3 = s3 * f + f;
        s4 = s4 * f + f;
        s5 = s5 * f + f;
        s6 = s6 * f + f;
        s7 = s7 * f + f;
        s8 = s8 * f + f;
        s9 = s9 * f + f;
        s10 = s10 * f + f;
        s11 = s11 * f + f;
    }

    const double taken = seconds() - start;
    const vector sum = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11;

    memcpy(sink, &sum, sizeof sum);
    return 2.0 * CHAINS * (BYTES / sizeof(float)) * (double)count / taken;
}

/* Bytes read and written per second where `to` becomes `from`, `count` times. */
double copy_bytes(char *restrict to, char *restrict from, size_t size, long count)
{
    const double start = seconds();

    for (long i = 0; i < count; ++i) {
        from[0] = (char)i;
        memcpy(to, from, size);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    return 2.0 * (double)size * (double)count / (seconds() - start);
}
