//! What a report does to the state of its host.

use std::num::NonZeroU32;

use ioalign_fleet::questions::compare::report_document;
use ioalign_fleet::questions::{by_age, by_rule, changes, history, lies, overview, worst};
use ioalign_fleet::store::NewWaiver;
use ioalign_fleet::{FleetStore, StorePlace};

use crate::made::{MadeHost, NOON, TODAY, finding};

const DAY: i64 = 86_400;

pub fn a_push_counts_once(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    let host = MadeHost::misaligned("db1");
    assert!(host.push(&mut store, NOON));
    for _ in 0..3 {
        assert!(!host.push(&mut store, NOON), "the same bytes");
    }
    // Twice in one transaction, too.
    let report = host.report(NOON + 1);
    let added = store.add(&[&report, &report], TODAY).unwrap();
    assert_eq!(
        [added[0].is_duplicate, added[1].is_duplicate],
        [false, true]
    );
    assert_eq!(added[0].report, added[1].report);
    let found = overview(&mut store, NOON).unwrap();
    assert_eq!((found.hosts, found.reports), (1, 2));
    // Opened again, it is all there, and no migration runs twice.
    drop(store);
    let mut store = FleetStore::open(place).unwrap();
    assert_eq!(store.version().unwrap(), 2);
    assert_eq!(overview(&mut store, NOON).unwrap().reports, 2);
}

/// In whatever order a commit has them: two servers that take the same hosts never wait for each other in a circle.
pub fn hosts_are_locked_in_one_order(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    for (day, order) in [["a", "m", "z"], ["z", "a", "m"], ["m", "z", "a"]]
        .into_iter()
        .enumerate()
    {
        let at = NOON + DAY * i64::try_from(day).unwrap();
        let all = order.map(|host| MadeHost::misaligned(host).report(at));
        let added = store.add(&all.each_ref(), TODAY).unwrap();
        // Reports are numbered as they are stored, and given in the order of the pushes.
        let mut stored: Vec<_> = all.iter().zip(&added).collect();
        stored.sort_by_key(|(_, added)| added.report);
        let stored = stored.iter().map(|(report, _)| report.host_id.clone());
        let mut sorted = all.each_ref().map(|report| report.host_id.clone());
        sorted.sort();
        assert_eq!(stored.collect::<Vec<_>>(), sorted, "{order:?}");
    }
}

pub fn a_history_ends_with_the_last_two_hundred(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    let host = MadeHost::misaligned("db1");
    let reports: Vec<_> = (0..201).map(|day| host.report(NOON + day * DAY)).collect();
    store
        .add(&reports.iter().collect::<Vec<_>>(), TODAY)
        .unwrap();
    let shown = history(&mut store, "db1").unwrap().unwrap().reports;
    assert_eq!(shown.len(), 200);
    assert_eq!(shown[199].received_at_seconds, NOON + DAY, "newest first");
}

pub fn a_new_disk_takes_the_place_of_the_old_one(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    let mut host = MadeHost::misaligned("db1");
    host.push(&mut store, NOON);
    host.model = "NEW".to_owned();
    host.push(&mut store, NOON + DAY);
    let devices = history(&mut store, "db1").unwrap().unwrap().devices;
    let models = devices.iter().map(|device| device.model.as_deref());
    assert_eq!(models.collect::<Vec<_>>(), [Some("NEW")]);
    let claims = lies(&mut store, 10).unwrap();
    let models = claims.iter().map(|claim| claim.model.as_deref());
    assert_eq!(models.collect::<Vec<_>>(), [Some("NEW")]);
}

/// Of each host the last reports stay, and of documents those that a report has.
pub fn old_reports_are_forgotten(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    let (mut bad, good) = (MadeHost::misaligned("db1"), MadeHost::new("db1"));
    // The same document as that of another host, which keeps it.
    MadeHost::misaligned("db2").push(&mut store, NOON);
    let first = store.add(&[&bad.report(NOON)], TODAY).unwrap()[0].report;
    bad.start = 17 * 512;
    let second = store.add(&[&bad.report(NOON + DAY)], TODAY).unwrap()[0].report;
    let mut store = store.keeping(NonZeroU32::new(2));
    good.push(&mut store, NOON + 2 * DAY);
    // A clock that jumps, forward and back.
    good.push(&mut store, NOON + 40_000 * DAY);
    let kept = |store: &mut FleetStore, host: &str| {
        let found = history(store, host).unwrap().unwrap();
        let times = found.reports.iter().map(|one| one.received_at_seconds);
        times.collect::<Vec<_>>()
    };
    assert_eq!(
        kept(&mut store, "db1"),
        [NOON + 40_000 * DAY, NOON + 2 * DAY]
    );
    good.push(&mut store, NOON + 3 * DAY);
    assert_eq!(
        kept(&mut store, "db1"),
        [NOON + 3 * DAY, NOON + 40_000 * DAY]
    );
    assert_eq!(kept(&mut store, "db2"), [NOON], "it has not pushed");
    for gone in [first, second] {
        assert!(report_document(&mut store, gone).unwrap().is_none());
    }
    let db2 = history(&mut store, "db2").unwrap().unwrap().reports[0].report;
    assert!(report_document(&mut store, db2).unwrap().is_some());
    let found = changes(&mut store, NOON - DAY, 10).unwrap().latest;
    assert!(found.iter().all(|change| change.host != "db1"), "{found:?}");
}

pub fn findings_come_and_go_and_keep_their_age(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    let mut host = MadeHost::misaligned("db1");
    host.push(&mut store, NOON);
    host.findings
        .push(finding("thin-chunk", "suboptimal", 65536));
    host.findings.push(finding("a-note", "note", 0));
    host.push(&mut store, NOON + 8 * DAY);
    let ages = by_age(&mut store, NOON + 8 * DAY).unwrap();
    let ages: Vec<_> = ages
        .iter()
        .map(|age| (age.from_days, age.severity, age.findings))
        .collect();
    assert_eq!(ages, [(7, "misaligned", 1), (0, "suboptimal", 1)]);
    // Repaired: the first one went, the other stays.
    host.findings.remove(0);
    host.verdict = "suboptimal";
    host.start = 1 << 20;
    host.push(&mut store, NOON + 9 * DAY);
    let now = history(&mut store, "db1").unwrap().unwrap();
    assert_eq!(now.host.severity, "suboptimal");
    assert_eq!(now.host.findings, 1);
    let since: Vec<_> = now
        .findings_now
        .iter()
        .map(|one| one.since_seconds)
        .collect();
    assert_eq!(since, [NOON + 8 * DAY; 2]);
    let week = changes(&mut store, NOON + 8 * DAY, 10).unwrap();
    let rules: Vec<_> = week
        .rules
        .iter()
        .map(|rule| (rule.rule.as_str(), rule.appeared, rule.gone))
        .collect();
    assert_eq!(rules, [("thin-chunk", 1, 0), ("start-misaligned", 0, 1)]);
    assert_eq!((week.new_hosts, week.latest.len()), (0, 2));
    assert!(!week.latest[0].appeared, "the newest first");
    // A note that goes is no change.
    host.findings.retain(|finding| finding["rule"] != "a-note");
    host.push(&mut store, NOON + 10 * DAY);
    assert_eq!(changes(&mut store, NOON, 10).unwrap().latest.len(), 3);
    // A clock that was set back changes no age and loses nothing.
    host.push(&mut store, NOON - 400 * DAY);
    assert_eq!(
        history(&mut store, "db1").unwrap().unwrap().reports.len(),
        5
    );
}

pub fn a_profile_stays_until_the_next_one(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    let host = MadeHost::misaligned("db1");
    host.clone().busy(1000).push(&mut store, NOON);
    let extra = |store: &mut FleetStore| worst(store, 10).unwrap()[0].extra_ios_per_day;
    assert_eq!(extra(&mut store), Some(24_000.0));
    host.push(&mut store, NOON + 1);
    assert_eq!(extra(&mut store), Some(24_000.0), "no news");
    let mut more = host.clone();
    more.findings
        .push(finding("thin-chunk", "suboptimal", 65536));
    more.push(&mut store, NOON + 2);
    assert_eq!(
        extra(&mut store),
        Some(24_000.0),
        "the old finding is still there"
    );
    host.clone().busy(10).push(&mut store, NOON + 3);
    assert_eq!(extra(&mut store), Some(240.0));
    // A profile without the disk of the finding says nothing of it, nor does the one before it any more.
    let mut other = host.clone().busy(10);
    let profile = String::from_utf8(other.profile.unwrap()).unwrap();
    other.profile = Some(profile.replace("\"sda\"", "\"sdb\"").into_bytes());
    other.push(&mut store, NOON + 4);
    assert_eq!(extra(&mut store), None);
    host.clone().busy(10).push(&mut store, NOON + 5);
    assert_eq!(extra(&mut store), Some(240.0));
    let mut repaired = host;
    repaired.findings.clear();
    repaired.verdict = "ok";
    repaired.push(&mut store, NOON + 6);
    assert_eq!(extra(&mut store), None);
}

pub fn a_waived_finding_does_not_count_until_its_day(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    for name in ["db1", "db2"] {
        MadeHost::misaligned(name).busy(60).push(&mut store, NOON);
    }
    let waiver = |host: &str, expires: &str| NewWaiver {
        rule: "start-misaligned".to_owned(),
        host: host.to_owned(),
        reason: "moved in March".to_owned(),
        expires: expires.to_owned(),
        ..NewWaiver::default()
    };
    for wrong in [
        waiver("db1", "2026-11-24"),
        waiver("db1", "soon"),
        NewWaiver::default(),
    ] {
        assert!(
            store.waive(&wrong, "ann", (NOON, TODAY)).is_err(),
            "{wrong:?}"
        );
    }
    let id = store
        .waive(&waiver("db1", "2026-11-26"), "ann", (NOON, TODAY))
        .unwrap();
    let severities = |store: &mut FleetStore| -> Vec<_> {
        let hosts = worst(store, 10).unwrap();
        hosts
            .into_iter()
            .map(|host| (host.host, host.severity, host.extra_ios_per_day))
            .collect()
    };
    let waived = ("db1".to_owned(), "ok", None);
    assert_eq!(severities(&mut store)[1], waived);
    let rule = by_rule(&mut store).unwrap().remove(0);
    assert_eq!((rule.hosts, rule.findings, rule.waived), (1, 1, 1));
    // A later report finds the waiver.
    MadeHost::misaligned("db1")
        .busy(60)
        .push(&mut store, NOON + 1);
    assert_eq!(severities(&mut store)[1], waived);
    store.settle("2026-11-26").unwrap();
    assert_eq!(severities(&mut store)[1], waived, "the last day counts");
    store.settle("2026-11-27").unwrap();
    assert_eq!(severities(&mut store)[0].1, "misaligned");
    assert_eq!(severities(&mut store)[1].1, "misaligned");
    assert_eq!(severities(&mut store)[1].2, Some(1440.0));
    // For all hosts, and taken back.
    let all = store
        .waive(&waiver("", "2027-01-01"), "bob", (NOON, TODAY))
        .unwrap();
    assert!(
        severities(&mut store)
            .iter()
            .all(|(_, severity, _)| *severity == "ok")
    );
    assert!(store.unwaive(all, "2026-11-27").unwrap());
    assert!(
        severities(&mut store)
            .iter()
            .all(|(_, severity, _)| *severity == "misaligned")
    );
    let left = store.waivers().unwrap();
    assert_eq!(
        (left.len(), left[0].id, left[0].owner.as_str()),
        (1, id, "ann")
    );
}

pub fn what_is_unknown_is_never_ok(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    let unknown = MadeHost {
        verdict: "unknown",
        ..MadeHost::new("odd")
    };
    unknown.push(&mut store, NOON);
    MadeHost::new("good").push(&mut store, NOON);
    let severities: Vec<_> = worst(&mut store, 10)
        .unwrap()
        .into_iter()
        .map(|host| host.severity)
        .collect();
    assert_eq!(severities, ["unknown", "ok"]);
}
