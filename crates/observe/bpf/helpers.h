/* The few helpers and map types that are used, so that no libbpf headers are needed to compile. */
#ifndef IOALIGN_HELPERS_H
#define IOALIGN_HELPERS_H

#include "kernel.h"

/* enum bpf_map_type, include/uapi/linux/bpf.h */
#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_PERCPU_HASH 5
#define BPF_MAP_TYPE_PERCPU_ARRAY 6
#define BPF_MAP_TYPE_RINGBUF 27
#define BPF_NOEXIST 1
#define BPF_RB_NO_WAKEUP 1

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define __uint(name, val) int (*name)[val]
#define __type(name, val) typeof(val) *name

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*bpf_get_smp_processor_id)(void) = (void *)8;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*bpf_get_current_comm)(void *buf, u32 size) = (void *)16;
static long (*bpf_probe_read_kernel)(void *dst, u32 size, const void *from) = (void *)113;
static long (*bpf_probe_read_kernel_str)(void *dst, u32 size, const void *from) = (void *)115;
static void *(*bpf_ringbuf_reserve)(void *ringbuf, u64 size, u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *data, u64 flags) = (void *)132;
static void *(*bpf_get_current_task_btf)(void) = (void *)158;	/* since 5.11 */

/* The compiler must not look through it: the verifier follows a bound only in the register it is
 * checked in. */
#define HIDDEN(x) asm volatile("" : "+r"(x))

/* The end of a function that is called for what it does: the compiler leaves in r0 what happens to be there, as
 * nobody reads it, and the verifier (seen on 5.15 and 5.19) refuses it where that is a pointer to the stack. */
#define RETURN do { asm volatile("r0 = 0" ::: "r0"); return 0; } while (0)

/* What goes rarely so stands apart from the rest: fewer lines of code in the way. */
#define rarely(x) __builtin_expect(!!(x), 0)

/* 1 when the running kernel has the field (BPF_FIELD_EXISTS of enum bpf_field_info_kind). */
#define field_exists(field) __builtin_preserve_field_info(field, 2)

/* Nothing here branches on data: a branch that goes either way costs more than all the rest, and
 * clang 14 crashes on __builtin_ctzll for this target. The product of a power of two and this number
 * has its exponent, by way of the table, in the upper six bits. */
#define SEQUENCE 0x03f79d71b4cb0a89ULL
static const u8 exponent[64] = {
	0, 1, 48, 2, 57, 49, 28, 3, 61, 58, 50, 42, 38, 29, 17, 4,
	62, 55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30, 24, 18, 12, 5,
	63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11,
	46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9, 13, 8, 7, 6,
};

/* The number of the lowest set bit; 63 for 0. */
INLINE u64 lowest_bit(u64 x)
{
	x |= 1ULL << 63;
	return exponent[((x & -x) * SEQUENCE) >> 58];
}

/* The number of the highest set bit of a number that is not 0. */
INLINE u64 highest_bit(u64 x)
{
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	x |= x >> 16;
	x |= x >> 32;
	x ^= x >> 1;
	return exponent[(x * SEQUENCE) >> 58];
}

/* 1 for what is not 0, for numbers below 2^63. */
INLINE u64 some(u64 x)
{
	x = -x;
	HIDDEN(x);
	return x >> 63;
}

/* 1 where both are the same, for numbers below 2^63. */
INLINE u64 same(u64 a, u64 b)
{
	return 1 - some(a ^ b);
}

#endif
