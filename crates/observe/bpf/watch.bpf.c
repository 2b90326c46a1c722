// SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
/* Counts block I/O in the kernel: by device and operation, on every power of two and on up to four
 * other grids, with latency from issue to completion. `src/live/layout.rs` reads what is laid out here.
 *
 * What user space wants is in read-only data, which the kernel's verifier takes for constants: what is
 * not wanted is not even in the program that runs. */
#include "helpers.h"

#define SLOTS 128		/* devices watched */
#define TABLE 1024		/* places of the table that finds a device's slot */
#define GRIDS 4			/* grids beside the powers of two; the first is the unit */
#define OPS 5			/* as in record::Op: read, write, discard, flush, other */
#define PLACED 3		/* of these have a place on the device */
#define SECTORS 128		/* in 64 KiB */
#define SIZES_512 129		/* multiples of 512 bytes, up to 64 KiB */
#define SIZES_4K 257		/* multiples of 4 KiB, up to 1 MiB */
#define STEP_BITS 5		/* linear steps an octave of latency, as in analyse::latency */
#define OTHERS 0xffffffff	/* the process that stands for those past the limit */
#define LATENCIES 1088		/* up to 2^38 ns */

struct grid {
	u64 size;
	u64 phase;
	u32 shift;		/* of a power of two, else 64 */
	u32 use;		/* 0 none, 1 its starts follow from `sectors`, 2 they are counted */
};

struct slot {
	u64 tag_base;		/* where its requests are in `flight` */
	u32 tag_bits;		/* a hardware queue has so many tags, as a power of two */
	u32 queues;
	u32 by_bio;		/* counted as bios: it has no requests of its own */
	u32 pad;
	struct grid grids[GRIDS];
};

struct place {
	u32 dev;
	u32 slot;		/* plus one; 0 is an empty place */
};

/* Set by user space before loading. */
const volatile struct place table[TABLE] = {};
const volatile struct slot slots[SLOTS] = {};
const volatile u32 table_factor = 0;
const volatile u32 flights = 0;		/* entries of `flight` */
const volatile u32 with_requests = 1;
const volatile u32 with_events = 0;	/* every event goes to the ring */
const volatile u32 with_owners = 0;	/* counted by process */
const volatile u32 owners_early = 0;	/* block_io_start tells who it is, before workers take over */
const volatile u32 classes = 1;		/* latency histograms: all, and straddling on each grid */
/* Offsets of plain tracepoint fields, from tracefs; 0 where there is none. */
const volatile u32 at_dev = 8, at_sector = 16, at_issue_bytes = 28, at_issue_rwbs = 34;
const volatile u32 at_sectors = 24, at_rwbs = 34;

/* Requests that were given back and wait to be issued again: none, nearly always. */
u64 given_back = 0;

/* What every I/O touches is together; the rest is touched at one place each. Nothing is counted here
 * that user space can work out: lengths follow from sizes, starts below 64 KiB from `sectors`. */
struct counts {
	u64 ios;
	u64 bytes;
	struct {
		u64 straddling;
		u64 touched;
		u64 start_off;	/* these two where `use` is 2 */
		u64 past;	/* sum of the offsets past the boundary */
		u64 length_off;	/* of odd sizes past the table, as the minimum of cells */
		u64 minimum;
	} grids[GRIDS];
	u64 sectors[2][SECTORS];	/* starts by sector in 64 KiB: lengths that are multiples of 4 KiB, others */
	u64 starts[64];		/* of multiples of 64 KiB */
	u64 lengths[64];	/* of odd sizes past the table */
	u64 fits[65];		/* the same, by the bits of what they fit into */
	u64 crossed[65];	/* by the bits of the highest boundary that they cross */
	u64 sizes_512[2][SIZES_512];	/* each: starts that are multiples of 4 KiB, others */
	u64 sizes_4k[2][SIZES_4K];
	u64 sizes_log[2][33];
	u64 past[65];		/* bits of the offset past the unit's boundary, where `use` is 2 */
};

struct latencies {
	u64 sum;
	u64 max;
	u64 counts[LATENCIES];
};

/* Of one device, beside what has a place. */
struct plain {
	u64 ios[OPS];
	u64 bytes[OPS];
	u64 unmatched;		/* completed, and never seen to be issued */
	u64 requeued;
	u64 partial;
	u64 lost;		/* the ring was full */
	u64 untimed;		/* no room to remember when it was issued */
};

struct stash {
	u64 time;
	u32 key;		/* of `counts`, plus one */
	u32 crossed;		/* bit by grid: straddling */
};

struct bio_stash {
	struct stash stash;
	u64 sector;
	u32 bytes;
	u32 op;
};

struct owner_key {
	u32 key;		/* slot * OPS + op */
	u32 pid;
};

struct owner {
	u64 ios;
	u64 bytes;
	char comm[16];
	u64 length_off;		/* lengths that are no multiples of 4 KiB */
	u64 starts[64];
};

struct odd_key {
	u32 key;		/* of `counts`, twice; plus one for starts that are no multiples of 4 KiB */
	u32 len;
};

/* What the ring carries. */
struct event {
	u64 time;
	u64 sector;
	u32 bytes;
	u32 slot;
	u32 pid;
	u8 kind;		/* 0 issue, 1 completion, 2 given back */
	u8 op;
	u16 cpu;
	u32 error;
	u32 pad;
	char comm[16];
};

struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct counts); } counts SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct latencies); } latency SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct plain); } plain SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct stash); } flight SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); __type(key, u64); __type(value, struct bio_stash); } bios SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1024); __type(key, u64); __type(value, u32); } returned SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 4096); __type(key, struct odd_key); __type(value, u64); } odd_sizes SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_PERCPU_HASH); __uint(max_entries, 1); __type(key, struct owner_key); __type(value, struct owner); } owners SEC(".maps");
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); } ring SEC(".maps");

/* One I/O, wherever it was seen. */
struct io {
	u64 offset;
	u32 len;
	u32 op;
	u32 slot;
};

static const struct owner no_owner = {};

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

/* The slot of a device, SLOTS where it is not watched. */
INLINE u64 slot_of(u32 dev)
{
	u64 at = (u32)(dev * table_factor) >> 22;
	u64 found;

	if (at >= TABLE || table[at].dev != dev)
		return SLOTS;
	found = (u64)table[at].slot - 1;
	HIDDEN(found);
	return found < SLOTS ? found : SLOTS;
}

INLINE u32 disk_number(struct gendisk *disk)
{
	return ((u32)disk->major << 20) | (u32)disk->first_minor;
}

INLINE u32 request_device(struct request *rq)
{
	if (field_exists(((struct request___with_disk *)0)->rq_disk)) {
		struct gendisk *disk = ((struct request___with_disk *)rq)->rq_disk;
		return disk ? disk_number(disk) : 0;
	}
	struct gendisk *disk = rq->q->disk;
	return disk ? disk_number(disk) : 0;
}

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

INLINE struct plain *plain_of(u32 slot)
{
	return bpf_map_lookup_elem(&plain, &slot);
}

INLINE void tell(u32 kind, struct io *io, u64 time, u32 error)
{
	struct event *event;
	struct plain *of;

	if (!with_events)
		return;
	event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);
	if (!event) {
		of = plain_of(io->slot);
		if (of)
			of->lost++;
		return;
	}
	event->time = time;
	event->sector = io->offset >> 9;
	event->bytes = io->len;
	event->slot = io->slot;
	event->pid = bpf_get_current_pid_tgid() >> 32;
	event->kind = kind;
	event->op = io->op;
	event->cpu = bpf_get_smp_processor_id();
	event->error = error;
	event->pad = 0;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

/* Whose I/O it is. */
INLINE void owned(struct io *io)
{
	struct owner_key key = { io->slot * OPS + io->op, bpf_get_current_pid_tgid() >> 32 };
	struct owner *owner = bpf_map_lookup_elem(&owners, &key);

	if (!owner) {
		/* Not an LRU table: what it throws out is lost. When this one is full, the rest is one. */
		if (bpf_map_update_elem(&owners, &key, &no_owner, BPF_NOEXIST))
			key.pid = OTHERS;
		bpf_map_update_elem(&owners, &key, &no_owner, BPF_NOEXIST);
		owner = bpf_map_lookup_elem(&owners, &key);
		if (!owner)
			return;
	}
	if (!owner->comm[0] && key.pid != OTHERS)
		bpf_get_current_comm(owner->comm, sizeof(owner->comm));
	owner->ios++;
	owner->bytes += io->len;
	owner->length_off += some(io->len & 4095);
	if (io->op < PLACED)
		owner->starts[lowest_bit(io->offset) & 63]++;
}

/* On one grid; returns whether the I/O straddles. As analyse::grid counts. */
INLINE u64 on_grid(struct counts *all, u32 n, const volatile struct grid *grid, struct io *io)
{
	u64 size = grid->size, shift = grid->shift, len = io->len;
	u64 start = io->offset - grid->phase + size;
	u64 last = start + len - some(len);
	u64 first, end, past, more;

	if (shift < 64) {
		first = start >> shift;
		end = last >> shift;
	} else {
		first = start / size;
		end = last / size;
	}
	if (grid->use > 1) {
		past = start - first * size;
		all->grids[n].start_off += some(past);
		all->grids[n].past += past;
		if (n == 0)
			all->past[highest_bit(past << 1 | 1) & 63]++;
	}
	more = end - first;
	all->grids[n].touched += more + some(len);
	/* It fits into one cell, its length being not above the size, and lies in two. */
	more &= 1 - ((size - len) >> 63);
	all->grids[n].straddling += more;
	return more;
}

/* A size that no table has: kept with what follows from it, as user space will not know it. */
static __attribute__((noinline)) int sized_odd(struct counts *all, struct io *io, u32 key)
{
	u64 off = some((io->offset >> 9) & 7);
	struct odd_key odd = { key << 1 | off, io->len };
	u64 *found, none = 0, bits = 0;
	u64 slot = io->slot;

	if (!all)
		return 0;
	found = bpf_map_lookup_elem(&odd_sizes, &odd);
	if (!found) {
		bpf_map_update_elem(&odd_sizes, &odd, &none, BPF_NOEXIST);
		found = bpf_map_lookup_elem(&odd_sizes, &odd);
	}
	if (found) {
		__sync_fetch_and_add(found, 1);
		return 0;
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
		return 0;
#pragma unroll
	for (u32 n = 0; n < GRIDS; n++) {
		const volatile struct grid *grid = &slots[slot].grids[n];
		u64 size = grid->size;
		if (!grid->use || !size)
			break;
		all->grids[n].length_off += some(io->len % size);
		all->grids[n].minimum += (io->len + size - 1) / size;
	}
	return 0;
}

INLINE void sized(struct counts *all, struct io *io, u32 key)
{
	u64 at = io->len >> 9, off = some((io->offset >> 9) & 7);

	if (!(io->len & 511) && at < SIZES_512) {
		all->sizes_512[off & 1][at]++;
		return;
	}
	at = io->len >> 12;
	if (!(io->len & 4095) && at < SIZES_4K) {
		all->sizes_4k[off & 1][at]++;
		return;
	}
	sized_odd(all, io, key);
}

/* Counts an I/O that was issued; what its completion needs to know goes to `stash`. */
static __attribute__((noinline)) int issued(struct io *io, struct stash *stash)
{
	u64 slot = io->slot, at;
	u32 key = io->slot * PLACED + io->op;
	struct counts *all;
	struct plain *of;

	stash->key = 0;
	stash->crossed = 0;
	/* The caller knows; the verifier forgets on the way through the stack. */
	HIDDEN(slot);
	if (slot >= SLOTS)
		return 0;
	if (with_owners && !owners_early)
		owned(io);
	if (io->op >= PLACED) {
		of = plain_of(io->slot);
		if (of && io->op < OPS) {
			of->ios[io->op]++;
			of->bytes[io->op] += io->len;
		}
		return 0;
	}
	all = bpf_map_lookup_elem(&counts, &key);
	if (!all)
		return 0;
	all->ios++;
	all->bytes += io->len;
	at = (io->offset >> 9) & (SECTORS - 1);
	all->sectors[some(io->len & 4095) & 1][at]++;
	if (!at)
		all->starts[lowest_bit(io->offset) & 63]++;
	/* How high the boundary is that it crosses; what it fits into follows from its size. */
	if (io->len > 1)
		all->crossed[(highest_bit(io->offset ^ (io->offset + io->len - 1)) + 1) & 63]++;
	sized(all, io, key);
#pragma unroll
	for (u32 n = 0; n < GRIDS; n++) {
		const volatile struct grid *grid = &slots[slot].grids[n];
		if (!grid->use)
			break;
		stash->crossed |= on_grid(all, n, grid, io) << n;
	}
	stash->key = key + 1;
	return 0;
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

INLINE void timed(u32 key, u64 value)
{
	struct latencies *all = bpf_map_lookup_elem(&latency, &key);
	u64 at = latency_index(value);

	if (!all)
		return;
	HIDDEN(at);
	if (at >= LATENCIES)
		at = LATENCIES - 1;
	all->counts[at]++;
	all->sum += value;
	if (value > all->max)
		all->max = value;
}

/* Counts the latency of a completion. */
static __attribute__((noinline)) int completed(struct stash *stash, u64 now)
{
	u32 key = (stash->key - 1) * classes;
	u64 value = now > stash->time ? now - stash->time : 0;

	timed(key, value);
	if (!stash->crossed)
		return 0;
#pragma unroll
	for (u32 n = 0; n < GRIDS; n++)
		if (n + 1 < classes && (stash->crossed & (1 << n)))
			timed(key + 1 + n, value);
	return 0;
}

/* Where a request is remembered; `flights` where it is not. Tags that follow each other are four
 * entries, a cache line, apart: one is issued on one processor while its neighbour completes on another. */
INLINE u32 place_of(struct request *rq, u64 slot)
{
	const volatile struct slot *config;
	struct blk_mq_hw_ctx *queue = rq->mq_hctx;
	u64 tag = (u32)rq->tag, number = queue ? queue->queue_num : 0, bits, tags;

	HIDDEN(slot);
	if (slot >= SLOTS)
		return flights;
	config = &slots[slot];
	bits = config->tag_bits & 31;
	tags = 1ULL << bits;
	if (tag >= tags || number >= config->queues || bits < 2)
		return flights;
	tag = ((tag << 2) & (tags - 1)) | (tag >> (bits - 2));
	return config->tag_base + (number << bits) + tag;
}

/* What the request is; 0 where its device is not watched. */
INLINE u32 described(struct request *rq, struct io *io)
{
	u64 slot = slot_of(request_device(rq));
	u64 sector;

	if (slot >= SLOTS || slots[slot].by_bio)
		return 0;
	io->slot = slot;
	io->op = op_of(rq->cmd_flags);
	io->len = rq->__data_len;
	sector = rq->__sector;
	io->offset = io->op < PLACED ? sector << 9 : 0;
	return 1;
}

INLINE int request_issued(struct request *rq)
{
	struct io io;
	struct stash made, *kept;
	u64 pointer = (u64)rq;
	u32 at;

	if (!described(rq, &io))
		return 0;
	if (given_back && !bpf_map_delete_elem(&returned, &pointer)) {
		__sync_fetch_and_add(&given_back, -1);
		tell(0, &io, bpf_ktime_get_ns(), 0);
		/* Counted before; its time began then, unless the tag is another one now. */
		return 0;
	}
	issued(&io, &made);
	made.time = bpf_ktime_get_ns();
	tell(0, &io, made.time, 0);
	if (!made.key)
		return 0;
	at = place_of(rq, io.slot);
	kept = at < flights ? bpf_map_lookup_elem(&flight, &at) : 0;
	if (kept) {
		*kept = made;
	} else {
		struct plain *of = plain_of(io.slot);
		if (of)
			of->untimed++;
	}
	return 0;
}

INLINE int request_returned(struct request *rq)
{
	struct io io;
	struct plain *of;
	u64 pointer = (u64)rq;
	u32 one = 1;

	if (!described(rq, &io))
		return 0;
	of = plain_of(io.slot);
	if (of)
		of->requeued++;
	tell(2, &io, bpf_ktime_get_ns(), 0);
	if (!bpf_map_update_elem(&returned, &pointer, &one, BPF_NOEXIST))
		__sync_fetch_and_add(&given_back, 1);
	return 0;
}

INLINE int request_done(struct request *rq, u32 error, u32 bytes)
{
	u64 slot = slot_of(request_device(rq));
	u64 pointer = (u64)rq, now, op;
	struct stash *kept;
	struct plain *of;
	u32 at, number;

	if (slot >= SLOTS || slots[slot].by_bio)
		return 0;
	op = op_of(rq->cmd_flags);
	if (!with_events && !given_back && op >= PLACED)
		return 0;
	now = bpf_ktime_get_ns();
	if (with_events) {
		struct io io;
		if (described(rq, &io)) {
			io.len = bytes;
			tell(1, &io, now, error);
		}
	}
	if (given_back && !bpf_map_delete_elem(&returned, &pointer))
		__sync_fetch_and_add(&given_back, -1);
	if (op >= PLACED)
		return 0;
	at = place_of(rq, slot);
	kept = at < flights ? bpf_map_lookup_elem(&flight, &at) : 0;
	/* What is kept stays: to write here would take the cache line from who issues next. */
	if (kept && kept->key && bytes >= rq->__data_len) {
		completed(kept, now);
		return 0;
	}
	number = slot;
	of = plain_of(number);
	if (!of)
		return 0;
	if (bytes < rq->__data_len)
		of->partial++;
	else
		of->unmatched++;
	return 0;
}

/* Devices without requests: md, device mapper, zram, multipath heads. */
INLINE int bio_queued(struct bio *bio)
{
	struct bio_stash made = {};
	struct io io;
	u64 slot = slot_of(bio_device(bio));
	u64 pointer = (u64)bio;

	if (slot >= SLOTS || !slots[slot].by_bio)
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
	issued(&io, &made.stash);
	made.stash.time = bpf_ktime_get_ns();
	tell(0, &io, made.stash.time, 0);
	if (!made.stash.key)
		return 0;
	made.sector = io.offset >> 9;
	made.bytes = io.len;
	made.op = io.op;
	if (bpf_map_update_elem(&bios, &pointer, &made, 0)) {
		struct plain *of = plain_of(slot);
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
	/* The bio itself has moved on by now, to the device below and to its own end. */
	if (!made.stash.key)
		return 0;
	io.slot = (made.stash.key - 1) / PLACED;
	io.op = made.op;
	io.offset = made.sector << 9;
	io.len = made.bytes;
	tell(1, &io, now, 0);
	completed(&made.stash, now);
	return 0;
}

INLINE int request_started(struct request *rq)
{
	struct io io;

	if (with_owners && described(rq, &io))
		owned(&io);
	return 0;
}

/* Typed tracepoints. Until 5.10 some had the queue as their first argument. */
SEC("tp_btf/block_rq_issue") int rq_issue(u64 *ctx) { return request_issued((void *)ctx[0]); }
SEC("tp_btf/block_rq_issue") int rq_issue_q(u64 *ctx) { return request_issued((void *)ctx[1]); }
SEC("tp_btf/block_rq_requeue") int rq_requeue(u64 *ctx) { return request_returned((void *)ctx[0]); }
SEC("tp_btf/block_rq_requeue") int rq_requeue_q(u64 *ctx) { return request_returned((void *)ctx[1]); }
SEC("tp_btf/block_rq_complete") int rq_complete(u64 *ctx) { return request_done((void *)ctx[0], ctx[1], ctx[2]); }
SEC("tp_btf/block_io_start") int io_start(u64 *ctx) { return request_started((void *)ctx[0]); }
SEC("tp_btf/block_bio_queue") int bio_queue(u64 *ctx) { return bio_queued((void *)ctx[0]); }
SEC("tp_btf/block_bio_queue") int bio_queue_q(u64 *ctx) { return bio_queued((void *)ctx[1]); }
SEC("tp_btf/block_bio_complete") int bio_complete(u64 *ctx) { return bio_done((void *)ctx[1]); }

/* What measuring itself costs: `--cost` takes it off. */
SEC("tp_btf/block_rq_issue") int empty_issue(u64 *ctx) { return 0; }
SEC("tp_btf/block_rq_complete") int empty_complete(u64 *ctx) { return 0; }

/* Plain tracepoints, where the kernel has no type information. The request is not at hand: a
 * completion is found again by device and sector. */
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
	slot = slot_of(dev);
	if (slot >= SLOTS)
		return 0;
	bpf_probe_read_kernel(&sector, sizeof(sector), ctx + at_sector);
	bpf_probe_read_kernel(letters, sizeof(letters), ctx + rwbs);
	io->slot = slot;
	io->op = op_of_letters(letters);
	io->offset = io->op < PLACED ? sector << 9 : 0;
	return 1;
}

INLINE u64 plain_key(struct io *io)
{
	return (io->offset >> 9) | (u64)io->slot << 56;
}

SEC("tracepoint/block/block_rq_issue") int plain_issue(void *ctx)
{
	struct bio_stash made = {};
	struct io io;
	u64 key;

	if (!plain_described(ctx, &io, at_issue_rwbs))
		return 0;
	bpf_probe_read_kernel(&io.len, sizeof(io.len), ctx + at_issue_bytes);
	issued(&io, &made.stash);
	made.stash.time = bpf_ktime_get_ns();
	tell(0, &io, made.stash.time, 0);
	if (!made.stash.key)
		return 0;
	made.bytes = io.len;
	key = plain_key(&io);
	bpf_map_update_elem(&bios, &key, &made, 0);
	return 0;
}

SEC("tracepoint/block/block_rq_complete") int plain_complete(void *ctx)
{
	struct bio_stash *kept, made;
	struct plain *of;
	struct io io;
	u64 key, now = bpf_ktime_get_ns();
	u32 sectors = 0;

	if (!plain_described(ctx, &io, at_rwbs))
		return 0;
	bpf_probe_read_kernel(&sectors, sizeof(sectors), ctx + at_sectors);
	io.len = sectors << 9;
	tell(1, &io, now, 0);
	if (io.op >= PLACED)
		return 0;
	key = plain_key(&io);
	kept = bpf_map_lookup_elem(&bios, &key);
	of = plain_of(io.slot);
	if (!of)
		return 0;
	if (!kept) {
		of->unmatched++;
		return 0;
	}
	if (io.len < kept->bytes) {
		of->partial++;
		return 0;
	}
	made = *kept;
	bpf_map_delete_elem(&bios, &key);
	completed(&made.stash, now);
	return 0;
}

/* Hash of the sources and name of the compiler, by `cargo xtask bpf`. */
#ifndef STAMP
#define STAMP ""
#endif
const char STAMPED[] SEC("stamp") = STAMP;
char LICENSE[] SEC("license") = "Dual MIT/GPL";
