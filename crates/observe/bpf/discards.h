/* Discards: how much of each lies in whole units of the device, which frees nothing else. `DiscardSplit` of core is the
 * same in user space. */
#ifndef IOALIGN_DISCARDS_H
#define IOALIGN_DISCARDS_H

#include "tell.h"

#define DISCARD 2		/* the operation */
#define RANGES 256		/* of one request, at most: as many as NVMe takes */

static __attribute__((noinline)) int discarded(u64 slot, u64 start, u64 len)
{
	u64 unit, phase, past, head, tail;
	struct plain *of = plain_of(slot);

	HIDDEN(slot);
	if (!of || slot >= SLOTS)
		RETURN;
	unit = slots[slot].discard_unit;
	phase = slots[slot].discard_phase;
	if (!unit || !len)
		RETURN;
	past = (start + unit - phase) % unit;
	head = past ? unit - past : 0;
	tail = (start + len + unit - phase) % unit;
	if (head + tail > len) {
		head = len;
		tail = 0;
	}
	of->discards++;
	of->discarded += len;
	of->discard_heads += head;
	of->discard_tails += tail;
	if (head + tail == len)
		of->discards_lost++;
	RETURN;
}

/* A device that takes several ranges at once frees each by itself: a bio is a range. */
static __attribute__((noinline)) int discarded_ranges(u64 slot, struct request *rq)
{
	struct bio *bio = rq->bio;

#pragma clang loop unroll(disable)
	for (u32 n = 0; n < RANGES; n++) {
		if (!bio)
			break;
		discarded(slot, bio->bi_iter.bi_sector << 9, bio->bi_iter.bi_size);
		bio = bio->bi_next;
	}
	RETURN;
}

INLINE void request_discards(struct request *rq, struct io *io)
{
	u64 slot = io->slot;

	HIDDEN(slot);
	if (slot >= SLOTS || !slots[slot].discard_unit)
		return;
	if (slots[slot].discard_ranges)
		discarded_ranges(slot, rq);
	else
		discarded(slot, io->offset, io->len);
}

#endif
