/* Plain tracepoints, where the kernel has no type information. The request is not at hand: a completion
 * is found again by device and sector. One that was given back is issued at the same place again. */
#ifndef IOALIGN_PLAIN_H
#define IOALIGN_PLAIN_H

#include "discards.h"

INLINE u32 op_of_letters(char *letters)
{
	char first = letters[0];

	if (first == 'F' && letters[1] != 'W' && letters[1] != 'R')
		return 3;
	if (first == 'F')
		first = letters[1];
	switch (first) {
	case 'R': return 0;
	case 'W': return 1;
	case 'D': return 2;
	}
	return 4;
}

INLINE u32 plain_described(void *ctx, struct io *io, u32 rwbs)
{
	u64 sector = 0;
	u64 slot;
	u32 dev = 0;
	char letters[4] = {};

	bpf_probe_read_kernel(&dev, sizeof(dev), ctx + at_dev);
	slot = slot_of(dev, 0);
	if (slot >= SLOTS)
		return 0;
	bpf_probe_read_kernel(&sector, sizeof(sector), ctx + at_sector);
	bpf_probe_read_kernel(letters, sizeof(letters), ctx + rwbs);
	io->slot = slot;
	io->op = op_of_letters(letters);
	io->offset = io->op < PLACED ? sector << 9 : 0;
	return 1;
}

INLINE u64 plain_key(struct io *io, u64 further)
{
	return ((io->offset + further) >> 9) | (u64)io->slot << 56;
}

INLINE int plainly_issued(void *ctx)
{
	struct bio_stash made = {}, *known;
	struct io io;
	u64 key;

	if (!plain_described(ctx, &io, at_issue_rwbs))
		return 0;
	bpf_probe_read_kernel(&io.len, sizeof(io.len), ctx + at_issue_bytes);
	key = plain_key(&io, 0);
	if (!state.given_back || !again(key)) {
		first_issued_by_hash(&io);
		/* Of several ranges only the first and the sum are told. */
		if (io.op == DISCARD && !slots[io.slot & (SLOTS - 1)].discard_ranges)
			discarded(io.slot, io.offset, io.len);
	}
	made.time = bpf_ktime_get_ns();
	if (!state.began)
		state.began = made.time;
	tell(0, &io, made.time, 0);
	if (io.op >= PLACED)
		return 0;
	made.offset = io.offset;
	made.len = io.len;
	/* The rest of one that has completed in part. */
	known = bpf_map_lookup_elem(&bios, &key);
	if (known && known->done && known->len - known->done == io.len) {
		known->time = made.time;
		return 0;
	}
	bpf_map_update_elem(&bios, &key, &made, 0);
	return 0;
}

/* Given back by the driver. */
INLINE int plainly_returned(void *ctx)
{
	struct io io;
	u32 sectors = 0;

	if (!state.began || !plain_described(ctx, &io, at_requeue_rwbs))
		return 0;
	give_back(plain_key(&io, 0), io.slot);
	if (!with_events)
		return 0;
	bpf_probe_read_kernel(&sectors, sizeof(sectors), ctx + at_requeue_sectors);
	io.len = sectors << 9;
	tell(2, &io, bpf_ktime_get_ns(), 0);
	return 0;
}

/* A part has completed: the rest is found where it begins. */
INLINE void plainly_in_part(struct io *io, struct bio_stash *kept)
{
	struct bio_stash rest = *kept;
	struct plain *of = plain_of(io->slot);
	u64 key = plain_key(io, io->len);

	rest.done += io->len;
	if (of)
		of->partial++;
	bpf_map_update_elem(&bios, &key, &rest, 0);
	key = plain_key(io, 0);
	bpf_map_delete_elem(&bios, &key);
}

INLINE int plainly_done(void *ctx)
{
	struct bio_stash *kept;
	struct plain *of;
	struct io io;
	u64 key, time, now = bpf_ktime_get_ns();
	u32 sectors = 0;

	if (!state.began || !plain_described(ctx, &io, at_rwbs))
		return 0;
	bpf_probe_read_kernel(&sectors, sizeof(sectors), ctx + at_sectors);
	io.len = sectors << 9;
	/* As with requests: never issued. */
	if (!io.len && io.op == 1)
		return 0;
	tell(1, &io, now, 0);
	key = plain_key(&io, 0);
	if (state.given_back)
		again(key);
	if (io.op >= PLACED)
		return 0;
	kept = bpf_map_lookup_elem(&bios, &key);
	if (!kept) {
		of = plain_of(io.slot);
		if (of)
			of->unmatched++;
		return 0;
	}
	if (io.len < kept->len - kept->done) {
		plainly_in_part(&io, kept);
		return 0;
	}
	io.offset = kept->offset;
	io.len = kept->len;
	time = kept->time;
	bpf_map_delete_elem(&bios, &key);
	timed_by_hash(&io, time, now);
	return 0;
}

#endif
