/* Requests, seen by typed tracepoints: counted when they are issued, timed when they complete. */
#ifndef IOALIGN_REQUESTS_H
#define IOALIGN_REQUESTS_H

#include "discards.h"
#include "files.h"

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

/* The control group of a bio: that of who dirtied the pages, also where a worker of the kernel writes them (cgroup v2). */
INLINE struct cgroup_subsys_state *group_of(struct bio *bio)
{
	if (!field_exists(((struct bio *)0)->bi_blkg) || !bio || !bio->bi_blkg || !bio->bi_blkg->blkcg)
		return 0;
	return &bio->bi_blkg->blkcg->css;
}

/* Whether it is I/O of another control group than the one that is watched, or those below it. */
INLINE u32 is_of_others(struct bio *bio)
{
	struct cgroup_subsys_state *css;

	if (!only_group)
		return 0;
	css = group_of(bio);
#pragma clang loop unroll(disable)
	for (u32 n = 0; n < ABOVE; n++) {
		if (!css)
			break;
		if (css->cgroup->kn->id == only_group)
			return 0;
		css = css->parent;
	}
	return 1;
}

/* Whether a request is not counted: of another control group, or of other files. */
INLINE u32 is_left_out(struct request *rq)
{
	return is_of_others(rq->bio) || (with_only_files && choice_of_request(rq) != CHOSEN);
}

/* A request that was merged from parts of files that are counted alone and of others. */
static __attribute__((noinline)) int mixed(u32 slot)
{
	struct plain *of = plain_of(slot);

	if (of)
		of->mixed++;
	RETURN;
}

/* By control group. Bios of several are never merged to one request (blk_cgroup_mergeable, block/blk-cgroup.h). */
INLINE void grouped(struct io *io, struct bio *bio)
{
	struct cgroup_subsys_state *css;

	if (!with_groups)
		return;
	css = group_of(bio);
	of_group(io, css ? css->cgroup->kn->id : 0);
}

/* Where the time of its issue is kept; `flights` where there is no place. Tags that follow each other are
 * eight entries, a cache line, apart: one is issued on one processor while its neighbour completes on another. */
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
	if (tag >= tags || number >= config->queues || bits < 3)
		return flights;
	tag = ((tag << 3) & (tags - 1)) | (tag >> (bits - 3));
	return config->tag_base + (number << bits) + tag;
}

INLINE u64 *kept_of(struct request *rq, u64 slot)
{
	u32 at = place_of(rq, slot);

	return at < flights ? bpf_map_lookup_elem(&flight, &at) : 0;
}

INLINE void described(struct request *rq, struct io *io, u64 slot)
{
	u64 sector = rq->__sector;

	io->slot = slot;
	io->op = op_of(rq->cmd_flags);
	io->len = rq->__data_len;
	io->offset = io->op < PLACED ? sector << 9 : 0;
}

#define CHECKED 31		/* of so many notes, and one, one is checked */
#define LAG_BITS 5		/* it may be too early by 1/32 of the usual latency: a step of the histogram */
#define DOUBT 32		/* for a wrong one; a right one takes one off */
#define DOUBTED 64		/* from then on every request is timed here */
#define UNSTAMPED (1ULL << 32)	/* a request had no note at all */

/* Compares the note that the kernel is about to take with the clock: 3 % of wrong ones are too many. Since 6.9
 * it reads its clock once for all that a thread submits at once (`cur_ktime` of the plug). */
static __attribute__((noinline)) int checked(u64 slot)
{
	u64 doubt = state.doubt, usual, lag, note;
	struct blk_plug *plug;

	HIDDEN(slot);
	if (slot >= SLOTS || doubt >= UNSTAMPED)
		RETURN;
	plug = ((struct task_struct *)bpf_get_current_task_btf())->plug;
	note = plug ? plug->cur_ktime : 0;
	if (!note)
		RETURN;
	lag = bpf_ktime_get_ns() - note;
	usual = state.usual[slot];
	if (usual && (lag << LAG_BITS) > usual)
		state.doubt = doubt + DOUBT < 2 * DOUBTED ? doubt + DOUBT : 2 * DOUBTED;
	else if (doubt)
		state.doubt = doubt - 1;
	RETURN;
}

/* Whether the kernel's note of when it issues the request will be true. Calls cost more than all the counting:
 * one request in 32 is looked at, by when it was made, which is as good as random, and by its tag: of those that
 * were made at once only one, or a single stall would count many times. */
INLINE u32 truly_noted(struct request *rq, u64 slot)
{
	if (!any_stamped)
		return 0;
	if (field_exists(((struct blk_plug *)0)->cur_ktime) && rarely(!(((rq->start_time_ns >> 6) + rq->tag) & CHECKED)))
		checked(slot);
	return state.doubt < DOUBTED;
}

/* Keeps the time of its issue. */
INLINE void keep(struct request *rq, u64 slot, u64 now)
{
	u64 *kept = kept_of(rq, slot);
	struct plain *of;

	if (kept) {
		*kept = now;
		if (!state.kept)
			state.kept = 1;
		return;
	}
	of = plain_of(slot);
	if (of)
		of->untimed++;
}

/* The first of all that counts. */
static __attribute__((noinline)) int begin(void)
{
	struct blk_plug *plug;
	u64 note = 0;

	if (any_stamped && field_exists(((struct blk_plug *)0)->cur_ktime)) {
		plug = ((struct task_struct *)bpf_get_current_task_btf())->plug;
		note = plug ? plug->cur_ktime : 0;
	}
	state.began = note ? note : bpf_ktime_get_ns();
	RETURN;
}

INLINE int request_issued(struct request *rq)
{
	u64 slot = slot_of(request_device(rq), 0), now;
	u32 noted;
	struct io io;

	if (slot >= SLOTS || is_of_others(rq->bio))
		return 0;
	if (with_only_files) {
		u64 choice = choice_of_request(rq);

		if (choice != CHOSEN)
			return choice == (CHOSEN | NOT_CHOSEN) ? mixed(slot) : 0;
	}
	described(rq, &io, slot);
	if (rarely(!state.began))
		begin();
	if (!rarely(state.given_back) || !again((u64)rq)) {
		first_issued(&io);
		grouped(&io, rq->bio);
		if (with_files)
			of_file(&io, inode_of_request(rq));
		if (rarely(io.op == DISCARD))
			request_discards(rq, &io);
	}
	noted = slots[slot].stamped && truly_noted(rq, slot);
	if (noted && !with_events)
		return 0;
	now = bpf_ktime_get_ns();
	tell(0, &io, now, 0);
	if (!noted && io.op < PLACED)
		keep(rq, slot, now);
	return 0;
}

INLINE int request_returned(struct request *rq)
{
	u64 slot = slot_of(request_device(rq), 0), *kept;
	struct io io;

	if (slot >= SLOTS || !state.began || is_left_out(rq))
		return 0;
	/* It may have another tag the next time. */
	kept = kept_of(rq, slot);
	if (kept)
		*kept = 0;
	give_back((u64)rq, slot);
	described(rq, &io, slot);
	if (with_events)
		tell(2, &io, bpf_ktime_get_ns(), 0);
	return 0;
}

/* When a request was issued; 0 where that is not known. */
INLINE u64 issued_at(struct request *rq, u64 slot)
{
	u64 *kept = state.kept ? kept_of(rq, slot) : 0, time;

	if (kept && *kept) {
		time = *kept;
		*kept = 0;
		/* Older than the request: of another one, whose completion was not seen. */
		if (time >= rq->start_time_ns)
			return time;
	}
	HIDDEN(slot);
	if (slot >= SLOTS || !slots[slot].stamped)
		return 0;
	time = rq->io_start_time_ns;
	if (rarely(!time))
		state.doubt = UNSTAMPED;
	/* Issued before anything was counted. */
	return state.began && time >= state.began ? time : 0;
}

/* Remembers a request of which a part has completed; what is left forgets. */
static __attribute__((noinline)) int part_done(struct request *rq, struct io *io)
{
	struct whole whole = { io->offset, io->len };
	struct plain *of = plain_of(io->slot);
	u64 pointer = (u64)rq;

	if (of)
		of->partial++;
	if (!bpf_map_update_elem(&parts, &pointer, &whole, BPF_NOEXIST))
		__sync_fetch_and_add(&state.in_parts, 1);
	RETURN;
}

/* The last part has completed: the I/O is as it was issued. */
static __attribute__((noinline)) int made_whole(struct request *rq, struct io *io)
{
	u64 pointer = (u64)rq;
	struct whole *whole = bpf_map_lookup_elem(&parts, &pointer);

	if (!whole)
		RETURN;
	io->offset = whole->offset;
	io->len = whole->len;
	if (!bpf_map_delete_elem(&parts, &pointer))
		__sync_fetch_and_add(&state.in_parts, -1);
	RETURN;
}

/* The usual latency of a device: a running mean over some eight. */
static __attribute__((noinline)) int learn(u64 slot, u64 latency)
{
	u64 usual;

	HIDDEN(slot);
	if (slot >= SLOTS)
		RETURN;
	usual = state.usual[slot];
	state.usual[slot] = usual ? usual - (usual >> 3) + (latency >> 3) : latency;
	RETURN;
}

static __attribute__((noinline)) int unmatched(u32 slot)
{
	struct plain *of = plain_of(slot);

	if (of)
		of->unmatched++;
	RETURN;
}

INLINE int request_done(struct request *rq, u32 error, u32 bytes)
{
	u64 slot = slot_of(request_device(rq), 0), now, start;
	struct io io;

	/* Before any issue is seen nothing counts: the program on issues is attached last. */
	if (slot >= SLOTS || rarely(!state.began) || is_left_out(rq))
		return 0;
	described(rq, &io, slot);
	/* An empty write that asks for a flush completes, and was never issued: the flush was. */
	if (rarely(!io.len && io.op == 1))
		return 0;
	if (rarely(state.given_back))
		again((u64)rq);
	if (!with_events && rarely(io.op >= PLACED))
		return 0;
	now = bpf_ktime_get_ns();
	if (with_events) {
		/* Field by field: verifiers before 6.3 refuse to copy what pads it. */
		struct io part;
		part.offset = io.offset;
		part.len = bytes;
		part.op = io.op;
		part.slot = io.slot;
		tell(1, &part, now, error);
		if (rarely(io.op >= PLACED))
			return 0;
	}
	if (rarely(bytes < io.len))
		return part_done(rq, &io);
	if (rarely(state.in_parts))
		made_whole(rq, &io);
	start = issued_at(rq, slot);
	if (rarely(!start))
		return unmatched(slot);
	if (any_stamped && rarely(!((now >> 6) & CHECKED)))
		learn(slot, now - start);
	timed(&io, start, now);
	return 0;
}

INLINE int request_started(struct request *rq)
{
	u64 slot = slot_of(request_device(rq), 0);
	struct io io;

	if (!with_owners || slot >= SLOTS || is_left_out(rq))
		return 0;
	described(rq, &io, slot);
	owned(&io);
	return 0;
}

#endif
