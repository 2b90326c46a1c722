/* What is told of single I/Os: to the ring, and to the tables of processes and control groups. */
#ifndef IOALIGN_TELL_H
#define IOALIGN_TELL_H

#include "count.h"

static const struct owner no_owner = {};
static const struct share no_share = {};

/* Puts an event into the ring, or counts that there was no room. */
static __attribute__((noinline)) int put(struct io *io, u64 time, u32 kind, u64 crossed_and_error)
{
	struct event *event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);
	struct plain *of;

	if (!event) {
		of = plain_of(io->slot);
		if (of)
			of->lost++;
		RETURN;
	}
	event->time = time;
	event->sector = io->offset >> 9;
	event->bytes = io->len;
	event->slot = io->slot;
	event->pid = bpf_get_current_pid_tgid() >> 32;
	event->kind = kind;
	event->op = io->op;
	event->cpu = bpf_get_smp_processor_id();
	event->error = crossed_and_error;
	event->crossed = crossed_and_error >> 32;
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	RETURN;
}

INLINE void tell(u32 kind, struct io *io, u64 time, u32 error)
{
	if (with_events)
		put(io, time, kind, error);
}

/* Of those that straddle at issue, one in so many is shown. */
static __attribute__((noinline)) int sampled(struct io *io)
{
	struct plain *of;
	u64 slot = io->slot, crossed;

	HIDDEN(slot);
	if (!sample_every || slot >= SLOTS || io->op >= PLACED)
		RETURN;
	crossed = straddles(io, &slots[slot].grids[0]);
	if (grids > 1)
		crossed |= straddled_on_more(io, slot);
	of = crossed ? plain_of(io->slot) : 0;
	if (of && of->straddled++ % sample_every == 0)
		put(io, bpf_ktime_get_ns(), 3, crossed << 32);
	RETURN;
}

INLINE void owns(struct owner *owner, struct io *io)
{
	owner->ios++;
	owner->bytes += io->len;
	owner->length_off += some(io->len & 4095);
	if (io->op < PLACED)
		owner->starts[lowest_bit(io->offset) & 63]++;
}

/* Of one that is not near. */
static __attribute__((noinline)) int owned_far(struct io *io, u32 pid)
{
	struct owner_key key = { io->slot * OPS + io->op, pid };
	struct owner *owner = bpf_map_lookup_elem(&owners, &key);

	if (!owner) {
		/* Not an LRU table: what it throws out is lost. When this one is full, the rest is one. */
		if (bpf_map_update_elem(&owners, &key, &no_owner, BPF_NOEXIST))
			key.pid = OTHERS;
		bpf_map_update_elem(&owners, &key, &no_owner, BPF_NOEXIST);
		owner = bpf_map_lookup_elem(&owners, &key);
		if (!owner)
			RETURN;
	}
	if (!owner->comm[0] && key.pid != OTHERS)
		bpf_get_current_comm(owner->comm, sizeof(owner->comm));
	owns(owner, io);
	RETURN;
}

/* Whose I/O it is. */
INLINE void owned(struct io *io)
{
	u32 key = io->slot * OPS + io->op, pid = bpf_get_current_pid_tgid() >> 32, at;
	struct near *mine;

	at = (u32)((pid ^ key << 22) * 0x9e3779b1) >> (32 - NEAR_BITS);
	mine = bpf_map_lookup_elem(&near, &at);
	if (!mine)
		return;
	if (rarely(!mine->owner.ios)) {
		mine->whose.key = key;
		mine->whose.pid = pid;
		bpf_get_current_comm(mine->owner.comm, sizeof(mine->owner.comm));
	}
	if (mine->whose.pid == pid && mine->whose.key == key)
		owns(&mine->owner, io);
	else
		owned_far(io, pid);
}

/* Adds an I/O to the share of whom it belongs to. */
INLINE void shared(void *all, struct io *io, struct share_key *key)
{
	struct share *share;

	key->key = io->slot * OPS + io->op;
	share = bpf_map_lookup_elem(all, key);
	if (!share) {
		/* As with processes: when the table is full, the rest is one. */
		if (bpf_map_update_elem(all, key, &no_share, BPF_NOEXIST)) {
			key->whose.number = ALL_OTHERS;
			key->whose.dev = key->whose.generation = 0;
		}
		bpf_map_update_elem(all, key, &no_share, BPF_NOEXIST);
		share = bpf_map_lookup_elem(all, key);
		if (!share)
			return;
	}
	share->ios++;
	share->bytes += io->len;
	share->length_off += some(io->len & 4095);
	if (io->op < PLACED)
		share->starts[lowest_bit(io->offset) & 63]++;
}

static __attribute__((noinline)) int of_group(struct io *io, u64 number)
{
	struct share_key key = {};

	key.whose.number = number;
	shared(&groups, io, &key);
	RETURN;
}

/* What is given back by the driver and issued again is one I/O. */
static __attribute__((noinline)) int again(u64 which)
{
	if (bpf_map_delete_elem(&returned, &which))
		return 0;
	__sync_fetch_and_add(&state.given_back, -1);
	return 1;
}

static __attribute__((noinline)) int give_back(u64 which, u32 slot)
{
	struct plain *of = plain_of(slot);
	u32 one = 1;

	if (of)
		of->requeued++;
	if (!bpf_map_update_elem(&returned, &which, &one, BPF_NOEXIST))
		__sync_fetch_and_add(&state.given_back, 1);
	RETURN;
}

/* What is done when an I/O is issued. */
INLINE void first_issued(struct io *io)
{
	if (with_owners && !owners_early)
		owned(io);
	if (sample_every)
		sampled(io);
	counted(io);
}

/* The same, and the end, where a hash costs much more than a call: once in the object for all of those. */
static __attribute__((noinline)) int first_issued_by_hash(struct io *io)
{
	first_issued(io);
	RETURN;
}

static __attribute__((noinline)) int timed_by_hash(struct io *io, u64 start, u64 now)
{
	timed(io, start, now);
	RETURN;
}

#endif
