// SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
/* Counts block I/O in the kernel: by device and operation, on every power of two and on up to four
 * other grids, with latency from issue to completion.
 *
 * What user space wants is in read-only data, which the kernel's verifier takes for constants: what is
 * not wanted is not even in the program that runs. */
#include "bios.h"
#include "plain.h"

/* The argument of a typed tracepoint. Until 5.10 some had the queue before it. */
INLINE void *behind_queue(u64 *ctx, u32 queue_first)
{
	u64 found;

	if (queue_first) {
		found = ctx[1];
		HIDDEN(found);
	} else {
		found = ctx[0];
		HIDDEN(found);
	}
	return (void *)found;
}

SEC("tp_btf/block_rq_issue") int rq_issue(u64 *ctx) { return request_issued(behind_queue(ctx, issue_has_queue)); }
SEC("tp_btf/block_rq_requeue") int rq_requeue(u64 *ctx) { return request_returned(behind_queue(ctx, requeue_has_queue)); }
SEC("tp_btf/block_rq_complete") int rq_complete(u64 *ctx) { return request_done((void *)ctx[0], ctx[1], ctx[2]); }
SEC("tp_btf/block_io_start") int io_start(u64 *ctx) { return request_started((void *)ctx[0]); }
SEC("tp_btf/block_bio_queue") int bio_queue(u64 *ctx) { return bio_queued(behind_queue(ctx, bio_has_queue)); }
SEC("tp_btf/block_bio_complete") int bio_complete(u64 *ctx) { return bio_done((void *)ctx[1]); }

/* What measuring itself costs: `--cost` takes it off. */
SEC("tp_btf/block_rq_issue") int empty_issue(u64 *ctx) { return 0; }
SEC("tp_btf/block_rq_complete") int empty_complete(u64 *ctx) { return 0; }

SEC("tracepoint/block/block_rq_issue") int plain_issue(void *ctx) { return plainly_issued(ctx); }
SEC("tracepoint/block/block_rq_requeue") int plain_requeue(void *ctx) { return plainly_returned(ctx); }
SEC("tracepoint/block/block_rq_complete") int plain_complete(void *ctx) { return plainly_done(ctx); }

/* Hash of the sources and name of the compiler, by `cargo xtask bpf`. */
#ifndef STAMP
#define STAMP ""
#endif
const char STAMPED[] SEC("stamp") = STAMP;
char LICENSE[] SEC("license") = "Dual MIT/GPL";
