/* Which file an I/O belongs to. The function that ends a bio says what it is of: nothing else tells pages of the page cache
 * from those of a program, which may be pages of another file (mmap). What is not known so has no file. */
#ifndef IOALIGN_FILES_H
#define IOALIGN_FILES_H

#include "tell.h"

#define S_IFMT 0170000
#define S_IFREG 0100000

/* A field of what lies at an address. Not typed: the kernel says `void *` on the way here. */
#define FIELD(type, address, field) ({ \
	typeof(((type *)0)->field) value = 0; \
	bpf_probe_read_kernel(&value, sizeof(value), &((type *)(address))->field); \
	value; })

static const struct file_name no_name = {};

/* 1 for a function that ends the I/O of pages. Without a branch for each: the verifier would follow all of them. */
INLINE u64 ends_with_pages(u64 end)
{
	u64 others = 1;

#pragma unroll
	for (u32 n = 0; n < ENDS; n++)
		others &= some((ends_pages[n] ^ end) >> 1);
	return !others && end;
}

/* The inode whose page it is. Other users of a page keep something else in its place of the mapping. */
INLINE struct inode *inode_of_page(struct bio *bio)
{
	struct bio_vec *vec = FIELD(struct bio, bio, bi_io_vec);
	struct page *page = FIELD(struct bio_vec, vec, bv_page);
	u64 head = FIELD(struct page, page, compound_head);
	struct address_space *mapping;
	struct inode *inode;

	if (head & 1)
		page = (struct page *)(head - 1);
	mapping = FIELD(struct page, page, mapping);
	inode = FIELD(struct address_space, mapping, host);
	return inode && FIELD(struct inode, inode, i_mapping) == mapping ? inode : 0;
}

INLINE struct inode *inode_of_direct(struct bio *bio)
{
	struct iomap_dio *dio = FIELD(struct bio, bio, bi_private);
	struct kiocb *iocb;
	struct file *file;

	if (!field_exists(((struct iomap_dio *)0)->iocb))
		return 0;
	iocb = FIELD(struct iomap_dio, dio, iocb);
	file = FIELD(struct kiocb, iocb, ki_filp);
	return FIELD(struct file, file, f_inode);
}

/* The inode that a bio is of; 0 where that is not known. */
INLINE struct inode *inode_of_bio(struct bio *bio)
{
	u64 end = 0;

#pragma unroll
	for (u32 n = 0; n < CHAINED; n++) {
		end = (u64)FIELD(struct bio, bio, bi_end_io);
		if (!end || end != ends_chained)
			break;
		bio = FIELD(struct bio, bio, bi_private);
	}
	if (end && end == ends_direct)
		return inode_of_direct(bio);
	return ends_with_pages(end) ? inode_of_page(bio) : 0;
}

/* Not static, and numbers only: the verifier looks at it once, and not for each bio of a request. */
__attribute__((noinline)) u64 inode_of(u64 bio)
{
	return (u64)inode_of_bio((struct bio *)bio);
}

/* One of the names of an inode: who has it open holds it in memory. */
INLINE struct dentry *dentry_of(struct inode *inode)
{
	struct hlist_node *first = 0;

	bpf_probe_read_kernel(&first, sizeof(first), &inode->i_dentry.first);
	if (!first)
		return 0;
	return (void *)first - (u64)&((struct dentry *)0)->d_u.d_alias;
}

INLINE void identified(struct identity *whose, struct inode *inode)
{
	whose->number = FIELD(struct inode, inode, i_ino);
	whose->dev = FIELD(struct super_block, FIELD(struct inode, inode, i_sb), s_dev);
}

/* Whether a file, or a folder above it, is one of those that are counted alone. */
INLINE u32 is_below_one(struct inode *inode)
{
	struct dentry *dentry = dentry_of(inode), *above;
	struct identity whose = {};

#pragma clang loop unroll(disable)
	for (u32 n = 0; n < DEPTH; n++) {
		if (!inode)
			return 0;
		identified(&whose, inode);
		if (bpf_map_lookup_elem(&only_files, &whose))
			return 1;
		above = dentry ? FIELD(struct dentry, dentry, d_parent) : 0;
		if (above == dentry)
			return 0;
		dentry = above;
		inode = FIELD(struct dentry, dentry, d_inode);
	}
	return 0;
}

/* The same of the inode of a bio, remembered. */
__attribute__((noinline)) u64 is_chosen(u64 found)
{
	struct inode *inode = (struct inode *)found;
	struct identity whose = {};
	u32 *known, chosen;

	if (!inode)
		return 0;
	identified(&whose, inode);
	whose.generation = FIELD(struct inode, inode, i_generation);
	known = bpf_map_lookup_elem(&judged_files, &whose);
	if (known)
		return *known;
	chosen = is_below_one(inode);
	bpf_map_update_elem(&judged_files, &whose, &chosen, BPF_NOEXIST);
	return chosen;
}

#define CHOSEN 1
#define NOT_CHOSEN 2

/* Whether the bios of a request are of files that are counted alone, or not: a bit for each. */
static __attribute__((noinline)) u64 choice_of_request(struct request *rq)
{
	u64 bio = (u64)FIELD(struct request, rq, bio), found = 0;

#pragma clang loop unroll(disable)
	for (u32 n = 0; n < MERGED && bio; n++) {
		found |= is_chosen(inode_of(bio)) ? CHOSEN : NOT_CHOSEN;
		bio = (u64)FIELD(struct bio, bio, bi_next);
	}
	/* Not all were looked at. */
	return bio ? found | NOT_CHOSEN : found;
}

/* Takes the name down, and those of the folders above. */
static __attribute__((noinline)) int named(struct identity *whose, struct inode *inode)
{
	struct super_block *system = FIELD(struct inode, inode, i_sb);
	struct dentry *dentry = dentry_of(inode), *above;
	struct file_name *name;
	const unsigned char *text;

	if (bpf_map_update_elem(&file_names, whose, &no_name, BPF_NOEXIST))
		RETURN;
	name = bpf_map_lookup_elem(&file_names, whose);
	if (!name)
		RETURN;
#pragma clang loop unroll(disable)
	for (u32 n = 0; n < FOLDERS; n++) {
		if (!dentry)
			break;
		above = FIELD(struct dentry, dentry, d_parent);
		if (above == dentry) {
			/* An inode that was opened by its number (NFS) may hang on no root. */
			name->whole = dentry == FIELD(struct super_block, system, s_root);
			break;
		}
		text = FIELD(struct dentry, dentry, d_name.name);
		bpf_probe_read_kernel_str(name->names[n], NAME, text);
		name->count = n + 1;
		dentry = above;
	}
	RETURN;
}

/* Counted by file. */
static __attribute__((noinline)) int of_file(struct io *io, u64 found)
{
	struct inode *inode = (struct inode *)found;
	struct share_key key = {};

	if (found == SEVERAL) {
		key.whose.number = SEVERAL;
	} else if (found && (FIELD(struct inode, inode, i_mode) & S_IFMT) == S_IFREG) {
		identified(&key.whose, inode);
		key.whose.generation = FIELD(struct inode, inode, i_generation);
		if (!bpf_map_lookup_elem(&file_names, &key.whose))
			named(&key.whose, inode);
	}
	shared(&files, io, &key);
	RETURN;
}

/* The inode that all bios of a request are of. */
static __attribute__((noinline)) u64 inode_of_request(struct request *rq)
{
	u64 bio = (u64)FIELD(struct request, rq, bio), inode, more;

	if (!bio)
		return 0;
	inode = inode_of(bio);
#pragma clang loop unroll(disable)
	for (u32 n = 0; n < MERGED; n++) {
		bio = (u64)FIELD(struct bio, bio, bi_next);
		if (!bio)
			return inode;
		more = inode_of(bio);
		if (more != inode)
			return SEVERAL;
	}
	/* Not all were looked at. */
	return 0;
}

#endif
