//! I/Os take as long as the model says: never less, and where the machine is not busy little more.

use std::time::{Duration, Instant};

use ioalign_export::media::PowerRules;
use ioalign_simulate::description::named;
use ioalign_simulate::geometry::{ArrayGeometry, DiskSteps};

use super::Served;
use super::client::{Client, NO_HOLE, READ, ZERO};

const MS_NS: u64 = 1_000_000;

/// Sends all at once, and says how long they took together.
fn burst(client: &mut Client, at: &[u64]) -> Duration {
    let begun = Instant::now();
    for (cookie, at) in (0..).zip(at) {
        client.send_write(0, cookie, *at, &[1; 16384]);
    }
    for _ in at {
        assert_eq!(client.reply().0, 0);
    }
    begun.elapsed()
}

#[test]
fn the_busiest_disk_decides() {
    let served = Served::new("raid10:4x64k", 20 * MS_NS, PowerRules::default());
    let mut client = Client::new(&served.socket());
    // From sector 63: the first is on one pair of disks, the second on both.
    let (one_pair, both_pairs) = (0, 65536 - 32256 - 8192);
    for (writes, disk_ios) in [
        (vec![one_pair], 1),
        (vec![both_pairs], 1),
        (vec![one_pair, one_pair + 16384], 2),
        (vec![one_pair, both_pairs], 2),
        (vec![both_pairs; 4], 4),
    ] {
        // The best of some: the others share the machine with other tests.
        let times = (0..5).map(|_| burst(&mut client, &writes));
        let best = times.min().unwrap();
        let model = Duration::from_nanos(disk_ios * 20 * MS_NS);
        assert!(best >= model, "{writes:?}: {best:?}");
        assert!(best < model + model / 2, "{writes:?}: {best:?}");
    }
}

#[test]
fn answers_come_in_the_order_of_completion() {
    let served = Served::new("raid0:2x64k", 100 * MS_NS, PowerRules::default());
    let mut client = Client::new(&served.socket());
    // Three on the first disk, one on the second.
    for (cookie, at) in [(1, 0), (2, 4096), (3, 8192), (4, 65536)] {
        client.send(READ, 0, cookie, at, 512);
    }
    let mut order = Vec::new();
    for _ in 0..4 {
        order.push(client.reply().1);
        std::io::Read::read_exact(&mut client.0, &mut [0; 512]).unwrap();
    }
    let place = |cookie| order.iter().position(|one| *one == cookie).unwrap();
    assert!(
        place(4) < place(2) && place(1) < place(2) && place(2) < place(3),
        "{order:?}"
    );
}

#[test]
fn zeros_take_the_time_of_a_write_and_holes_none() {
    let served = Served::new("raid5:4x64k", 20 * MS_NS, PowerRules::default());
    let mut client = Client::new(&served.socket());
    client.write(0, 0, &[1; 16384]);
    let mut best = |flags| {
        let times = (0..5).map(|_| {
            let begun = Instant::now();
            client.send(ZERO, flags, 1, 0, 16384);
            assert_eq!(client.reply(), (0, 1));
            begun.elapsed()
        });
        times.min().unwrap()
    };
    let (hole, zeros) = (best(0), best(NO_HOLE));
    assert!(hole < Duration::from_millis(20), "{hole:?}");
    // Old data and parity are read first.
    assert!(
        (Duration::from_millis(40)..Duration::from_millis(60)).contains(&zeros),
        "{zeros:?}"
    );
    assert_eq!(client.read(0, 16384), [0; 16384]);
}

/// Each I/O of a disk is 20 ms: what one request costs shows how many wait for each other.
#[test]
fn a_small_write_reads_first() {
    let served = Served::new("raid5:4x64k", 20 * MS_NS, PowerRules::default());
    let mut client = Client::new(&served.socket());
    let best = (0..5).map(|_| burst(&mut client, &[0])).min().unwrap();
    assert!(
        best >= Duration::from_millis(40) && best < Duration::from_millis(60),
        "{best:?}"
    );
    let geometry = ArrayGeometry::new(named("raid5:4x64k").unwrap().shape).unwrap();
    let mut steps = DiskSteps::default();
    geometry.steps(32256, 16384, true, &mut steps);
    assert_eq!((steps.groups.len(), steps.ios.len()), (1, 4));
}
