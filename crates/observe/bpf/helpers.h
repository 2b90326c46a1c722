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
static void *(*bpf_ringbuf_reserve)(void *ringbuf, u64 size, u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *data, u64 flags) = (void *)132;

/* The compiler must not look through it: the verifier follows a bound only in the register it is
 * checked in. */
#define HIDDEN(x) asm volatile("" : "+r"(x))

/* 1 when the running kernel has the field (BPF_FIELD_EXISTS of enum bpf_field_info_kind). */
#define field_exists(field) __builtin_preserve_field_info(field, 2)

/* The number of the lowest set bit; 63 for 0. clang 14 crashes on __builtin_ctzll for this target. */
INLINE u32 lowest_bit(u64 x)
{
	u32 n = 0;

	if (!x)
		return 63;
	if (!(x & 0xffffffff)) { n += 32; x >>= 32; }
	if (!(x & 0xffff)) { n += 16; x >>= 16; }
	if (!(x & 0xff)) { n += 8; x >>= 8; }
	if (!(x & 0xf)) { n += 4; x >>= 4; }
	if (!(x & 0x3)) { n += 2; x >>= 2; }
	if (!(x & 0x1)) { n += 1; }
	return n;
}

/* How many bits the number has: 0 for 0, 64 at most. */
INLINE u32 bits(u64 x)
{
	u32 n = 0;

	if (x >> 32) { n += 32; x >>= 32; }
	if (x >> 16) { n += 16; x >>= 16; }
	if (x >> 8) { n += 8; x >>= 8; }
	if (x >> 4) { n += 4; x >>= 4; }
	if (x >> 2) { n += 2; x >>= 2; }
	if (x >> 1) { n += 1; x >>= 1; }
	return n + (u32)x;
}

#endif
