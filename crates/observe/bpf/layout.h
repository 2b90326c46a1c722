/* What is laid out here is read by `src/live/layout.rs`; what is constant here is set by `src/live/attach.rs`
 * before the program is loaded, so that the verifier drops what is switched off. */
#ifndef IOALIGN_LAYOUT_H
#define IOALIGN_LAYOUT_H

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
#define STREAMS 8		/* ends of I/Os that are remembered, a power of two */
#define ROWS 16			/* lengths that are counted with the sector of the start: see row_of */
#define LATENCIES 1088		/* up to 2^38 ns */
#define MOMENT_BITS 20		/* a moment is 2^20 ns */
#define MOMENTS 4096		/* as many as are remembered: 4.3 s */
#define PAGE_BITS 12		/* a page, as a power of two */
#define REGION_BITS 6		/* pages of a region, as a power of two */
#define REGIONS 4096		/* of a device, in which small reads are remembered: 1 GiB */
#define SMALL 16384		/* bytes of a small read, at most */
#define LARGE 32768		/* a large write has more */
#define ABOVE 16		/* control groups above that of an I/O that are looked at */
#define ALONE 4096		/* small reads of a device that are remembered after its last large write */
#define COUNTED 1		/* a mark: there are counts */
#define ENOUGH 2		/* of reads: there are, and no more small ones are remembered until a large write */
#define NEAR_BITS 8		/* of the number of owners that are near */
#define OTHERS 0xffffffff	/* the process that stands for those past the limit */
#define ALL_OTHERS (~0ULL)	/* the control group and the file that do */
#define SEVERAL (~1ULL)		/* the file of a request that has bios of several */
#define ENDS 16			/* functions that end the I/O of pages of files */
#define MERGED 256		/* bios of a request that are looked at */
#define CHAINED 3		/* bios that a bio was split from */
#define ONLY_FILES 64		/* files and folders that are counted alone */
#define DEPTH 32		/* folders above a file that are looked at */
#define FOLDERS 8		/* names of a path */
#define NAME 64			/* bytes of a name, the last is 0 */

struct grid {
	u64 size;
	u64 phase;
	u64 mask;		/* of a power of two: its bytes past the boundary; else 0 */
	u64 factor;		/* of another: 2^by / (size >> down), rounded up */
	u16 down;		/* its power of two */
	u16 by;
	u32 use;		/* 0 none, 1 what is counted of it follows from `cells` and `sectors`, 2 it does not */
};

struct slot {
	u64 tag_base;		/* where its requests are in `flight` */
	u32 tag_bits;		/* a hardware queue has so many tags, as a power of two */
	u32 queues;
	u32 stamped;		/* the kernel notes when it issues a request */
	u32 counted;		/* bit by grid: its use is 2 */
	u64 discard_unit;	/* in which it frees; 0: not known */
	u64 discard_phase;	/* the first boundary, below the unit */
	u32 discard_ranges;	/* it takes several ranges in one request */
	u32 unused;
	struct grid grids[GRIDS];
};

struct place {
	u32 dev;
	u32 slot;		/* plus one, and SLOTS more for a device that is counted by its bios; 0 is an empty place */
};

/* Set by user space before loading. */
const volatile struct place table[TABLE] = {};
const volatile struct slot slots[SLOTS] = {};
const volatile u32 table_factor = 0;
const volatile u32 flights = 0;		/* entries of `flight` */
const volatile u32 any_stamped = 0;	/* of the slots */
const volatile u32 with_events = 0;	/* every event goes to the ring */
const volatile u32 with_owners = 0;	/* counted by process */
const volatile u32 with_groups = 0;	/* counted by control group */
const volatile u32 with_files = 0;	/* counted by file */
const volatile u32 with_only_files = 0;	/* I/O of other files than those of `only_files` is not counted */
/* Functions of the kernel (bi_end_io) that say what a bio is of; 0 where there is none. */
const volatile u64 ends_pages[ENDS] = {};	/* pages of a file */
const volatile u64 ends_direct = 0;	/* a struct iomap_dio */
const volatile u64 ends_chained = 0;	/* the bio that it was split from */
const volatile u32 with_moments = 0;	/* counted by time */
const volatile u64 only_group = 0;	/* a control group: I/O of others is not counted; 0 counts all */
const volatile u32 owners_early = 0;	/* block_io_start tells who it is, before workers take over */
const volatile u32 sample_every = 0;	/* of so many straddling I/Os one goes to the ring */
const volatile u32 grids = 0;		/* latency histograms of straddling I/O */
const volatile u32 issue_has_queue = 0, requeue_has_queue = 0, bio_has_queue = 0;	/* arguments of tracepoints */
/* Offsets of plain tracepoint fields, from tracefs; 0 where there is none. */
const volatile u32 at_dev = 8, at_sector = 16, at_issue_bytes = 28, at_issue_rwbs = 34;
const volatile u32 at_sectors = 24, at_rwbs = 34, at_requeue_sectors = 24, at_requeue_rwbs = 34;

/* What is common to all processors. */
struct {
	u8 touched[SLOTS * PLACED];	/* marks of `counts` that are not all 0 */
	u64 kept;			/* there are times in `flight` */
	u64 doubt;			/* of the kernel's notes of issues */
	u64 began;			/* when the first request was issued that counts */
	u64 given_back;			/* requests that wait to be issued again: none, nearly always */
	u64 in_parts;			/* requests of which a part has completed: none, nearly always */
	u64 apart[11];			/* what follows is written more often */
	u64 usual[SLOTS];		/* latency, about */
	u32 alone[SLOTS];		/* small reads remembered since the last large write, about */
} state = {};

/* Nothing is counted here that user space can work out. Most I/O is one increment, in `cells`: its length
 * and the sector of its start in 64 KiB say the rest, but for what lies beyond 64 KiB. Other lengths go by
 * everything before. */
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
	u64 cells[ROWS][SECTORS];
	u64 sequential;		/* begin where one of the last ended, on this processor */
	u64 stream;		/* the place of the next end */
	u64 ends[STREAMS];	/* plus one; 0 is none */
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
	u64 unmatched;		/* completed, and not known when they were issued */
	u64 requeued;
	u64 partial;
	u64 lost;		/* the ring was full */
	u64 untimed;		/* no room to remember when it was issued */
	u64 straddled;		/* seen at issue, for sampling */
	u64 late;		/* issued longer ago than moments are remembered */
	u64 overwritten;	/* pages of small reads that a large write overwrote later */
	u64 overwriting;	/* all pages of such writes */
	u64 reread;		/* pages of large writes that a small read touched later */
	u64 discards;		/* ranges, of devices whose unit is known */
	u64 discarded;		/* their bytes */
	u64 discard_heads;	/* of these, before the first boundary, or of no whole unit */
	u64 discard_tails;	/* behind the last boundary */
	u64 discards_lost;	/* of no whole unit */
	u64 mixed;		/* requests of files that are counted alone and of others: not counted */
};

/* Pages of a region: a bit for each. Processors may overwrite each other's bits, rarely: it is a signature, no count. */
struct region {
	u64 number;		/* plus one; 0 is none */
	u64 read;
	u64 written;
};

/* I/Os that were issued within one moment. */
struct moment {
	u64 number;		/* its time, in moments; 0 is none */
	u64 ios;
	u64 bytes;
	u64 latency;
	u64 first;		/* the first issue, ns */
	u64 last;		/* the last completion */
};

struct bio_stash {
	u64 time;
	u64 offset;
	u32 len;
	u32 done;		/* bytes of it that have completed: plain tracepoints */
	u32 slot;
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

/* Whose I/O it mostly is, on one processor: a hash costs ten times as much. First come, first kept; `owners`
 * has the rest. */
struct near {
	struct owner_key whose;
	struct owner owner;	/* no I/Os: nobody's yet */
};

/* Whose I/O: a control group by its number, a file by all of these. */
struct identity {
	u64 number;		/* 0 where there is none */
	u32 dev;
	u32 generation;		/* a number is used again for other files */
};

struct share_key {
	struct identity whose;
	u64 key;		/* slot * OPS + op */
};

/* A file at its first I/O: its name, and those of the folders above it. */
struct file_name {
	u64 count;
	u64 whole;		/* it begins at the top of the file system */
	char names[FOLDERS][NAME];
};

/* The I/O of one of several. */
struct share {
	u64 ios;
	u64 bytes;
	u64 length_off;		/* lengths that are no multiples of 4 KiB */
	u64 starts[64];
};

struct odd_key {
	u32 key;		/* of `counts`, twice; plus one for starts that are no multiples of 4 KiB */
	u32 len;
};

/* A request of which a part has completed, as it was issued. */
struct whole {
	u64 offset;
	u64 len;
};

/* What the ring carries. */
struct event {
	u64 time;
	u64 sector;
	u32 bytes;
	u32 slot;
	u32 pid;
	u8 kind;		/* 0 issue, 1 completion, 2 given back, 3 a straddling I/O */
	u8 op;
	u16 cpu;
	u32 error;
	u32 crossed;		/* bit by grid: straddling */
	char comm[16];
};

#define MAP(name, kind, entries, key_type, value_type) \
	struct { __uint(type, kind); __uint(max_entries, entries); __type(key, key_type); __type(value, value_type); } \
	name SEC(".maps")

MAP(counts, BPF_MAP_TYPE_PERCPU_ARRAY, 1, u32, struct counts);
MAP(latency, BPF_MAP_TYPE_PERCPU_ARRAY, 1, u32, struct latencies);
MAP(straddling, BPF_MAP_TYPE_PERCPU_ARRAY, 1, u32, struct latencies);
MAP(plain, BPF_MAP_TYPE_PERCPU_ARRAY, 1, u32, struct plain);
MAP(moments, BPF_MAP_TYPE_PERCPU_ARRAY, 1, u32, struct moment);
MAP(regions, BPF_MAP_TYPE_ARRAY, 1, u32, struct region);
MAP(flight, BPF_MAP_TYPE_ARRAY, 1, u32, u64);
MAP(bios, BPF_MAP_TYPE_HASH, 1, u64, struct bio_stash);
MAP(returned, BPF_MAP_TYPE_HASH, 1024, u64, u32);
MAP(parts, BPF_MAP_TYPE_HASH, 1024, u64, struct whole);
MAP(odd_sizes, BPF_MAP_TYPE_HASH, 4096, struct odd_key, u64);
MAP(owners, BPF_MAP_TYPE_PERCPU_HASH, 1, struct owner_key, struct owner);
MAP(groups, BPF_MAP_TYPE_PERCPU_HASH, 1, struct share_key, struct share);
MAP(files, BPF_MAP_TYPE_PERCPU_HASH, 1, struct share_key, struct share);
MAP(file_names, BPF_MAP_TYPE_HASH, 1, struct identity, struct file_name);
MAP(only_files, BPF_MAP_TYPE_HASH, ONLY_FILES, struct identity, u32);	/* without generations: user space holds them open */
MAP(judged_files, BPF_MAP_TYPE_HASH, 1, struct identity, u32);	/* whether a file is one of these, or below one */
MAP(near, BPF_MAP_TYPE_PERCPU_ARRAY, 1, u32, struct near);
struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); } ring SEC(".maps");

/* One I/O, wherever it was seen. */
struct io {
	u64 offset;
	u32 len;
	u32 op;
	u32 slot;
};

#endif
