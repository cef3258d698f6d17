/* A Cortex-M on QEMU's mps2 boards: semihosting, a counter, the vectors.
 *
 * SysTick counts down once in 40 instructions of `qemu-system-arm -icount shift=0` (25 MHz, one instruction a nanosecond).
 */
#define SYSTICK ((volatile uint32_t *)0xE000E010u)
#define CPACR (*(volatile uint32_t *)0xE000ED88u)

/* https://github.com/ARM-software/abi-aa/blob/main/semihosting/semihosting.rst */
static void host(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static uintptr_t stack_pointer(void)
{
    uintptr_t here;
    __asm__ volatile("mov %0, sp" : "=r"(here));
    return here;
}

static void start_counting(void)
{
    SYSTICK[1] = 0xffffff;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5;
    while (!SYSTICK[2]) {
    }
}

static uint32_t counted(void) { return (0xffffff - SYSTICK[2]) * 40; }

static void start(void)
{
#ifdef __ARM_FP
    CPACR |= 0xFu << 20;
    __asm__ volatile("dsb\nisb");
#endif
    main();
}

extern unsigned char run_stack;

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {
    &run_stack, (const void *)start, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault,
};
