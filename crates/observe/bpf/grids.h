/* Grids: how an I/O lies on one, and what is counted of that. */
#ifndef IOALIGN_GRIDS_H
#define IOALIGN_GRIDS_H

#include "layout.h"

/* How an I/O lies on a grid: bytes past a boundary at which it begins, and the last of it. */
struct lie {
	u64 past;
	u64 end;
};

#define EXACT 31		/* bits of a number for which `factor` divides exactly */

INLINE u64 past_boundary(const volatile struct grid *grid, u64 size, u64 start)
{
	u64 mask = grid->mask, blocks;

	if (mask)
		return start & mask;
	blocks = start >> (grid->down & 63);
	if (rarely(blocks >> EXACT))
		return start % size;
	return start - (blocks * grid->factor >> (grid->by & 63)) * size;
}

INLINE void lies(struct io *io, const volatile struct grid *grid, u64 size, struct lie *lie)
{
	lie->past = past_boundary(grid, size, io->offset - grid->phase + size);
	lie->end = lie->past + io->len - some(io->len);
}

/* 1 where it fits into one cell, its length being not above the size, and lies in two. */
INLINE u64 in_two(struct lie *lie, u64 size, u64 len)
{
	return ((size - 1 - lie->end) >> 63) & (1 - ((size - len) >> 63));
}

/* Counts on one grid, as analyse::grid does. */
INLINE void on_grid(struct counts *all, struct io *io, u32 n, const volatile struct grid *grid)
{
	u64 size = grid->size, more = 0;
	struct lie lie;

	if (!size)
		return;
	lies(io, grid, size, &lie);
	if (grid->use > 1) {
		all->grids[n].start_off += some(lie.past);
		all->grids[n].past += lie.past;
		if (n == 0)
			all->past[highest_bit(lie.past << 1 | 1) & 63]++;
	}
	if (lie.end >= size)
		more = lie.end < 2 * size ? 1 : lie.end / size;
	all->grids[n].touched += more + some(io->len);
	all->grids[n].straddling += in_two(&lie, size, io->len);
}

/* On those whose bit is set. */
INLINE void on_grids(struct counts *all, struct io *io, u64 slot, u32 which)
{
#pragma unroll
	for (u32 n = 0; n < GRIDS; n++)
		if ((n == 0 || n < grids) && which & (1 << n))
			on_grid(all, io, n, &slots[slot].grids[n]);
}

/* 1 where it straddles on the grid. */
INLINE u64 straddles(struct io *io, const volatile struct grid *grid)
{
	u64 size = grid->size;
	struct lie lie;

	if (!size)
		return 0;
	lies(io, grid, size, &lie);
	return in_two(&lie, size, io->len) & 1;
}

/* A bit for each grid beside the first on which it straddles. */
INLINE u64 straddled_on_more(struct io *io, u64 slot)
{
	u64 crossed = 0;

#pragma unroll
	for (u32 n = 1; n < GRIDS; n++)
		if (n < grids)
			crossed |= straddles(io, &slots[slot].grids[n]) << n;
	return crossed;
}

#endif
