/* What of the kernel's types is used here, by name only: the loader looks up where each field lies in
 * the running kernel (CO-RE), so this serves 5.8 to 7.3 and replaces a vmlinux.h of three megabytes. */
#ifndef IOALIGN_KERNEL_H
#define IOALIGN_KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define RELOCATED __attribute__((preserve_access_index))

struct gendisk {
	int major;
	int first_minor;
} RELOCATED;

/* `disk` since 5.15 */
struct request_queue {
	struct gendisk *disk;
} RELOCATED;

struct blk_mq_hw_ctx {
	unsigned int queue_num;
} RELOCATED;

/* `id` is the inode number of the group's folder. */
struct kernfs_node {
	u64 id;
} RELOCATED;

struct cgroup {
	struct kernfs_node *kn;
} RELOCATED;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
} RELOCATED;

struct blkcg {
	struct cgroup_subsys_state css;
} RELOCATED;

struct blkcg_gq {
	struct blkcg *blkcg;
} RELOCATED;

struct bio;

struct request {
	struct request_queue *q;
	struct bio *bio;
	struct blk_mq_hw_ctx *mq_hctx;
	unsigned int cmd_flags;
	int tag;
	unsigned int __data_len;
	u64 __sector;
	u64 start_time_ns;
	u64 io_start_time_ns;
} RELOCATED;

/* Before 5.17 */
struct request___with_disk {
	struct gendisk *rq_disk;
} RELOCATED;

/* `cur_ktime` since 6.9: one reading of the clock for all requests of a batch */
struct blk_plug {
	u64 cur_ktime;
} RELOCATED;

struct task_struct {
	struct blk_plug *plug;
} RELOCATED;

struct block_device {
	struct gendisk *bd_disk;
} RELOCATED;

struct bvec_iter {
	u64 bi_sector;
	unsigned int bi_size;
} RELOCATED;

struct bio {
	struct block_device *bi_bdev;
	struct blkcg_gq *bi_blkg;
	unsigned int bi_opf;
	struct bvec_iter bi_iter;
} RELOCATED;

/* Before 5.12 */
struct bio___with_disk {
	struct gendisk *bi_disk;
} RELOCATED;

#endif
