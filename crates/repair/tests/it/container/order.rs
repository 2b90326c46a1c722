//! The order of writes: power goes out at every write and flush on the way of one new block into the table, and of
//! what was not flushed one write alone has arrived, or all but one. Whatever it is, the image is sound and what
//! was flushed before is there.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ioalign_inspect::Source;
use ioalign_inspect::source::MemorySource;
use ioalign_repair::Disk;
use ioalign_repair::container::{ImageFormat, open_store};

use super::power::{Model, SIZE, blank, read_all};
use super::sim::SimStore;

/// In a block of its own, whatever the format: the largest blocks have 2 MiB.
const AT: usize = 3 << 20;
const BYTES: usize = 8 << 10;

fn opened(store: &SimStore, what: &str) -> Box<dyn Disk> {
    let source: Arc<dyn Source> = Arc::new(MemorySource::new(store.0.borrow().view.clone()));
    let opened = open_store(Box::new(store.clone()), &source);
    opened.unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// An image with something in its first block.
fn begun(format: ImageFormat, logical: u64, first: &[u8]) -> Vec<u8> {
    let store = SimStore::of(&blank(format, logical), u64::MAX);
    let mut disk = opened(&store, format.name());
    disk.write_at(0, first).unwrap();
    disk.flush().unwrap();
    drop(disk);
    store.0.take().durable
}

/// What may arrive of this many writes: all, none, one, all but one.
fn arrivals(count: usize) -> impl Iterator<Item = Box<dyn Fn(usize) -> bool>> {
    let all = [true, false].map(|both| Box::new(move |_| both) as Box<dyn Fn(usize) -> bool>);
    let one = (0..count).flat_map(|one| {
        let alone = Box::new(move |index| index == one) as Box<dyn Fn(usize) -> bool>;
        let but = Box::new(move |index| index != one) as Box<dyn Fn(usize) -> bool>;
        [alone, but]
    });
    all.into_iter().chain(one)
}

fn holds(format: ImageFormat, logical: u64) {
    let (first, new) = (vec![1; BYTES], vec![2; BYTES]);
    let image = begun(format, logical, &first);
    let mut flushed = vec![0; SIZE];
    flushed[..BYTES].copy_from_slice(&first);
    let model = Model {
        flushed,
        since: vec![(AT, new.clone())],
    };
    let mut lost = 0;
    for left in 1.. {
        let store = SimStore::of(&image, left);
        let mut disk = opened(&store, format.name());
        let written = disk.write_at(AT as u64, &new);
        let done = written.and_then(|()| disk.flush()).is_ok();
        drop(disk);
        if done {
            break;
        }
        let state = store.0.take();
        for (index, lands) in arrivals(state.pending()).enumerate() {
            let what = format!("{} {logical}, event {left}, arrival {index}", format.name());
            let mut state = state.clone();
            state.lose(lands);
            let after = SimStore(Rc::new(RefCell::new(state)));
            model.check(&read_all(opened(&after, &what).as_mut()), &what);
            lost += 1;
        }
    }
    assert!(lost > 10, "{}: only {lost} losses", format.name());
}

#[test]
fn no_order_of_writes_harms_an_image() {
    for format in ImageFormat::ALL
        .into_iter()
        .filter(|format| *format != ImageFormat::Raw)
    {
        holds(format, 512);
    }
    holds(ImageFormat::Vhdx, 4096);
}
