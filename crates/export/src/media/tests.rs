//! Writes, flushes and losses of power on one media.

use super::*;

const BYTES: u64 = 1 << 20;

fn media(tear: Option<u64>, unflushed: UnflushedFate, seed: u64) -> Media {
    let disks = tempfile::tempfile().unwrap();
    disks.set_len(BYTES).unwrap();
    let rules = PowerRules {
        tear,
        unflushed,
        seed,
    };
    Media::new(disks, BYTES, rules).unwrap()
}

fn read(media: &Media, at: u64, len: usize) -> Vec<u8> {
    let mut into = vec![0xee; len];
    media.read(at, &mut into).unwrap();
    into
}

fn lose(media: &Media, in_flight: Vec<WriteInFlight>) -> PowerLoss {
    let loss = media.power_off(|| in_flight).unwrap();
    assert_eq!(media.read(0, &mut [0; 512]), Err(BlockFault::PowerOff));
    assert_eq!(media.write(0, &[0; 512], true), Err(BlockFault::PowerOff));
    assert_eq!(media.flush(), Err(BlockFault::PowerOff));
    media.power_on();
    loss
}

#[test]
fn without_a_cache_what_is_complete_stays() {
    let media = media(None, UnflushedFate::Kept, 1);
    media.write(4096, &[1; 4096], false).unwrap();
    assert_eq!(lose(&media, Vec::new()), PowerLoss::default());
    assert_eq!(read(&media, 4096, 4096), [1; 4096]);
    media.zero(4096, 512, false).unwrap();
    assert_eq!(read(&media, 4096, 1024), [[0; 512], [1; 512]].concat());
}

#[test]
fn what_was_not_flushed_is_lost() {
    let media = media(None, UnflushedFate::LostAll, 1);
    media.write(0, &[1; 8192], false).unwrap();
    media.flush().unwrap();
    media.write(0, &[2; 4096], false).unwrap();
    media.zero(4096, 4096, false).unwrap();
    assert_eq!(read(&media, 0, 8192), [[2; 4096], [0; 4096]].concat());
    let loss = lose(&media, Vec::new());
    assert_eq!((loss.unflushed, loss.forgotten), (2, 2));
    assert_eq!(read(&media, 0, 8192), [1; 8192]);
}

#[test]
fn a_write_with_fua_survives_in_its_place() {
    let media = media(None, UnflushedFate::LostAll, 1);
    media.write(0, &[1; 4096], false).unwrap();
    media.write(2048, &[2; 4096], true).unwrap();
    media.write(4096, &[3; 4096], false).unwrap();
    assert_eq!(
        read(&media, 0, 8192),
        [[1; 2048], [2; 2048], [3; 2048], [3; 2048]].concat()
    );
    let loss = lose(&media, Vec::new());
    assert_eq!((loss.unflushed, loss.forgotten), (3, 2));
    assert_eq!(
        read(&media, 0, 8192),
        [[0; 2048], [2; 2048], [2; 2048], [0; 2048]].concat()
    );
    // A flush after it does not bring an older write back over it.
    media.write(0, &[4; 512], false).unwrap();
    media.write(0, &[5; 512], true).unwrap();
    media.flush().unwrap();
    assert_eq!(lose(&media, Vec::new()).unflushed, 0);
    assert_eq!(read(&media, 0, 512), [5; 512]);
}

#[test]
fn by_chance_some_are_lost_and_order_stays() {
    let (mut kept, mut lost) = (0, 0);
    for seed in 0..64 {
        let media = media(None, UnflushedFate::LostSome, seed);
        for value in 1..=8 {
            media.write(0, &[value; 512], false).unwrap();
            media
                .write(u64::from(value) * 512, &[value; 512], false)
                .unwrap();
        }
        let loss = lose(&media, Vec::new());
        assert_eq!(loss.unflushed, 16);
        let separate: Vec<_> = (1..=8).map(|at| read(&media, at * 512, 1)[0]).collect();
        for (value, found) in (1..).zip(&separate) {
            assert!([0, value].contains(found));
            kept += u64::from(*found == value);
            lost += u64::from(*found == 0);
        }
        let last = read(&media, 0, 512);
        assert!(last.iter().all(|byte| *byte == last[0]) && last[0] <= 8);
    }
    assert!(kept > 150 && lost > 150, "{kept} {lost}");
}

#[test]
fn writes_in_flight_are_torn_at_units() {
    let (mut torn, mut undone) = (0, 0);
    for seed in 0..64 {
        let media = media(Some(512), UnflushedFate::Kept, seed);
        media.write(0, &[1; 8192], false).unwrap();
        let write = WriteInFlight {
            at: 1024,
            data: vec![2; 4096],
        };
        let loss = lose(&media, vec![write]);
        assert_eq!(loss.in_flight, 1);
        let found = read(&media, 0, 8192);
        for (unit, bytes) in found.chunks(512).enumerate() {
            assert!(bytes.iter().all(|byte| *byte == bytes[0]), "unit {unit}");
            assert!(bytes[0] == 1 || (2..10).contains(&unit));
        }
        let new = found.iter().filter(|byte| **byte == 2).count();
        assert_eq!(loss.undone, u64::from(new == 0));
        assert_eq!(loss.torn, u64::from(new > 0 && new < 4096));
        torn += loss.torn;
        undone += loss.undone;
    }
    assert!(torn > 10 && undone > 5, "{torn} {undone}");
}

#[test]
fn nothing_lies_past_the_end() {
    let media = media(None, UnflushedFate::LostAll, 1);
    for (at, len) in [(BYTES, 1), (BYTES - 1, 2), (u64::MAX, 2)] {
        assert_eq!(media.check(at, len), Err(BlockFault::PastEnd));
        assert_eq!(media.zero(at, len, false), Err(BlockFault::PastEnd));
    }
    assert_eq!(
        media.write(BYTES - 1, &[0; 2], false),
        Err(BlockFault::PastEnd)
    );
    assert_eq!(media.check(BYTES, 0), Ok(()));
}
