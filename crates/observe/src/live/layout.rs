//! The layout of the values of the maps: `struct counts` and its neighbours in `bpf/layout.h`, as
//! indexes of 64-bit words. `attach` compares the sizes before anything runs.

/// Devices at most.
pub const SLOTS: usize = 128;
/// Places of the table that finds a device's slot.
pub const TABLE: usize = 1024;
/// Grids beside the powers of two.
pub const GRIDS: usize = 4;
/// Operations; the first three have a place on the device.
pub const OPS: usize = 5;
/// Operations that have a place.
pub const PLACED: usize = 3;
/// Sizes that are multiples of 512 bytes and counted one by one.
pub const SIZES_512: usize = 129;
/// The same for 4 KiB.
pub const SIZES_4K: usize = 257;

/// I/Os.
pub const IOS: usize = 0;
/// Their bytes.
pub const BYTES: usize = 1;
/// Counters of the grids.
pub const ON_GRIDS: usize = 2;
/// For each grid: straddling, touched; start off and sum of offsets, if they are counted; then, for
/// sizes that only `IN_LOG` has, length off and minimum.
pub const GRID: usize = 6;
/// Starts by sector in 64 KiB, of lengths that are multiples of 4 KiB; then of the others.
pub const SECTORS: usize = ON_GRIDS + GRIDS * GRID;
/// How many those are.
pub const IN_64K: usize = 128;
/// Powers of two that starts are multiples of, from 64 KiB on.
pub const STARTS: usize = SECTORS + 2 * IN_64K;
/// The same for lengths, of sizes that only `IN_LOG` has.
pub const LENGTHS: usize = STARTS + 64;
/// Bits of the cell that an I/O fits into, of the same sizes.
pub const FITS: usize = LENGTHS + 64;
/// Bits of the highest boundary that is crossed.
pub const CROSSED: usize = FITS + 65;
/// Sizes in 512 bytes, of starts that are multiples of 4 KiB; then of the others. So are the next two.
pub const IN_512: usize = CROSSED + 65;
/// Sizes in 4 KiB.
pub const IN_4K: usize = IN_512 + 2 * SIZES_512;
/// Sizes that nothing else had room for, by their bits.
pub const IN_LOG: usize = IN_4K + 2 * SIZES_4K;
/// Offsets past the unit's boundary, by their bits.
pub const PAST: usize = IN_LOG + 2 * 33;
/// I/Os by length and by the sector of their start in 64 KiB, `IN_64K` to a row.
pub const CELLS: usize = PAST + 65;
/// Lengths that have a row; the first row is none.
pub const ROWS: usize = 16;
/// How many of these are multiples of 512 bytes; those of 4 KiB follow.
pub const SMALL_ROWS: u64 = 7;
/// I/Os that begin where one of the last ended, on the same processor.
pub const SEQUENTIAL: usize = CELLS + ROWS * IN_64K;
/// Words of `struct counts`; the last nine are the ends that a processor remembers, and no counters.
pub const COUNTS: usize = SEQUENTIAL + 1 + 9;

/// Steps of `struct latencies`.
pub const LATENCIES: usize = 1088;
/// Words of `struct latencies`: sum and maximum go before.
pub const LATENCY: usize = 2 + LATENCIES;

/// I/Os by operation, then their bytes.
pub const PLAIN_IOS: usize = 0;
/// Bytes by operation.
pub const PLAIN_BYTES: usize = OPS;
/// Completed, and not known when they were issued.
pub const UNMATCHED: usize = 2 * OPS;
/// Given back by the driver.
pub const REQUEUED: usize = UNMATCHED + 1;
/// Completions of a part.
pub const PARTIAL: usize = UNMATCHED + 2;
/// Events that the ring had no room for.
pub const LOST: usize = UNMATCHED + 3;
/// Issued without room to remember when.
pub const UNTIMED: usize = UNMATCHED + 4;
/// Pages of small reads that a large write overwrote later; all pages of such writes; and those that were read later.
pub const OVERWRITTEN: usize = UNMATCHED + 7;
/// Discards on devices whose unit is known: ranges, bytes, heads, tails, ranges without a whole unit.
pub const DISCARDS: usize = OVERWRITTEN + 3;
/// Requests of files that are counted alone and of others.
pub const MIXED: usize = DISCARDS + 5;
/// Words of `struct plain`.
pub const PLAIN: usize = MIXED + 1;

/// Regions of a device in which small reads are remembered.
pub const REGIONS: u32 = 4096;

/// Moments of a device that are remembered.
pub const MOMENTS: u32 = 4096;
/// Words of `struct moment`.
pub const MOMENT: usize = 6;

/// Words of `struct owner`: I/Os, bytes, sixteen bytes of name, lengths off, starts.
pub const OWNER: usize = 5 + 64;
/// Owners that are near on each processor.
pub const NEAR: u32 = 256;
/// The process that represents those past the limit.
pub const OTHERS: u32 = u32::MAX;
/// Words of `struct share`: I/Os, bytes, lengths off, starts.
pub const SHARE: usize = 3 + 64;
/// The control group, and the file, that represent those past the limit.
pub const ALL_OTHERS: u64 = u64::MAX;
/// The file of requests that have bios of several.
pub const SEVERAL: u64 = u64::MAX - 1;
/// Files and folders that are counted alone, at most.
pub const ONLY_FILES: usize = 64;
/// Functions that end the I/O of pages of files.
pub const ENDS: usize = 16;
/// Names of a path.
pub const FOLDERS: usize = 8;
/// Bytes of a name.
pub const NAME: usize = 64;
/// Bytes of `struct event`.
pub const EVENT: usize = 56;
/// Bytes of `struct slot`.
pub const SLOT: usize = 48 + GRIDS * 40;
/// Bytes of `state`; those about `counts` come first.
pub const STATE: usize = SLOTS * PLACED + 128 + SLOTS * 8 + SLOTS * 4;
