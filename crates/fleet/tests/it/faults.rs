//! Stores that stop, servers that meet, disks that are full.

use std::path::Path;
use std::sync::{Arc, Barrier};
use std::thread;

use ioalign_fleet::questions::overview;
use ioalign_fleet::{Collector, FleetError, FleetStore, StorePlace};
use ioalign_testkit::PostgresServer;

use crate::made::{MadeHost, NOON, TODAY, judge};

const SERVERS: usize = 6;

pub fn two_servers_on_one_store_lose_and_double_nothing(place: &StorePlace) {
    // Both start at once on an empty store, and take the same pushes of the same hosts.
    let work = |server: usize| {
        let place = place.clone();
        thread::spawn(move || {
            let mut store = FleetStore::open(&place).unwrap();
            let mut fresh = 0;
            for round in 0..10 {
                let hosts: Vec<_> = (0..10)
                    .map(|host| MadeHost::misaligned(&format!("h{host}")).report(NOON + round))
                    .collect();
                let mut all: Vec<_> = hosts.iter().collect();
                if server == 1 {
                    all.reverse();
                }
                fresh += store
                    .add(&all, TODAY)
                    .unwrap()
                    .iter()
                    .filter(|one| !one.is_duplicate)
                    .count();
            }
            fresh
        })
    };
    let servers = [work(0), work(1)];
    let fresh: usize = servers
        .into_iter()
        .map(|server| server.join().unwrap())
        .sum();
    assert_eq!(fresh, 100);
    let mut store = FleetStore::open(place).unwrap();
    let found = overview(&mut store, NOON).unwrap();
    assert_eq!((found.hosts, found.reports), (10, 100));
    assert_eq!(found.hosts_by_severity["misaligned"], 10);
}

/// As many servers as start at once make one new store.
pub fn servers_that_start_at_once_all_open_it(folder: &Path) {
    for round in 0..40 {
        let place = StorePlace::Sqlite(folder.join(format!("{round}.db")));
        let start = Barrier::new(SERVERS);
        thread::scope(|scope| {
            for _ in 0..SERVERS {
                scope.spawn(|| {
                    start.wait();
                    FleetStore::open(&place).unwrap();
                });
            }
        });
    }
}

pub fn what_is_acknowledged_is_there(place: &StorePlace) {
    let collector = Arc::new(Collector::start(place, judge(), None).unwrap());
    let senders: Vec<_> = (0..8)
        .map(|sender| {
            let collector = Arc::clone(&collector);
            thread::spawn(move || {
                for push in 0..10 {
                    let host = MadeHost::misaligned(&format!("h{sender}"));
                    let receipt = collector.take(&host.envelope(NOON + push), "rack").unwrap();
                    assert!(!receipt.duplicate);
                }
            })
        })
        .collect();
    senders
        .into_iter()
        .for_each(|sender| sender.join().unwrap());
    let again = collector
        .take(&MadeHost::misaligned("h0").envelope(NOON), "rack")
        .unwrap();
    assert!(again.duplicate);
    // What is wrong is refused, and the collector goes on.
    for wrong in [
        b"".as_slice(),
        b"{}\n",
        &MadeHost::new("x").envelope(NOON)[..50],
    ] {
        assert!(matches!(
            collector.take(wrong, "rack"),
            Err(FleetError::Refused(_))
        ));
    }
    let failing = ioalign_fleet::PushEnvelope {
        capture: b"panic".to_vec(),
        ..ioalign_fleet::PushEnvelope::decode(&MadeHost::new("x").envelope(NOON)).unwrap()
    };
    assert!(matches!(
        collector.take(&failing.encode().unwrap(), "rack"),
        Err(FleetError::Refused(_))
    ));
    let mut store = FleetStore::open(place).unwrap();
    assert_eq!(overview(&mut store, NOON).unwrap().reports, 80);
}

pub fn a_database_that_stops_loses_nothing_acknowledged(server: &mut PostgresServer) {
    let place: StorePlace = server.space("stops").parse().unwrap();
    let collector = Collector::start(&place, judge(), None).unwrap();
    let push = |number: i64| collector.take(&MadeHost::new("db1").envelope(NOON + number), "rack");
    for number in 0..5 {
        push(number).unwrap();
    }
    server.stop();
    for number in 5..8 {
        let error = push(number).unwrap_err();
        assert!(error.is_passing(), "{error}");
    }
    server.run();
    // The first may find the lost connection; a host that comes again finds the new one.
    let taken = (0..3).any(|_| push(8).is_ok());
    assert!(taken, "{}", server.log());
    for number in 0..9 {
        let duplicate = push(number).unwrap().duplicate;
        assert_eq!(duplicate, !(5..8).contains(&number), "{number}");
    }
    let mut store = FleetStore::open(&place).unwrap();
    assert_eq!(overview(&mut store, NOON).unwrap().reports, 9);
}
