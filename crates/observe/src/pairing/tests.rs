use super::*;
use crate::record::Op;

#[derive(Default)]
struct Kept {
    ios: Vec<Io>,
    late: Vec<Io>,
}

impl IoSink for Kept {
    fn ios(&mut self, ios: &[Io]) {
        self.ios.extend_from_slice(ios);
    }
    fn late(&mut self, io: &Io) {
        self.late.push(*io);
    }
}

fn event(kind: RecordKind, time: i64, offset: u64, len: u32) -> TraceRecord {
    let io = Io {
        time,
        offset,
        len,
        latency: NO_LATENCY,
        op: Op::Write,
        ..Io::default()
    };
    TraceRecord { io, kind }
}

fn pair(records: &[TraceRecord]) -> (Vec<(u64, u32, u64)>, UnpairedEvents) {
    let mut kept = Kept::default();
    let mut pairing = Pairing::new(None);
    pairing.push(records, &mut kept);
    pairing.finish(&mut kept);
    let rows = kept.ios.iter().map(|io| (io.offset, io.len, io.latency));
    (rows.collect(), pairing.unpaired)
}

#[test]
fn issue_and_completion_join() {
    let (ios, unpaired) = pair(&[
        event(RecordKind::Queue, 1, 0, 4096),
        event(RecordKind::Issue, 10, 0, 4096),
        event(RecordKind::Issue, 11, 4096, 4096),
        event(RecordKind::Complete, 30, 4096, 4096),
        event(RecordKind::Complete, 35, 0, 4096),
        event(RecordKind::Complete, 36, 8192, 512),
        event(RecordKind::Issue, 40, 512, 512),
    ]);
    assert_eq!(ios[..2], [(0, 4096, 25), (4096, 4096, 19)]);
    assert_eq!(ios[2], (512, 512, NO_LATENCY));
    assert_eq!(
        (unpaired.without_issue, unpaired.without_completion),
        (1, 1)
    );
}

/// `fsync`: the flush goes to the driver in place of the empty write that asked for it, whose completion comes
/// alone; so does that of a write with data, once more, after its last flush.
#[test]
fn parents_of_flushes_are_not_of_before_the_trace() {
    let (ios, unpaired) = pair(&[
        event(RecordKind::Complete, 5, 0, 0),
        event(RecordKind::Issue, 10, 8192, 4096),
        event(RecordKind::Complete, 15, 8192, 4096),
        event(RecordKind::Complete, 20, 12288, 0),
    ]);
    assert_eq!(ios, [(8192, 4096, 5)]);
    assert_eq!(unpaired, UnpairedEvents::default());
}

#[test]
fn a_device_without_requests_counts_arrivals_and_merged_bios() {
    let (ios, unpaired) = pair(&[
        event(RecordKind::Queue, 1, 0, 4096),
        event(RecordKind::Queue, 2, 4096, 4096),
        event(RecordKind::Complete, 10, 0, 8192),
    ]);
    assert_eq!(ios, [(0, 4096, 9), (4096, 4096, 8)]);
    assert_eq!(unpaired, UnpairedEvents::default());
}

#[test]
fn a_completion_in_parts_ends_with_the_last() {
    let (ios, unpaired) = pair(&[
        event(RecordKind::Issue, 0, 0, 8192),
        event(RecordKind::Complete, 5, 0, 4096),
        event(RecordKind::Complete, 9, 4096, 4096),
    ]);
    assert_eq!(ios, [(0, 8192, 9)]);
    assert_eq!((unpaired.partial, unpaired.without_completion), (1, 0));
}

#[test]
fn a_request_given_back_is_one_io() {
    let (ios, unpaired) = pair(&[
        event(RecordKind::Issue, 0, 512, 512),
        event(RecordKind::Requeue, 1, 512, 512),
        event(RecordKind::Issue, 2, 512, 512),
        event(RecordKind::Complete, 7, 512, 512),
    ]);
    assert_eq!(ios, [(512, 512, 7)]);
    assert_eq!(unpaired.requeued, 1);
}

/// An issue of another length at that place is another request, and the one that was given back still waits.
#[test]
fn a_request_given_back_comes_again_with_its_length() {
    let (ios, unpaired) = pair(&[
        event(RecordKind::Issue, 0, 512, 512),
        event(RecordKind::Requeue, 1, 512, 512),
        event(RecordKind::Issue, 2, 512, 1024),
        event(RecordKind::Issue, 3, 512, 512),
        event(RecordKind::Complete, 7, 512, 512),
        event(RecordKind::Complete, 9, 512, 1024),
    ]);
    assert_eq!(ios, [(512, 512, 7), (512, 1024, 7)]);
    assert_eq!((unpaired.requeued, unpaired.without_completion), (1, 0));
}

#[test]
fn two_at_one_place_complete_in_order() {
    let (ios, _) = pair(&[
        event(RecordKind::Issue, 0, 512, 512),
        event(RecordKind::Issue, 1, 512, 512),
        event(RecordKind::Complete, 7, 512, 512),
        event(RecordKind::Complete, 9, 512, 512),
    ]);
    assert_eq!(ios, [(512, 512, 7), (512, 512, 8)]);
}

/// More places than the table has slots: those that share one are in flight like all others.
#[test]
fn places_that_share_a_slot_are_kept_apart() {
    let mut flight = InFlightTable::default();
    let ios = (0..5000).map(|place| event(RecordKind::Issue, 0, place * 512, 512).io);
    let ios: Vec<(u64, Io)> = (0..).zip(ios).collect();
    for (number, io) in &ios {
        assert!(flight.begin(io, *number));
    }
    assert_eq!(flight.len(), ios.len());
    for (number, io) in &ios {
        assert!(flight.has(io, *number) && !flight.has(io, *number + 1));
    }
    for (number, io) in &ios {
        assert_eq!(flight.complete(io).map(|done| done.number), Some(*number));
    }
    assert_eq!(flight.len(), 0);
}

#[test]
fn a_hung_io_leaves_the_window_and_its_latency_comes_late() {
    let mut records = vec![event(RecordKind::Issue, 0, 1 << 40, 512)];
    for i in 0..(4 * HALF as u64) {
        let time = i64::try_from(i).unwrap();
        records.push(event(RecordKind::Issue, time, i * 512, 512));
        records.push(event(RecordKind::Complete, time, i * 512, 512));
    }
    records.push(event(RecordKind::Complete, 1_000_000, 1 << 40, 512));
    let mut kept = Kept::default();
    let mut pairing = Pairing::new(None);
    pairing.push(&records, &mut kept);
    pairing.finish(&mut kept);
    assert_eq!(kept.ios.len(), 4 * HALF + 1);
    assert_eq!(kept.late.len(), 1);
    assert_eq!(kept.late[0].latency, 1_000_000);
}

#[test]
fn whole_ios_leave_the_window_as_it_fills() {
    let mut kept = Kept::default();
    let mut pairing = Pairing::new(None);
    let records: Vec<_> = (0..4 * HALF as u64)
        .map(|place| event(RecordKind::Whole, 0, place * 512, 512))
        .collect();
    pairing.push(&records, &mut kept);
    assert!(kept.ios.len() >= 2 * HALF, "{}", kept.ios.len());
    pairing.finish(&mut kept);
    let places = kept.ios.iter().map(|io| io.offset / 512);
    assert!(places.eq(0..4 * HALF as u64));
}

/// The latencies that come late of an I/O of which a part completes after these records, and the number of parts.
fn late_after(mut records: Vec<TraceRecord>) -> (Vec<u64>, u64) {
    records.push(event(RecordKind::Issue, 0, 1 << 40, 4096));
    records.push(event(RecordKind::Complete, 0, 1 << 40, 512));
    for i in 0..(4 * HALF as u64) {
        records.push(event(RecordKind::Issue, 1, i * 512, 512));
        records.push(event(RecordKind::Complete, 1, i * 512, 512));
    }
    records.push(event(
        RecordKind::Complete,
        1_000_000,
        (1 << 40) + 512,
        3584,
    ));
    let mut kept = Kept::default();
    let mut pairing = Pairing::new(None);
    pairing.push(&records, &mut kept);
    pairing.finish(&mut kept);
    let late = kept.late.iter().map(|io| io.latency);
    (late.collect(), pairing.unpaired.partial)
}

#[test]
fn so_does_one_whose_part_has_completed() {
    assert_eq!(late_after(Vec::new()), (vec![1_000_000], 1));
}

/// Those that have completed by then take none of the room for what is followed in parts.
#[test]
fn parts_that_became_whole_make_room() {
    let each = |_| {
        [
            event(RecordKind::Issue, 0, 0, 1024),
            event(RecordKind::Complete, 0, 0, 512),
            event(RecordKind::Complete, 0, 512, 512),
        ]
    };
    let (late, partial) = late_after((0..MOST_PARTLY).flat_map(each).collect());
    assert_eq!(late, [1_000_000]);
    assert_eq!(partial, MOST_PARTLY as u64 + 1);
}
