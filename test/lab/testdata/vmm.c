// vmm KERNEL INITRD COMMAND-LINE [LEAF=EAX,EBX,ECX,EDX]...: boots a kernel for x86-64 in a guest of KVM, with these leaves of
// CPUID, and prints its early console, the serial port, until the line "### over".
#include <err.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum {
	memory = 256 << 20,
	tables = 0x9000, parameters = 0x10000, line = 0x20000, // addresses of the guest
	kernel = 0x100000, ramdisk = 128 << 20, entry64 = 0x200,
	leaves = 256,
	serial = 0x3f8, serialStatus = 0x3fd, ready = 0x60,
};

static char *guest;

static int control(int fd, unsigned long request, void *argument, const char *name) {
	int result = ioctl(fd, request, argument);
	if (result < 0)
		err(1, "%s", name);
	return result;
}
#define CONTROL(fd, request, argument) control(fd, request, (void *)(argument), #request)

static size_t load(const char *path, size_t at) {
	FILE *file = fopen(path, "r");
	if (!file)
		err(1, "%s", path);
	size_t size = fread(guest + at, 1, memory - at, file);
	fclose(file);
	return size;
}

// The Linux/x86 boot protocol: boot.rst and zero-page.rst in Documentation/arch/x86.
static void loadLinux(char **arguments) {
	size_t size = load(arguments[1], kernel);
	char *zero = guest + parameters, *header = guest + kernel + 0x1f1;
	memcpy(zero + 0x1f1, header, 0x11 + (unsigned char)guest[kernel + 0x201]);
	size_t setup = ((unsigned char)zero[0x1f1] + 1) * 512;
	memmove(guest + kernel, guest + kernel + setup, size - setup);
	zero[0x210] = (char)0xff; // an unknown loader
	*(__u32 *)(zero + 0x218) = ramdisk;
	*(__u32 *)(zero + 0x21c) = load(arguments[2], ramdisk);
	*(__u32 *)(zero + 0x228) = line;
	strcpy(guest + line, arguments[3]);
	struct { __u64 address, size; __u32 type; } __attribute__((packed)) ram[] = {
		{0, 0x9f000, 1}, {kernel, memory - kernel, 1},
	};
	zero[0x1e8] = 2;
	memcpy(zero + 0x2d0, ram, sizeof ram);
	__u64 *table = (__u64 *)(guest + tables); // the first GiB, in pages of 2 MiB
	table[0] = tables + 0x1003;
	table[512] = tables + 0x2003;
	for (__u64 page = 0; page < 512; page++)
		table[1024 + page] = page << 21 | 0x83;
}

static void setCPUID(int kvm, int cpu, char **given) {
	struct kvm_cpuid2 *all = calloc(1, sizeof *all + leaves * sizeof *all->entries);
	all->nent = leaves - 8;
	CONTROL(kvm, KVM_GET_SUPPORTED_CPUID, all);
	__u32 highest = 0;
	for (; *given; given++) {
		struct kvm_cpuid_entry2 one = {0};
		if (sscanf(*given, "%i=%i,%i,%i,%i", (int *)&one.function, (int *)&one.eax, (int *)&one.ebx, (int *)&one.ecx, (int *)&one.edx) != 5)
			errx(1, "%s is no leaf of CPUID", *given);
		__u32 kept = 0;
		for (__u32 i = 0; i < all->nent; i++)
			if (all->entries[i].function != one.function)
				all->entries[kept++] = all->entries[i];
		all->entries[kept] = one;
		all->nent = kept + 1;
		if (one.function < 0x40000000 && one.function > highest)
			highest = one.function;
	}
	for (__u32 i = 0; i < all->nent; i++) {
		struct kvm_cpuid_entry2 *one = &all->entries[i];
		if (one->function == 0 && one->eax < highest)
			one->eax = highest;
		if (one->function == 1)
			one->ecx |= 1u << 31; // a hypervisor
	}
	CONTROL(cpu, KVM_SET_CPUID2, all);
}

static void setRegisters(int cpu) {
	struct kvm_sregs special;
	CONTROL(cpu, KVM_GET_SREGS, &special);
	struct kvm_segment flat = {.limit = 0xffffffff, .selector = 0x18, .type = 3, .present = 1, .db = 1, .s = 1, .g = 1};
	special.ds = special.es = special.fs = special.gs = special.ss = flat;
	flat.selector = 0x10, flat.type = 11, flat.db = 0, flat.l = 1;
	special.cs = flat;
	special.cr0 = 0x80000001, special.cr3 = tables, special.cr4 = 0x20, special.efer = 0x500; // 64-bit mode
	CONTROL(cpu, KVM_SET_SREGS, &special);
	struct kvm_regs registers = {.rip = kernel + entry64, .rsi = parameters, .rflags = 2};
	CONTROL(cpu, KVM_SET_REGS, &registers);
}

// print prints a byte of the console, and returns whether the guest is done.
static int print(char c) {
	static char text[4096];
	static size_t length;
	putchar(c);
	if (c == '\n') {
		text[length] = 0;
		length = 0;
		return strstr(text, "### over") != NULL;
	}
	if (length < sizeof text - 1)
		text[length++] = c;
	return 0;
}

int main(int argc, char **argv) {
	if (argc < 4)
		errx(1, "write vmm KERNEL INITRD COMMAND-LINE [LEAF=EAX,EBX,ECX,EDX]...");
	int kvm = open("/dev/kvm", O_RDWR);
	if (kvm < 0)
		err(1, "/dev/kvm");
	guest = mmap(NULL, memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guest == MAP_FAILED)
		err(1, "memory of the guest");
	madvise(guest, memory, MADV_HUGEPAGE); // fewer exits
	loadLinux(argv);
	int vm = CONTROL(kvm, KVM_CREATE_VM, 0);
	CONTROL(vm, KVM_CREATE_IRQCHIP, 0);
	struct kvm_pit_config timer = {.flags = KVM_PIT_SPEAKER_DUMMY};
	CONTROL(vm, KVM_CREATE_PIT2, &timer);
	struct kvm_userspace_memory_region region = {.memory_size = memory, .userspace_addr = (__u64)guest};
	CONTROL(vm, KVM_SET_USER_MEMORY_REGION, &region);
	int cpu = CONTROL(vm, KVM_CREATE_VCPU, 0);
	setCPUID(kvm, cpu, argv + 4);
	setRegisters(cpu);
	struct kvm_run *run = mmap(NULL, CONTROL(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	if (run == MAP_FAILED)
		err(1, "memory of the CPU");
	for (;;) {
		CONTROL(cpu, KVM_RUN, 0);
		if (run->exit_reason == KVM_EXIT_MMIO) { // no device is there
			memset(run->mmio.data, 0xff, sizeof run->mmio.data);
			continue;
		}
		if (run->exit_reason != KVM_EXIT_IO)
			errx(1, "the guest ended: exit reason %d", run->exit_reason);
		unsigned char *data = (unsigned char *)run + run->io.data_offset;
		for (__u32 i = 0; i < run->io.count * run->io.size; i++) {
			if (run->io.direction == KVM_EXIT_IO_IN)
				data[i] = run->io.port == serialStatus ? ready : 0xff;
			else if (run->io.port == serial && print((char)data[i]))
				return 0;
		}
	}
}
