/* One call of a model without an operating system; prints its status, its instructions, a sum of the output's bits and bytes of stack.
 *
 * INPUTS and OUTPUTS are the numbers of elements, ELEMENT their type: float, or int8_t. Inputs are made by a linear congruential generator,
 * so that two builds get the same.
 */
#include "model.h"
#include <stddef.h>
#include <stdint.h>

#ifndef ELEMENT
#define ELEMENT float
#endif
#define STACK 0x80000
#define PAINT 0xA5

static ELEMENT input[INPUTS], output[OUTPUTS];
static model_arena arena;
static char text[64];
static size_t length;

int main(void);
static void fault(void);

#ifdef __riscv
#include "riscv.h"
#else
#include "arm.h"
#endif

static void stop(void)
{
    host(0x04, text);
    host(0x18, (const void *)0x20026);
    for (;;) {
    }
}

static void fault(void)
{
    length = 0;
    text[0] = '!';
    stop();
}

static void put(uint32_t value)
{
    char digits[10];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count)
        text[length++] = digits[--count];
    text[length++] = ' ';
}

int main(void)
{
    uint32_t random = 1, bits = 2166136261u;
    for (size_t i = 0; i < INPUTS; ++i) {
        random = random * 1664525u + 1013904223u;
        input[i] = (ELEMENT)0.5f == 0 ? (ELEMENT)((int32_t)random >> 24) : (ELEMENT)((float)(random >> 8) / 8388608.0f - 1.0f);
    }
    volatile unsigned char *const top = (unsigned char *)stack_pointer();
    volatile unsigned char *low = top - STACK;
    for (volatile unsigned char *p = low; p < top - 16; ++p)
        *p = PAINT;
    start_counting();
    uint32_t before = counted();
    int status = (int)model_run(input, output, &arena);
    uint32_t instructions = counted() - before;
    while (*low == PAINT)
        ++low;
    for (size_t i = 0; i < sizeof output; ++i)
        bits = (bits ^ ((const unsigned char *)output)[i]) * 16777619u;
    put((uint32_t)status);
    put(instructions);
    put(bits);
    put((uint32_t)(top - low));
    stop();
}
