//! Stores of earlier versions, and stores that are full.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use ioalign_fleet::questions::{history, overview, worst};
use ioalign_fleet::{Collector, FleetError, FleetStore, StorePlace};
use ioalign_testkit::{MountGuard, needs};
use rusqlite::Connection;

use crate::made::{MadeHost, NOON, judge};

/// Of `sqlite3 fleet.db .dump`, by ioalign 0.1.
const VERSION_1: &str = include_str!("../fixtures/store-1.sql");

fn dumped(folder: &Path, sql: &str) -> StorePlace {
    let path = folder.join("fleet.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    StorePlace::Sqlite(path)
}

#[test]
fn a_store_of_version_1_keeps_its_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = FleetStore::open(&dumped(folder.path(), VERSION_1)).unwrap();
    let found = overview(&mut store, NOON).unwrap();
    assert_eq!((found.hosts, found.reports), (5, 6));
    let hosts: Vec<_> = worst(&mut store, 10)
        .unwrap()
        .into_iter()
        .map(|host| (host.host, host.severity))
        .collect();
    let hosts: Vec<_> = hosts
        .iter()
        .map(|(name, severity)| (name.as_str(), *severity))
        .collect();
    let expected = [
        ("db1", "misaligned"),
        ("web_1", "misaligned"),
        ("db2", "ok"),
        ("good", "ok"),
        ("nas", "ok"),
    ];
    assert_eq!(hosts, expected);
    assert_eq!(store.waivers().unwrap()[0].owner, "ann");
    // And it goes on from there.
    MadeHost::misaligned("db2").push(&mut store, NOON + 2 * 86_400);
    let reports = history(&mut store, "db2").unwrap().unwrap().reports;
    let severities: Vec<_> = reports.iter().map(|report| report.severity).collect();
    assert_eq!(severities, ["misaligned", "ok", "misaligned"]);
}

/// A document is large, and goes with the last report that has it.
#[test]
fn documents_go_with_their_reports() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.db");
    let store = FleetStore::open(&StorePlace::Sqlite(path.clone())).unwrap();
    let mut store = store.keeping(NonZeroU32::new(1));
    for start in [63, 17, 2048] {
        let mut host = MadeHost::new("db1");
        host.start = start * 512;
        host.push(&mut store, NOON + start.cast_signed());
    }
    let count =
        Connection::open(&path)
            .unwrap()
            .query_row("SELECT count(*) FROM judgement", [], |row| {
                row.get::<_, i64>(0)
            });
    assert_eq!(count.unwrap(), 1);
}

#[test]
fn a_store_of_a_later_version_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let place = dumped(
        folder.path(),
        &format!("{VERSION_1}\nINSERT INTO schema_version VALUES (99);"),
    );
    assert!(matches!(
        FleetStore::open(&place),
        Err(FleetError::Foreign(_))
    ));
    let other = folder.path().join("other");
    fs::write(
        &other,
        "not a database, and longer than a hundred bytes: ".repeat(9),
    )
    .unwrap();
    assert!(matches!(
        FleetStore::open(&StorePlace::Sqlite(other)),
        Err(FleetError::Foreign(_))
    ));
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    needs!(Root);
    let folder = tempfile::tempdir().unwrap();
    let disk = MountGuard::new(
        &["-t", "tmpfs", "-o", "size=2m", "none"],
        &folder.path().join("disk"),
    );
    let place = StorePlace::Sqlite(disk.path().join("fleet.db"));
    let collector = Collector::start(&place, judge(), None).unwrap();
    let push = |number: i64| {
        let mut host = MadeHost::misaligned(&format!("host{number}"));
        // No two are alike, or they would take no room.
        host.model = format!("{:0>3000}", number * 7919);
        collector.take(&host.envelope(NOON + number), "rack")
    };
    let mut acknowledged = Vec::new();
    let refused = (0..10_000).find_map(|number| match push(number) {
        Ok(_) => {
            acknowledged.push(number);
            None
        }
        Err(error) => Some(error),
    });
    let refused = refused.expect("2 MiB are full at some time");
    assert!(
        refused.is_passing() && refused.to_string().contains("full"),
        "{refused}"
    );
    // Room is made: it goes on by itself, and all is there.
    let grown = std::process::Command::new("mount")
        .args(["-o", "remount,size=16m"])
        .arg(disk.path())
        .status();
    assert!(grown.unwrap().success());
    for number in &acknowledged {
        assert!(push(*number).unwrap().duplicate, "{number}");
    }
    assert!(!push(20_000).unwrap().duplicate);
    let mut store = FleetStore::open(&place).unwrap();
    let reports = i64::try_from(acknowledged.len()).unwrap() + 1;
    assert_eq!(overview(&mut store, NOON).unwrap().reports, reports);
    drop((store, collector));
}
