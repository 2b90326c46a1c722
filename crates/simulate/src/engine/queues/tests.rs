//! One discipline against the other.

use ioalign_core::workload::{SizeShare, Workload};

use super::*;
use crate::description::named;
use crate::disk::SpinningDisk;
use crate::engine::progress::RequestProgress;
use crate::requests::RequestStream;

const SLOTS: usize = 24;

/// Each completion of a closed load: when, and which request; and the I/Os of the disks.
fn completions(
    geometry: &ArrayGeometry,
    disk: &DiskModel,
    load: &Workload,
    chooses: bool,
) -> (Vec<(u64, u32)>, Vec<DiskIoCount>) {
    let mut stream = RequestStream::new(load, geometry.capacity() - 32256, 3).unwrap();
    let chosen = chooses.then_some(DiskScheduler::Arrival);
    let mut queues = DiskQueues::ordered(geometry, 1, disk, 1, chosen);
    let mut slots: Vec<_> = (0..SLOTS).map(|_| RequestProgress::default()).collect();
    let mut send = |queues: &mut DiskQueues, slot: &mut RequestProgress, index| {
        let mut request = stream.next(0);
        request.at += 32256;
        slot.begin(queues, request, index, true);
    };
    for (index, slot) in slots.iter_mut().enumerate() {
        send(&mut queues, slot, index);
        queues.settle();
    }
    let mut all = Vec::new();
    while all.len() < 3000 {
        if let CalendarEvent::Part(part) = queues.next_event().unwrap() {
            let slot = &mut slots[part.slot as usize];
            if slot.finished(&mut queues, part, true) {
                all.push((queues.now(), part.slot));
                send(&mut queues, slot, part.slot as usize);
            }
        }
        queues.settle();
    }
    (all, queues.counts())
}

/// What is planned when an I/O comes is what a disk does that starts one when the one before it has ended.
#[test]
fn a_plan_is_what_happens() {
    let heads = DiskModel::Spinning(SpinningDisk {
        least_seek_ns: 1_000_000,
        full_seek_ns: 10_000_000,
        revolution_ns: 6_000_000,
        track_bytes: 1 << 20,
        fixed_ns: 100_000,
        queue: 1,
        disk_bytes: 1 << 30,
    });
    let fixed = DiskModel::Fixed { ns: 5_000_000 };
    for array in [
        "raid0:3x64k",
        "raid10:4x64k",
        "raid1:2x64k:md",
        "raid5:4x64k",
        "raid5:4x64k:md",
        "raid6:6x32k:md",
    ] {
        let mut shape = named(array).unwrap().shape;
        // Few places: neighbours wait together, and are joined.
        shape.disk_bytes = 2 << 20;
        let geometry = ArrayGeometry::new(shape).unwrap();
        for disk in [&fixed, &heads] {
            if geometry.is_md() && disk == &heads {
                continue;
            }
            for (size, read_ratio) in [(4096, 1.0), (16384, 0.0), (16384, 0.5), (131_072, 0.0)] {
                let load = Workload {
                    sizes: vec![SizeShare::only(size)],
                    read_ratio,
                    ..Workload::default()
                };
                let of = |chooses| completions(&geometry, disk, &load, chooses);
                assert!(
                    of(false) == of(true),
                    "{array} {size} {read_ratio} {disk:?}"
                );
            }
        }
    }
}

/// md takes an idle disk to be at every address, and another one where its last read ended, however many wait for it.
#[test]
fn a_disk_that_has_work_is_where_its_last_read_ended() {
    let mut calendar = EventCalendar::new();
    let disk = DiskModel::Fixed { ns: 1000 };
    let mut queues = ChosenQueues::new(&disk, 2, Some(0), DiskScheduler::Deadline, 1);
    let io = |at, write| QueuedIo {
        at,
        len: 4096,
        write,
        counts: true,
        known: (),
    };
    let part = QueuedPart { slot: 0, group: 0 };
    assert_eq!(queues.distance(0, 1 << 20), 0);
    queues.add(0, io(1 << 20, false), part, 0);
    queues.start_touched(&mut calendar);
    assert_eq!(queues.distance(0, 1 << 20), 1 << 20, "not read yet");
    queues.finish(0, &mut calendar);
    assert_eq!(queues.distance(0, 8 << 20), 0, "idle again");
    for write in [true, true, false] {
        queues.add(0, io(4 << 20, write), part, 0);
    }
    assert_eq!(queues.distance(0, (1 << 20) + 8192), 4096);
    assert_eq!(queues.distance(1, 0), 0);
}

/// What the scheduler would take next becomes a part of a request below it: the next one above is taken.
#[test]
fn a_batch_goes_on_above_what_was_joined() {
    let mut calendar = EventCalendar::new();
    let disk = DiskModel::Fixed { ns: 1000 };
    let most = Some(waiting::LONGEST);
    let mut queues = ChosenQueues::new(&disk, 1, most, DiskScheduler::Deadline, 1);
    let add = |queues: &mut ChosenQueues, page: u32| {
        let io = QueuedIo {
            at: u64::from(page) * 4096,
            len: 4096,
            write: true,
            counts: true,
            known: (),
        };
        let part = QueuedPart {
            slot: page,
            group: 0,
        };
        queues.add(0, io, part, 0).less
    };
    // The disk has page 10, 20 is taken, and 30 is next.
    assert!(
        ![10, 20, 30, 5, 40]
            .map(|page| add(&mut queues, page))
            .contains(&true)
    );
    queues.start_touched(&mut calendar);
    // 29 closes the gap between 28 and 30.
    assert_eq!([28, 29].map(|page| add(&mut queues, page)), [false, true]);
    let mut order = Vec::new();
    while let Some(event) = calendar.next() {
        match event {
            CalendarEvent::Disk { .. } => queues.finish(0, &mut calendar),
            CalendarEvent::Part(part) => order.push(part.slot),
            _ => {}
        }
    }
    assert_eq!(order, [10, 20, 40, 28, 30, 29, 5]);
}
