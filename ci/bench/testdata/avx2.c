// A library that hides from the calling thread what its processor has beyond AVX2 and FMA, so that
// software that asks CPUID chooses what it would choose on a processor with AVX2 alone. Linux lets
// CPUID of a thread fault, where the processor can; the handler answers in its place.

#define _GNU_SOURCE
#include <asm/prctl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static struct sigaction before;

static void answer(int number, siginfo_t* info, void* context) {
    greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
    uint8_t const* at = (uint8_t const*)registers[REG_RIP];
    if (at[0] != 0x0F || at[1] != 0xA2) { // not CPUID
        before.sa_sigaction(number, info, context);
        return;
    }
    uint32_t leaf = registers[REG_RAX], part = registers[REG_RCX], a, b, c, d;
    syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1);
    __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(leaf), "c"(part));
    syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0);
    if (leaf == 7 && part == 0) {
        // F, DQ, IFMA, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ; VP2INTERSECT, AMX, FP16
        b &= ~(1u << 16 | 1u << 17 | 1u << 21 | 1u << 28 | 1u << 30 | 1u << 31);
        c &= ~(1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14);
        d &= ~(1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25);
    } else if (leaf == 7 && part == 1) {
        // AVX-VNNI, BF16, AMX-FP16, AVX-IFMA; AVX-VNNI-INT8, AVX-NE-CONVERT, AMX, AVX-VNNI-INT16
        a &= ~(1u << 4 | 1u << 5 | 1u << 21 | 1u << 23);
        d &= ~(1u << 4 | 1u << 5 | 1u << 8 | 1u << 10);
    }
    registers[REG_RAX] = a, registers[REG_RBX] = b, registers[REG_RCX] = c, registers[REG_RDX] = d;
    registers[REG_RIP] += 2;
}

// hold makes the calling thread, and those that it starts, see AVX2 alone. It returns 0, or -1
// where the processor or the system cannot.
int hold(void) {
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    if (before.sa_sigaction == NULL && sigaction(SIGSEGV, &action, &before) != 0) return -1;
    return syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0) == 0 ? 0 : -1;
}
