//! Journals that are damaged, cut off, or of something else: refused with the reason, or good enough.

use ioalign_repair::journal;
use ioalign_repair::mover::ReadErrors;
use ioalign_repair::{Disk, Error, ErrorKind};

use super::layout::{Layout, two_sectors};
use super::sim::{Peek, Power, SimDisk};
use super::trial::{Machine, Verb};

/// After the first write of the second window: the first one is closed, the second in the journal and in
/// part on the disk. The other two hold what stands for a superblock, which looks the same everywhere.
fn in_a_window(layout: &Layout) -> Machine<'_> {
    let mut before = None;
    for events in 1.. {
        let machine = Machine::killed_after(layout, events);
        let there = read(&machine.store.view);
        let staged = there.ok().and_then(|contents| contents.state.staged);
        // Behind what names the run, which is another one each time.
        let data = &machine.disk.view[16 << 10..];
        let started = *data != layout.bytes[16 << 10..];
        if staged.is_some_and(|staged| staged.start == 4 << 10) && started {
            let before = before.get_or_insert_with(|| data.to_vec());
            if before != data {
                return machine;
            }
        }
    }
    unreachable!()
}

fn read(bytes: &[u8]) -> Result<journal::Contents, Error> {
    journal::read(&mut Peek(bytes))
}

fn store(bytes: &[u8]) -> SimDisk {
    SimDisk::new(bytes.to_vec(), 1, &Power::lasting(u64::MAX))
}

#[test]
fn a_journal_says_what_was_under_way() {
    let layout = two_sectors();
    let contents = read(&in_a_window(&layout).store.view).unwrap();
    assert_eq!(contents.job, layout.job);
    assert_eq!((contents.state.index, contents.state.done), (0, 4 << 10));
    assert!(contents.can_roll_back() && contents.unreadable.is_empty());
}

/// Every bit of what is not data, one by one.
#[test]
fn a_flipped_bit_is_found_or_does_not_matter() {
    let layout = two_sectors();
    let good = in_a_window(&layout).store.view;
    let wanted = read(&good).unwrap();
    let data = 2 * (4 << 10) + 4096;
    let (mut refused, mut same) = (0, 0);
    for at in 0..good.len() - data {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        match read(&bytes) {
            Ok(contents) => {
                assert_eq!(contents, wanted, "byte {at}");
                same += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Refused, "byte {at}: {error}");
                refused += 1;
            }
        }
    }
    // The job has one copy, headers and states have two.
    let job = 512 * 4;
    assert!(refused >= job && same > 4 * 4096, "{refused} {same}");
}

#[test]
fn a_cut_off_journal_is_refused() {
    let layout = two_sectors();
    let good = in_a_window(&layout).store.view;
    for length in (0..good.len()).step_by(97) {
        let error = read(&good[..length]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{length}");
        assert!(error.to_string().contains("cut off"), "{length}: {error}");
    }
    let longer = [good.as_slice(), &[0; 512]].concat();
    assert!(read(&longer).is_err());
}

/// What a kill leaves between making the file and reserving its space.
#[test]
fn an_empty_journal_says_that_nothing_moved() {
    let said = read(&[]).unwrap_err().to_string();
    assert!(said.contains("before anything moved"), "{said}");
}

#[test]
fn what_is_no_journal_is_named() {
    let layout = two_sectors();
    let good = in_a_window(&layout).store.view;
    let said = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert!(said(&vec![0; good.len()]).contains("can be deleted"));
    assert!(said(&vec![b'x'; 5000]).contains("this is none"));
    let mut newer = good;
    newer[8] = 3;
    let end = newer.len() - 4096;
    newer[end + 8] = 3;
    assert!(said(&newer).contains("version 3"), "{}", said(&newer));
}

/// The source of the window is overwritten already: only the journal had it.
#[test]
fn a_damaged_slot_is_no_source_of_data() {
    let layout = two_sectors();
    let mut machine = in_a_window(&layout);
    let end = machine.store.view.len() - 4096;
    let slots = &mut machine.store.view[end - (8 << 10)..end];
    slots.iter_mut().for_each(|byte| *byte ^= 1);
    machine.store = store(&machine.store.view);
    let before = machine.disk.view.clone();
    let error = machine.run(Verb::Resume, ReadErrors::Stop).unwrap_err();
    assert!(
        error.to_string().contains("the journal is damaged"),
        "{error}"
    );
    assert_eq!(machine.disk.view, before);
}

/// The first window has been staged and not written: the slot is not needed.
#[test]
fn a_damaged_slot_does_not_matter_before_the_first_write() {
    let layout = two_sectors();
    let mut events = 1;
    let mut machine = loop {
        let machine = Machine::killed_after(&layout, events);
        let there = read(&machine.store.view);
        if there.is_ok_and(|contents| contents.state.staged.is_some()) {
            break machine;
        }
        events += 1;
    };
    assert!(machine.disk.view[16 << 10..] == layout.bytes[16 << 10..]);
    let end = machine.store.view.len() - 4096;
    machine.store.view[end - (8 << 10)..end].fill(7);
    machine.store = store(&machine.store.view);
    let done = machine.run(Verb::Resume, ReadErrors::Stop).unwrap();
    machine.judge(&done).unwrap();
}

/// What a window costs that is written again: its place on the disk, and not the journal.
#[test]
fn a_window_that_is_finished_counts_once() {
    let layout = two_sectors();
    let written = |mut machine: Machine<'_>| {
        let done = machine.run(Verb::Resume, ReadErrors::Stop).unwrap();
        machine.judge(&done).unwrap();
        done.written_bytes
    };
    let begun = (1..).map(|events| Machine::killed_after(&layout, events));
    let mut begun = begun.filter(|machine| {
        let there = read(&machine.store.view);
        there.is_ok_and(|contents| contents.state.stage == journal::Stage::Moving)
    });
    let all = written(begun.next().unwrap());
    // Of four windows of 4 KiB the first is there, and the second is on its way.
    let window = 4 << 10;
    assert_eq!(all - written(in_a_window(&layout)), 2 * window + window);
}

/// A journal does not grow, and its size is known before.
#[test]
fn the_size_is_that_of_two_windows() {
    let layout = two_sectors();
    let machine = in_a_window(&layout);
    let bytes = machine.store.size_bytes();
    assert!((170 << 10..200 << 10).contains(&bytes), "{bytes}");
}
