/* Devices without requests: md, device mapper, zram, multipath heads. */
#ifndef IOALIGN_BIOS_H
#define IOALIGN_BIOS_H

#include "requests.h"

INLINE u32 bio_device(struct bio *bio)
{
	if (field_exists(((struct bio___with_disk *)0)->bi_disk)) {
		struct gendisk *disk = ((struct bio___with_disk *)bio)->bi_disk;
		return disk ? disk_number(disk) : 0;
	}
	struct block_device *part = bio->bi_bdev;
	if (!part)
		return 0;
	struct gendisk *disk = part->bd_disk;
	return disk ? disk_number(disk) : 0;
}

INLINE int bio_queued(struct bio *bio)
{
	struct bio_stash made = {};
	struct io io;
	u64 slot = slot_of(bio_device(bio), SLOTS);
	u64 pointer = (u64)bio;
	struct plain *of;

	if (slot >= SLOTS || is_of_others(bio) || (with_only_files && !is_chosen(inode_of((u64)bio))))
		return 0;
	io.slot = slot;
	io.op = op_of(bio->bi_opf);
	io.len = bio->bi_iter.bi_size;
	io.offset = bio->bi_iter.bi_sector << 9;
	/* An empty write that asks for a flush is a flush. */
	if (!io.len && io.op == 1)
		io.op = 3;
	if (io.op >= PLACED)
		io.offset = 0;
	first_issued_by_hash(&io);
	grouped(&io, bio);
	if (with_files)
		of_file(&io, (u64)inode_of_bio(bio));
	if (io.op == DISCARD)
		discarded(io.slot, io.offset, io.len);
	made.time = bpf_ktime_get_ns();
	tell(0, &io, made.time, 0);
	/* The bio itself will have moved on by its end, to the device below. */
	made.offset = io.offset;
	made.len = io.len;
	made.slot = io.slot;
	made.op = io.op;
	if (io.op >= PLACED && !with_events)
		return 0;
	if (bpf_map_update_elem(&bios, &pointer, &made, 0)) {
		of = plain_of(slot);
		if (of)
			of->untimed++;
	}
	return 0;
}

INLINE int bio_done(struct bio *bio)
{
	u64 pointer = (u64)bio, now;
	struct bio_stash *kept = bpf_map_lookup_elem(&bios, &pointer);
	struct bio_stash made;
	struct io io;

	/* Most bios are of other devices: that costs the look-up alone. */
	if (!kept)
		return 0;
	made = *kept;
	bpf_map_delete_elem(&bios, &pointer);
	now = bpf_ktime_get_ns();
	io.offset = made.offset;
	io.len = made.len;
	io.slot = made.slot;
	io.op = made.op;
	tell(1, &io, now, 0);
	if (io.op < PLACED)
		timed_by_hash(&io, made.time, now);
	return 0;
}

#endif
