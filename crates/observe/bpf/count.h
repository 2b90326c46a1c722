/* Counting: what one I/O adds to the counters of its device and operation. */
#ifndef IOALIGN_COUNT_H
#define IOALIGN_COUNT_H

#include "grids.h"

/* enum req_op, include/linux/blk_types.h: a digit each, from the right. Write same (until 5.18) and
 * zone append (since 6.2) share 7; write zeroes are 9; secure erase, 5, is a discard. */
#define OP_DIGITS 0x4444441414242310ULL

INLINE u64 op_of(u32 flags)
{
	u64 op = flags & 0xff;

	if (op > 15)
		return 4;
	return (OP_DIGITS >> (op * 4)) & 15;
}

/* The slot of a device, SLOTS or more where it is not watched; `from` is SLOTS for those with bios only. */
INLINE u64 slot_of(u32 dev, u32 from)
{
	u64 at = (u32)(dev * table_factor) >> 22;
	u64 found;

	if (at >= TABLE || table[at].dev != dev)
		return SLOTS;
	found = (u64)table[at].slot - 1 - from;
	HIDDEN(found);
	return found;
}

INLINE struct plain *plain_of(u32 slot)
{
	return bpf_map_lookup_elem(&plain, &slot);
}

/* A size that no table has: kept with what follows from it, as user space will not know it. */
static __attribute__((noinline)) int sized_odd(struct counts *all, struct io *io, u32 key)
{
	u64 off = some((io->offset >> 9) & 7);
	struct odd_key odd = { key << 1 | off, io->len };
	u64 *found, none = 0, bits = 0;
	u64 slot = io->slot;

	if (!all)
		RETURN;
	found = bpf_map_lookup_elem(&odd_sizes, &odd);
	if (!found) {
		bpf_map_update_elem(&odd_sizes, &odd, &none, BPF_NOEXIST);
		found = bpf_map_lookup_elem(&odd_sizes, &odd);
	}
	if (found) {
		__sync_fetch_and_add(found, 1);
		RETURN;
	}
	if (io->len)
		bits = highest_bit(io->len) + 1;
	HIDDEN(bits);
	if (bits < 33)
		all->sizes_log[off & 1][bits]++;
	all->lengths[lowest_bit(io->len) & 63]++;
	if (io->len > 1)
		all->fits[(highest_bit(io->len - 1) + 1) & 63]++;
	HIDDEN(slot);
	if (slot >= SLOTS)
		RETURN;
#pragma clang loop unroll(disable)
	for (u32 n = 0; n < GRIDS; n++) {
		const volatile struct grid *grid = &slots[slot].grids[n];
		u64 size = grid->size;
		if (!grid->use || !size)
			break;
		all->grids[n].length_off += some(io->len % size);
		all->grids[n].minimum += (io->len + size - 1) / size;
	}
	RETURN;
}

INLINE void sized(struct counts *all, struct io *io, u32 key)
{
	u64 at = io->len >> 9, off = some((io->offset >> 9) & 7);

	HIDDEN(at);
	if (!(io->len & 511) && at < SIZES_512) {
		all->sizes_512[off & 1][at]++;
		return;
	}
	at = io->len >> 12;
	HIDDEN(at);
	if (!(io->len & 4095) && at < SIZES_4K) {
		all->sizes_4k[off & 1][at]++;
		return;
	}
	sized_odd(all, io, key);
}

INLINE u64 latency_index(u64 value)
{
	u64 octave = highest_bit(value | 1);
	u64 shift;

	if (octave < STEP_BITS)
		return value;
	shift = octave - STEP_BITS;
	return ((shift + 1) << STEP_BITS) + ((value >> shift) & ((1 << STEP_BITS) - 1));
}

INLINE void add_latency(struct latencies *all, u64 step, u64 value)
{
	all->counts[step]++;
	all->sum += value;
	if (value > all->max)
		all->max = value;
}

/* Counted by the moment of its issue. */
INLINE void in_its_moment(struct io *io, u64 start, u64 now)
{
	u64 number = start >> MOMENT_BITS;
	u32 key = io->slot * MOMENTS + (number & (MOMENTS - 1));
	struct moment *moment = bpf_map_lookup_elem(&moments, &key);
	struct plain *of;

	if (!moment)
		return;
	if (moment->number != number) {
		if (moment->number > number) {
			of = plain_of(io->slot);
			if (of)
				of->late++;
			return;
		}
		moment->number = number;
		moment->ios = moment->bytes = moment->latency = 0;
		moment->first = start;
		moment->last = now;
	}
	moment->ios++;
	moment->bytes += io->len;
	moment->latency += now - start;
	if (start < moment->first)
		moment->first = start;
	if (now > moment->last)
		moment->last = now;
}

/* Of an operation without a place. */
INLINE void counted_plainly(struct io *io)
{
	struct plain *of = plain_of(io->slot);

	if (of && io->op < OPS) {
		of->ios[io->op]++;
		of->bytes[io->op] += io->len;
	}
}

/* The row of `cells` of a length: 512 bytes to 3.5 KiB, then 4 to 32 KiB by 4 KiB; 0 where there is none. */
INLINE u64 row_of(u64 len)
{
	if (!(len & 4095) && len - 4096 <= 7 * 4096)
		return 7 + (len >> 12);
	return len & 511 || len > 7 * 512 ? 0 : len >> 9;
}

/* How high the boundary is that it crosses; what it fits into follows from its size. */
INLINE void crosses(struct counts *all, struct io *io)
{
	all->crossed[(highest_bit(io->offset ^ (io->offset + io->len - 1)) + 1) & 63]++;
}

/* What was in its place is forgotten. */
INLINE struct region *region_of(u64 slot, u64 number)
{
	u32 key = slot * REGIONS + (number & (REGIONS - 1));
	struct region *found = bpf_map_lookup_elem(&regions, &key);

	if (found && rarely(found->number != number + 1)) {
		found->number = number + 1;
		found->read = 0;
		found->written = 0;
	}
	return found;
}

/* A bit for each page of the region from the first to the last. */
INLINE u64 pages_of(u64 number, u64 first, u64 last)
{
	u64 from = number << REGION_BITS, begin = first > from ? first - from : 0, end = last - from;

	if (end > 63)
		end = 63;
	return (~0ULL << (begin & 63)) & (~0ULL >> ((63 - end) & 63));
}

INLINE u64 bits_of(u64 x)
{
	x -= (x >> 1) & 0x5555555555555555ULL;
	x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (x * 0x0101010101010101ULL) >> 56;
}

static __attribute__((noinline)) int reread(u32 slot, u64 pages)
{
	struct plain *of = plain_of(slot);

	if (of)
		of->reread += bits_of(pages);
	RETURN;
}

/* Remembers the pages of a small read, as analyse::overwrites does; those in the next region are left out. The table is
 * written by all processors, which costs as much as all the rest: not for reads without any large write, which the mark
 * says, as that is at hand for every I/O. */
static __attribute__((noinline)) int read_small(struct io *io)
{
	u64 slot = io->slot;
	u64 first = io->offset >> PAGE_BITS, last = (io->offset + io->len - 1) >> PAGE_BITS, pages;
	struct region *region = region_of(io->slot, first >> REGION_BITS);

	HIDDEN(slot);
	if (!region || slot >= SLOTS)
		RETURN;
	if (++state.alone[slot] >= ALONE)
		state.touched[slot * PLACED] = ENOUGH;
	pages = pages_of(first >> REGION_BITS, first, last);
	if (rarely(region->written & pages)) {
		reread(io->slot, region->written & pages);
		region->written &= ~pages;
	}
	region->read |= pages;
	RETURN;
}

/* Counts the pages of small reads that a large write overwrites. */
static __attribute__((noinline)) int wrote_large(struct io *io)
{
	u64 first = io->offset >> PAGE_BITS, last = (io->offset + io->len - 1) >> PAGE_BITS;
	u64 number = first >> REGION_BITS, found = 0, pages;
	struct region *region;
	struct plain *of;
	u64 slot = io->slot;

	HIDDEN(slot);
	if (slot >= SLOTS)
		RETURN;
	state.alone[slot] = 0;
	if (state.touched[slot * PLACED] == ENOUGH)
		state.touched[slot * PLACED] = COUNTED;

#pragma clang loop unroll(disable)
	for (u32 n = 0; n < 64; n++) {
		if (number > last >> REGION_BITS)
			break;
		region = region_of(io->slot, number);
		if (!region)
			break;
		pages = pages_of(number, first, last);
		found += bits_of(region->read & pages);
		region->read &= ~pages;
		region->written |= pages;
		number++;
	}
	of = found ? plain_of(io->slot) : 0;
	if (of) {
		of->overwritten += found;
		of->overwriting += last - first + 1;
	}
	RETURN;
}

/* Whether it begins where one of the last ended. Each processor remembers its own: a stream that moves to another is new
 * there, once. A stream keeps its place, and what begins nowhere takes the next. */
INLINE void in_order(struct counts *all, struct io *io)
{
	u64 start = io->offset + 1, end = start + io->len;

#pragma unroll
	for (u32 n = 0; n < STREAMS; n++) {
		if (all->ends[n] == start) {
			all->sequential++;
			all->ends[n] = end;
			return;
		}
	}
	all->ends[all->stream & (STREAMS - 1)] = end;
	all->stream++;
}

/* Of a length that has no row. */
static __attribute__((noinline)) int counted_apart(struct counts *all, struct io *io, u32 key)
{
	u64 slot = io->slot;

	HIDDEN(slot);
	if (!all || slot >= SLOTS)
		RETURN;
	all->ios++;
	all->bytes += io->len;
	all->sectors[some(io->len & 4095) & 1][(io->offset >> 9) & (SECTORS - 1)]++;
	if (io->len > 1)
		crosses(all, io);
	if (io->op == 1 && io->len > LARGE)
		wrote_large(io);
	sized(all, io, key);
#pragma clang loop unroll(disable)
	for (u32 n = 0; n < GRIDS; n++)
		on_grid(all, io, n, &slots[slot].grids[n]);
	RETURN;
}

/* Counts an I/O that was issued, but for its latency. */
INLINE void counted(struct io *io)
{
	u64 slot = io->slot, at, row, len = io->len;
	u32 key = io->slot * PLACED + io->op, mark;
	struct counts *all;

	/* The caller knows; the verifier forgets on the way. */
	HIDDEN(slot);
	if (slot >= SLOTS)
		return;
	if (rarely(io->op >= PLACED)) {
		counted_plainly(io);
		return;
	}
	all = bpf_map_lookup_elem(&counts, &key);
	if (!all)
		return;
	at = key;
	HIDDEN(at);
	if (at >= SLOTS * PLACED)
		return;
	mark = state.touched[at];
	if (rarely(!mark))
		state.touched[at] = mark = COUNTED;
	in_order(all, io);
	at = (io->offset >> 9) & (SECTORS - 1);
	if (rarely(!at))
		all->starts[lowest_bit(io->offset) & 63]++;
	row = row_of(len);
	if (rarely(!row)) {
		counted_apart(all, io, key);
		return;
	}
	all->cells[row & (ROWS - 1)][at]++;
	if (!io->op && rarely(mark == COUNTED) && len <= SMALL)
		read_small(io);
	if (rarely((at << 9) + len > SECTORS << 9))
		crosses(all, io);
	if (rarely(slots[slot].counted))
		on_grids(all, io, slot, slots[slot].counted);
}

/* Counts the latency of an I/O that has completed. Interrupts complete I/O too, in the middle of an issue
 * on the same processor: nothing is written here that is written there. */
INLINE void timed(struct io *io, u64 start, u64 now)
{
	u64 slot = io->slot, value = now > start ? now - start : 0, step = latency_index(value), crossed;
	u32 key = io->slot * PLACED + io->op, more;
	struct latencies *all;

	HIDDEN(slot);
	if (slot >= SLOTS)
		return;
	more = key << 1 | straddles(io, &slots[slot].grids[0]);
	all = bpf_map_lookup_elem(&latency, &more);
	if (!all)
		return;
	HIDDEN(step);
	if (step >= LATENCIES)
		step = LATENCIES - 1;
	add_latency(all, step, value);
	if (with_moments)
		in_its_moment(io, start, start + value);
	crossed = grids > 1 ? straddled_on_more(io, slot) : 0;
	if (!crossed)
		return;
#pragma unroll
	for (u32 n = 1; n < GRIDS; n++) {
		if (n >= grids || !(crossed & (1 << n)))
			continue;
		more = key * (grids - 1) + n - 1;
		all = bpf_map_lookup_elem(&straddling, &more);
		if (all)
			add_latency(all, step, value);
	}
}

#endif
