// Marked CPU spins on a CPU with a pattern in its registers r8 to r15, by which the host finds that CPU's state in the
// emulator's memory, until the host sets r8 to 0.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(count > 1 ? atoi(arguments[1]) : 0, &set);
    if (sched_setaffinity(0, sizeof set, &set))
        return 1;
    __asm__ volatile("mov $0x5eed0008c0ffee08, %%r8\n\tmov $0x5eed0009c0ffee09, %%r9\n\t"
                     "mov $0x5eed000ac0ffee0a, %%r10\n\tmov $0x5eed000bc0ffee0b, %%r11\n\t"
                     "mov $0x5eed000cc0ffee0c, %%r12\n\tmov $0x5eed000dc0ffee0d, %%r13\n\t"
                     "mov $0x5eed000ec0ffee0e, %%r14\n\tmov $0x5eed000fc0ffee0f, %%r15\n"
                     "1:\ttest %%r8, %%r8\n\tjnz 1b" ::: "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15");
}
