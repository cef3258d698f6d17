/* One call of a model without an operating system; prints its status, instructions, and a sum of the output's bits.
 *
 * INPUTS and OUTPUTS are the numbers of elements, ELEMENT their type: float, or int8_t. SysTick counts down once in 40 instructions of `qemu-system-arm -icount shift=0` on an
 * mps2 board (25 MHz, one instruction a nanosecond). Inputs are made by a linear congruential generator, so that two builds get the same.
 */
#include "model.h"
#include <stddef.h>
#include <stdint.h>

extern unsigned char run_stack;

#ifndef ELEMENT
#define ELEMENT float
#endif

static ELEMENT input[INPUTS], output[OUTPUTS];
static model_arena arena;
static char text[64];
static size_t length;

#define SYSTICK ((volatile uint32_t *)0xE000E010u)
#define CPACR (*(volatile uint32_t *)0xE000ED88u)

/* Semihosting: https://github.com/ARM-software/abi-aa/blob/main/semihosting/semihosting.rst */
static void host(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void stop(void)
{
    host(0x04, text);
    host(0x18, (const void *)0x20026);
    for (;;) {
    }
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
    SYSTICK[1] = 0xffffff;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5;
    while (!SYSTICK[2]) {
    }
    uint32_t before = SYSTICK[2];
    int status = (int)model_run(input, output, &arena);
    uint32_t ticks = before - SYSTICK[2];
    for (size_t i = 0; i < sizeof output; ++i)
        bits = (bits ^ ((const unsigned char *)output)[i]) * 16777619u;
    put((uint32_t)status);
    put(ticks * 40);
    put(bits);
    stop();
}

static void start(void)
{
#ifdef __ARM_FP
    CPACR |= 0xFu << 20;
    __asm__ volatile("dsb\nisb");
#endif
    main();
}

static void fault(void)
{
    length = 0;
    text[0] = '!';
    stop();
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    &run_stack, (const void *)start, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
};
