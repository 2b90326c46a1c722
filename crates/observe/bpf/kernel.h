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

struct dentry;

struct super_block {
	u32 s_dev;
	struct dentry *s_root;
} RELOCATED;

struct hlist_node {
	struct hlist_node *next;
} RELOCATED;

struct hlist_head {
	struct hlist_node *first;
} RELOCATED;

struct inode;

struct address_space {
	struct inode *host;
} RELOCATED;

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	struct address_space *i_mapping;
	unsigned long i_ino;
	u32 i_generation;
	struct hlist_head i_dentry;
} RELOCATED;

struct qstr {
	const unsigned char *name;
} RELOCATED;

/* `d_alias` is in a union, `d_u`. */
struct dentry {
	struct dentry *d_parent;
	struct inode *d_inode;
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
} RELOCATED;

struct file {
	struct inode *f_inode;
} RELOCATED;

struct kiocb {
	struct file *ki_filp;
} RELOCATED;

struct iomap_dio {
	struct kiocb *iocb;
} RELOCATED;

/* The first page of several has the mapping; the others have its address, plus one. */
struct page {
	unsigned long compound_head;
	struct address_space *mapping;
} RELOCATED;

struct bio_vec {
	struct page *bv_page;
} RELOCATED;

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	struct blkcg_gq *bi_blkg;
	unsigned int bi_opf;
	struct bvec_iter bi_iter;
	void *bi_end_io;
	void *bi_private;
	struct bio_vec *bi_io_vec;
} RELOCATED;

/* Before 5.12 */
struct bio___with_disk {
	struct gendisk *bi_disk;
} RELOCATED;

#endif
