//! An experiment allocates at its start, and for those who watch it; never for a batch or a round.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ioalign_measure::experiment::Design;

use super::model::{Model, noises};
use super::{outcome, seconds};

/// Counts what the thread at hand allocates.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: everything is left to the allocator of the system; a counter beside it allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: it came from the same allocator, with the same layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Allocations of an experiment of this many seconds that nobody watches.
fn allocations(length: u64) -> (u64, u64) {
    let mut model = Model::with_effect(1.0, 3, noises::quiet);
    let design = Design {
        rope_ratio: 0.0,
        min_time: seconds(length),
        max_time: seconds(length),
        watch_every: seconds(1000),
        ..Design::default()
    };
    let before = ALLOCATIONS.with(Cell::get);
    let run = outcome(&mut model, &design);
    (ALLOCATIONS.with(Cell::get) - before, run.rounds)
}

#[test]
fn nothing_is_allocated_for_a_round() {
    let ((short, few), (long, many)) = (allocations(1), allocations(4));
    assert!(many > 3 * few && few > 100);
    assert!(short > 0);
    assert_eq!(short, long);
}
