/* A 32-bit program without a library: ends with status 5. */
void _start(void) { __asm__ volatile("movl $1, %eax; movl $5, %ebx; int $0x80"); }
