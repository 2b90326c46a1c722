/*
 * The least that a program can do to read at random through io_uring: a bound for what the engine costs.
 *
 *     minimal TARGET DEPTH BATCH MILLISECONDS [pread]
 *
 * One system call sends what was taken, BATCH at most, and waits for one. A ring for one thread with deferred work,
 * registered file, buffers and ring, no index array (Linux 6.6); one look at the clock a call; nothing is counted but
 * I/Os. With `pread` (DEPTH 1) there is no ring. O_DIRECT, blocks of 4 KiB.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef IORING_SETUP_NO_SQARRAY
#define IORING_SETUP_NO_SQARRAY (1U << 16)
#endif
#define BLOCK 4096
#define MOST 1024

static uint64_t blocks, random_state = 88172645463325252;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Xorshift. */
static uint64_t place(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % blocks * BLOCK;
}

static uint64_t size_of(int file)
{
	struct stat stat;
	uint64_t size;

	if (fstat(file, &stat))
		die("stat");
	size = stat.st_size;
	if (S_ISBLK(stat.st_mode) && ioctl(file, BLKGETSIZE64, &size))
		die("size");
	return size;
}

static uint64_t by_pread(int file, char *buffer, uint64_t end)
{
	uint64_t done = 0;

	while (now_ns() < end) {
		if (pread(file, buffer, BLOCK, place()) != BLOCK)
			die("pread");
		done++;
	}
	return done;
}

static void *map(int ring, size_t bytes, off_t what)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);

	if (at == MAP_FAILED)
		die("ring");
	return at;
}

static void enroll(int ring, unsigned what, void *which, unsigned count)
{
	if (syscall(__NR_io_uring_register, ring, what, which, count) < 0)
		die("register");
}

static uint64_t by_ring(int file, char *buffers, unsigned depth, unsigned batch, uint64_t end)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_NO_SQARRAY,
	};
	int ring = syscall(__NR_io_uring_setup, depth, &p);
	struct io_uring_rsrc_update place_of_ring = { .offset = -1U, .data = ring };
	struct iovec vectors[MOST];
	unsigned slots[MOST], free = 0, flying = 0;
	uint64_t done = 0, now = 0;

	if (ring < 0)
		die("io_uring");
	for (unsigned slot = 0; slot < depth; slot++) {
		vectors[slot] = (struct iovec){ buffers + slot * BLOCK, BLOCK };
		slots[free++] = slot;
	}
	enroll(ring, IORING_REGISTER_BUFFERS, vectors, depth);
	enroll(ring, IORING_REGISTER_FILES, &file, 1);
	enroll(ring, IORING_REGISTER_RING_FDS, &place_of_ring, 1);

	char *rings = map(ring, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_SQ_RING);
	struct io_uring_sqe *entries = map(ring, p.sq_entries * sizeof(*entries), IORING_OFF_SQES);
	struct io_uring_cqe *completions = (void *)(rings + p.cq_off.cqes);
	unsigned *sent = (void *)(rings + p.sq_off.tail), *taken = (void *)(rings + p.cq_off.head);
	unsigned *completed = (void *)(rings + p.cq_off.tail);

	while (now < end || flying) {
		unsigned tail = *sent, head = *taken, fresh = 0;

		while (now < end && free) {
			unsigned slot = slots[--free];

			entries[tail++ & (p.sq_entries - 1)] = (struct io_uring_sqe){
				.opcode = IORING_OP_READ_FIXED, .flags = IOSQE_FIXED_FILE, .off = place(),
				.addr = (uintptr_t)vectors[slot].iov_base, .len = BLOCK,
				.buf_index = slot, .user_data = slot,
			};
			fresh++;
		}
		flying += fresh;
		__atomic_store_n(sent, tail, __ATOMIC_RELEASE);
		if (syscall(__NR_io_uring_enter, place_of_ring.offset, fresh, 1,
			    IORING_ENTER_GETEVENTS | IORING_ENTER_REGISTERED_RING, NULL, 0) < 0)
			die("enter");
		now = now_ns();
		for (unsigned end_of_batch = head + batch; head != end_of_batch; head++) {
			struct io_uring_cqe *one = &completions[head & (p.cq_entries - 1)];

			if (head == __atomic_load_n(completed, __ATOMIC_ACQUIRE))
				break;
			if (one->res != BLOCK)
				die("read");
			slots[free++] = one->user_data;
			flying--;
			done++;
		}
		__atomic_store_n(taken, head, __ATOMIC_RELEASE);
	}
	return done;
}

int main(int count, char **words)
{
	if (count < 5)
		return 64;
	unsigned depth = atoi(words[2]), batch = atoi(words[3]);
	uint64_t end = now_ns() + atoi(words[4]) * 1000000ull;
	int file = open(words[1], O_RDONLY | O_DIRECT);
	char *buffers = aligned_alloc(BLOCK, (size_t)BLOCK * MOST);

	if (file < 0 || !buffers || !depth || depth > MOST || !batch)
		die(words[1]);
	memset(buffers, 1, (size_t)BLOCK * depth);
	blocks = size_of(file) / BLOCK;
	printf("%lu\n", count > 5 ? by_pread(file, buffers, end) : by_ring(file, buffers, depth, batch, end));
	return 0;
}
