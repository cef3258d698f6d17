/* RV32 on QEMU's virt board: semihosting, a counter, the start.
 *
 * `minstret` counts instructions.
 */

/* https://github.com/riscv-non-isa/riscv-semihosting */
__attribute__((noinline)) static void host(int operation, const void *argument)
{
    register int a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = argument;
    __asm__ volatile(".option push\n.option norvc\n.balign 16\n"
                     "slli zero, zero, 0x1f\nebreak\nsrai zero, zero, 7\n.option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
}

static uintptr_t stack_pointer(void)
{
    uintptr_t here;
    __asm__ volatile("mv %0, sp" : "=r"(here));
    return here;
}

static uint32_t counted(void)
{
    uint32_t count;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, minstret\n.option pop" : "=r"(count));
    return count;
}

static void start_counting(void) {}

__attribute__((used)) static void begin(void)
{
    (void)fault;
    main();
}

__attribute__((section(".vectors"), naked, used)) void start(void)
{
    __asm__ volatile("la sp, run_stack\n"
                     "la t0, trapped\n"
                     ".option push\n.option arch, +zicsr\ncsrw mtvec, t0\n.option pop\n"
                     "j begin\n"
                     ".balign 4\ntrapped: j trap\n");
}

__attribute__((used)) static void trap(void) { fault(); }
