//! Caches, volumes, open loads and disks, each against what can be known without the model.

use ioalign_core::Bytes;
use ioalign_core::map::Map;
use ioalign_core::units::ratio;
use ioalign_core::workload::{Pattern, SizeShare, Workload};
use ioalign_simulate::description::{DescribedArray, knobs, named, parse};
use ioalign_simulate::disk::DiskModel;
use ioalign_simulate::engine::{
    ControllerCache, MOST_IN_FLIGHT, ReplayedIo, SimulationOutcome, SystemRun, TenantLoad,
    run_system,
};
use ioalign_simulate::geometry::ArrayGeometry;

fn load(bytes: u64, reads: f64, pattern: Pattern, depth: u32) -> Workload {
    Workload {
        sizes: vec![SizeShare::only(bytes)],
        read_ratio: reads,
        pattern,
        queue_depth: depth,
        ..Workload::default()
    }
}

fn run_load(
    array: &DescribedArray,
    load: TenantLoad<'_>,
    sector: u64,
    warm_up: u64,
    ios: u64,
) -> Result<SimulationOutcome, String> {
    let geometry = ArrayGeometry::new(array.shape.clone()).unwrap();
    let place = array.place(sector * 512, geometry.capacity())?;
    let outcome = run_system(&SystemRun {
        system: &array.system(&geometry),
        tenants: &[array.tenant(load, &place)],
        ios,
        warm_up,
        seed: 7,
    })?;
    Ok(outcome.only().unwrap())
}

fn at(array: &DescribedArray, work: &Workload, sector: u64, warm_up: u64) -> SimulationOutcome {
    run_load(array, TenantLoad::Workload(work), sector, warm_up, 20_000).unwrap()
}

fn cached(array: &str, write: u64, read: u64, ahead: u64) -> DescribedArray {
    let mut array = named(array).unwrap();
    array.cache = Some(ControllerCache {
        write_back: write > 0,
        write_bytes: write,
        read_bytes: read,
        read_ahead_bytes: ahead,
        destage: 32,
        answer_ns: 50_000,
    });
    array
}

fn is_near(found: f64, wanted: f64, share: f64, what: &str) {
    assert!(
        (found / wanted - 1.0).abs() <= share,
        "{what}: {found}, not {wanted}"
    );
}

/// What does not fit in the cache leaves it as fast as it comes: the cost of a start is that of the disks.
#[test]
fn an_overloaded_write_back_cache_has_the_gain_of_the_disks() {
    let random = load(16384, 0.0, Pattern::Random, 8);
    let deep = load(16384, 0.0, Pattern::Random, 32);
    let plain = named("raid10:4x64k").unwrap();
    let gain = |array: &DescribedArray, work, warm_up| {
        at(array, work, 2048, warm_up).iops() / at(array, work, 63, warm_up).iops()
    };
    let cache = cached("raid10:4x64k", 4 << 20, 0, 0);
    is_near(
        gain(&cache, &random, 1000),
        gain(&plain, &deep, 300),
        0.03,
        "gain",
    );
    let ios = at(&cache, &random, 63, 1000).disk_ios_per_io();
    is_near(ios, 2.5, 0.02, "disk I/Os");
}

#[test]
fn a_write_that_finds_room_is_answered_at_once() {
    let few = load(16384, 0.0, Pattern::Random, 1);
    let array = cached("raid10:4x64k", 1 << 30, 0, 0);
    let outcome = at(&array, &few, 2048, 0);
    is_near(outcome.latency.mean, 50.0, 0.001, "latency");
}

/// More destages than requests can wait at once, one after the other.
#[test]
fn what_is_complete_makes_room_for_what_comes() {
    let random = load(4096, 0.0, Pattern::Random, 8);
    let array = cached("single", 1 << 20, 0, 0);
    let ios = 2 * MOST_IN_FLIGHT + 10_000;
    let outcome = run_load(&array, TenantLoad::Workload(&random), 2048, 0, ios).unwrap();
    assert_eq!(outcome.ios, ios);
}

/// Sequential writes grow to stripes in the cache: no parity is read.
#[test]
fn writes_in_order_become_full_stripes() {
    let work = load(16384, 0.0, Pattern::Sequential, 4);
    let array = cached("raid5:5x64k", 8 << 20, 0, 0);
    let outcome = at(&array, &work, 128, 2000);
    let reads: u64 = outcome.disks.iter().map(|disk| disk.reads).sum();
    let writes: u64 = outcome.disks.iter().map(|disk| disk.writes).sum();
    // 16 requests make a stripe of 5 writes.
    is_near(ratio(writes, outcome.ios), 5.0 / 16.0, 0.05, "writes");
    assert!(ratio(reads, outcome.ios) < 0.01, "{reads}");
}

#[test]
fn what_was_read_is_found_again() {
    let mut array = cached("raid10:4x64k", 0, 64 << 20, 0);
    array.above.size = Some(16 << 20);
    let outcome = at(&array, &load(16384, 1.0, Pattern::Random, 8), 63, 20_000);
    assert!(
        outcome.disk_ios_per_io() < 0.01,
        "{}",
        outcome.disk_ios_per_io()
    );
    array.above.size = Some(512 << 20);
    let outcome = at(&array, &load(16384, 1.0, Pattern::Random, 8), 2048, 40_000);
    // An eighth of it is there, a little less as whole requests: its lines go one by one.
    let missed = outcome.disk_ios_per_io();
    assert!((0.87..0.92).contains(&missed), "{missed}");
}

#[test]
fn a_cache_is_described_by_all_its_parts() {
    let array = cached("raid10:4x64k", 4 << 20, 64 << 20, 1 << 20);
    let about = array.about();
    let cache = "; cache: 4 MiB of writes, 64 MiB of reads, 1 MiB read ahead";
    assert!(about.contains(cache), "{about}");
}

#[test]
fn reads_in_order_are_read_ahead() {
    let work = load(16384, 1.0, Pattern::Sequential, 1);
    let plain = at(&named("raid0:4x64k").unwrap(), &work, 2048, 0);
    let ahead = at(&cached("raid0:4x64k", 0, 0, 1 << 20), &work, 2048, 0);
    assert!(
        ahead.iops() > 20.0 * plain.iops(),
        "{} {}",
        ahead.iops(),
        plain.iops()
    );
    let reads: u64 = ahead.disks.iter().map(|disk| disk.reads).sum();
    let bytes = reads * 262_144;
    is_near(ratio(bytes, ahead.ios * 16384), 1.0, 0.1, "read once");
    let random = load(16384, 1.0, Pattern::Random, 8);
    let same = |array: &DescribedArray| at(array, &random, 63, 100).disks;
    assert_eq!(
        same(&named("raid0:4x64k").unwrap()),
        same(&cached("raid0:4x64k", 0, 0, 1 << 20)),
        "nothing is in order"
    );
}

/// A partition at sector 63 with LVM data at sector 2113 is aligned; thin chunks keep the phase of their pool.
#[test]
fn what_lies_above_the_array_moves_the_phase() {
    let work = load(16384, 1.0, Pattern::Random, 8);
    let mut array = named("raid10:4x64k").unwrap();
    let crossing = |array: &DescribedArray, sector| at(array, &work, sector, 0).disk_ios_per_io();
    array.above.maps = vec![Map::Shift {
        start: Bytes::new(2113 * 512),
    }];
    is_near(crossing(&array, 63), 1.0, 1e-9, "LVM");
    array.above.maps.insert(
        0,
        Map::Scattered {
            start: Bytes::ZERO,
            granule: Bytes::new(65536),
        },
    );
    is_near(crossing(&array, 63), 1.0, 1e-9, "thin on LVM");
    array.above.maps.truncate(1);
    is_near(crossing(&array, 63), 1.25, 0.02, "thin at sector 63");
}

#[test]
fn blocks_in_part_are_read_before_they_are_written() {
    let mut array = named("raid0:4x64k").unwrap();
    array.unit_bytes = 4096;
    let counts = |array: &DescribedArray, bytes, sector| {
        let outcome = at(array, &load(bytes, 0.0, Pattern::Random, 4), sector, 0);
        let sum = |of: fn(&ioalign_simulate::engine::DiskIoCount) -> u64| {
            ratio(outcome.disks.iter().map(of).sum(), outcome.ios)
        };
        (sum(|disk| disk.reads), sum(|disk| disk.writes))
    };
    let (reads, writes) = counts(&array, 16384, 2048);
    assert!(reads < 1e-9 && (writes - 1.0).abs() < 1e-9);
    // The first and the last block of 16 KiB that begin in the middle of one; 20 KiB cross an element more often.
    let (reads, writes) = counts(&array, 16384, 2048 + 3);
    is_near(reads, 2.0, 0.001, "reads");
    is_near(writes, 1.25, 0.02, "writes");
    array.unit_bytes = 0;
    array.above.block_bytes = 4096;
    let (reads, writes) = counts(&array, 1024, 2048);
    assert!(
        (reads - 1.0).abs() < 1e-9 && (writes - 1.0).abs() < 1e-9,
        "a file system"
    );
}

/// An M/D/1 queue: the mean time is s + ρs / 2(1 − ρ).
#[test]
fn an_open_load_waits_as_queueing_theory_says() {
    let array = parse("level = \"single\"\nservice = \"1ms\"\n").unwrap();
    for load_ratio in [0.3, 0.6, 0.8] {
        let work = Workload {
            rate_iops: Some(1000.0 * load_ratio),
            ..load(4096, 1.0, Pattern::Random, 1)
        };
        let outcome = run_load(&array, TenantLoad::Workload(&work), 0, 1000, 200_000).unwrap();
        let wanted = 1000.0 * (1.0 + load_ratio / 2.0 / (1.0 - load_ratio));
        is_near(outcome.latency.mean, wanted, 0.06, "mean");
    }
    let work = Workload {
        rate_iops: Some(5000.0),
        ..load(4096, 1.0, Pattern::Random, 1)
    };
    let late = run_load(&array, TenantLoad::Workload(&work), 0, 0, 1_000_000).unwrap_err();
    assert!(late.contains("cannot keep up"), "{late}");
}

#[test]
fn a_trace_is_replayed_closed_and_open() {
    let array = parse("level = \"single\"\nservice = \"1ms\"\n").unwrap();
    let io = |number: u64| ReplayedIo {
        time_ns: number * 10_000_000,
        at: number * 4096,
        len: 4096,
        write: number.is_multiple_of(2),
    };
    let ios: Vec<_> = (0..100).map(io).collect();
    let run = |depth| {
        let load = TenantLoad::Replay { ios: &ios, depth };
        run_load(&array, load, 0, 0, 100).unwrap()
    };
    let open = run(None);
    assert_eq!(
        (open.ios, open.elapsed_ns),
        (100, 99 * 10_000_000 + 1_000_000)
    );
    let closed = run(Some(4));
    assert_eq!((closed.ios, closed.elapsed_ns), (100, 100_000_000));
    assert_eq!((closed.disks[0].reads, closed.disks[0].writes), (50, 50));
    let far = [ReplayedIo {
        at: 1 << 40,
        ..io(0)
    }];
    let load = TenantLoad::Replay {
        ios: &far,
        depth: None,
    };
    let why = run_load(&array, load, 0, 0, 1).unwrap_err();
    assert!(
        why.contains("I/O 1 of the trace") && why.contains("past"),
        "{why}"
    );
}

/// A disk with heads: the mean of random reads is seek + half a revolution, and a queue shortens it.
#[test]
fn heads_and_platters() {
    let disk = |queue| {
        let text = format!(
            "level = \"single\"\ndisk_size = \"100G\"\n[hdd]\nleast_seek = \"1ms\"\nfull_seek = \"10ms\"\nrpm = 6000\n\
             track = \"1M\"\nqueue = {queue}\n"
        );
        parse(&text).unwrap()
    };
    let random = |depth| load(4096, 1.0, Pattern::Random, depth);
    // The root of the distance of two random places is 8/15 of that of the whole disk.
    let one = at(&disk(1), &random(1), 0, 0).latency.mean;
    is_near(
        one,
        1000.0 + 9000.0 * 8.0 / 15.0 + 5000.0 + 39.0,
        0.01,
        "random",
    );
    let (fifo, best) = (
        at(&disk(1), &random(16), 0, 100).iops(),
        at(&disk(16), &random(16), 0, 100).iops(),
    );
    is_near(fifo, 1e6 / one, 0.02, "first come, first served");
    assert!(best > 1.4 * fifo, "{best} {fifo}");
    let bytes = |outcome: &SimulationOutcome| outcome.iops() * outcome.bytes_per_io();
    let media = 104_857_600.0;
    let read = at(&disk(16), &load(65536, 1.0, Pattern::Sequential, 4), 0, 0);
    is_near(bytes(&read), media, 0.01, "media rate");
    let write = at(&disk(16), &load(65536, 0.0, Pattern::Sequential, 4), 0, 0);
    is_near(bytes(&write), media, 0.01, "writes that wait");
    // One at a time: the next sector has just gone by, or is just there, by the time of the command.
    let mut late = disk(16);
    if let DiskModel::Spinning(disk) = &mut late.disk {
        disk.fixed_ns = 100_000;
    }
    let one = at(&late, &load(65536, 0.0, Pattern::Sequential, 1), 0, 0);
    is_near(one.iops(), 100.0 / 1.0625, 0.01, "a revolution for each");
}

#[test]
fn flash_works_in_units_and_collects() {
    let text = |more: &str| {
        let base = "level = \"single\"\ndisk_size = \"1G\"\n[ssd]\nchannels = 4\npage = \"4k\"\nread = \"100us\"\n\
                    write = \"400us\"\n";
        parse(&format!("{base}{more}")).unwrap()
    };
    let write = |bytes, depth| load(bytes, 0.0, Pattern::Random, depth);
    let at = |array: &DescribedArray, work: &Workload| at(array, work, 0, 100);
    let unit = "unit = \"16k\"\n";
    is_near(
        at(&text(unit), &write(16384, 1)).latency.mean,
        1600.0,
        0.01,
        "a unit",
    );
    is_near(
        at(&text(unit), &write(4096, 1)).latency.mean,
        2000.0,
        0.01,
        "a part",
    );
    let full = at(&text("spare = \"7%\"\n"), &write(4096, 32)).iops();
    let half = at(
        &text("spare = \"7%\"\nfilled = \"50%\"\n"),
        &write(4096, 32),
    )
    .iops();
    assert!(half > 4.0 * full, "{half} {full}");
    let buffer = text("buffer = \"64M\"\nbuffer_time = \"20us\"\n");
    let mut few = write(4096, 1);
    few.rate_iops = Some(500.0);
    is_near(
        at(&buffer, &few).latency.mean,
        20.0,
        0.01,
        "into the buffer",
    );
    let (deep, plain) = (
        at(&buffer, &write(4096, 32)),
        at(&text(""), &write(4096, 32)),
    );
    assert!(deep.iops() > plain.iops());
    // A buffer that is full takes a write when another one is on flash.
    let full = at(&text("buffer = \"16k\"\n"), &write(4096, 32));
    is_near(full.iops(), plain.iops(), 0.05, "a full buffer");
}

/// Each parameter of a preset changes something, or is not one of its array.
#[test]
fn parameters_act() {
    let array = named("mysql-raid10").unwrap();
    let work = load(16384, 0.0, Pattern::Random, 8);
    let rate = |array: &DescribedArray| at(array, &work, 63, 8000).iops();
    let base = rate(&array);
    for name in [
        "element",
        "hdd.full_seek",
        "hdd.rpm",
        "cache.write",
        "cache.size",
    ] {
        let mut other = array.clone();
        let knobs = knobs();
        let knob = knobs.iter().find(|knob| knob.name == name).unwrap();
        assert!((knob.turn)(&mut other), "{name}");
        assert!((rate(&other) / base - 1.0).abs() > 0.005, "{name}");
    }
}
