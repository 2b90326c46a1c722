//! What is asked, and what the answer is.

use ioalign_fleet::questions::{
    ExportFormat, ExportedTable, busy, by_model, by_rule, compare, export, gains, history, lies,
    overview, search, worst,
};
use ioalign_fleet::{FleetStore, StorePlace};

use crate::made::{MadeHost, NOON, TODAY, finding};

/// Three misaligned hosts, of which one is busy and one very; one good; one with a bad chunk.
pub fn fleet(place: &StorePlace) -> FleetStore {
    let mut store = FleetStore::open(place).unwrap();
    MadeHost::misaligned("db1")
        .busy(1000)
        .push(&mut store, NOON);
    MadeHost::misaligned("db2").busy(50).push(&mut store, NOON);
    MadeHost::misaligned("web_1").push(&mut store, NOON);
    MadeHost::new("good").push(&mut store, NOON);
    let mut chunk = MadeHost::new("nas");
    chunk.verdict = "suboptimal";
    chunk.model = "OTHER".to_owned();
    chunk.findings = vec![finding("thin-chunk", "suboptimal", 65536)];
    chunk.push(&mut store, NOON);
    store
}

pub fn every_question_has_its_answer(place: &StorePlace) {
    let mut store = fleet(place);
    let all = overview(&mut store, NOON + 3 * 86_400).unwrap();
    assert_eq!((all.hosts, all.silent_hosts, all.profiled_hosts), (5, 5, 2));
    assert_eq!(all.hosts_by_severity["misaligned"], 3);
    assert_eq!(all.extra_ios_per_day, Some(25_200.0));
    let names: Vec<_> = worst(&mut store, 4)
        .unwrap()
        .into_iter()
        .map(|host| host.host)
        .collect();
    assert_eq!(names, ["db1", "db2", "web_1", "nas"]);
    let rules: Vec<_> = by_rule(&mut store)
        .unwrap()
        .into_iter()
        .map(|rule| (rule.rule, rule.hosts))
        .collect();
    assert_eq!(
        rules,
        [
            ("start-misaligned".to_owned(), 3),
            ("thin-chunk".to_owned(), 1)
        ]
    );
    let models = by_model(&mut store, 10).unwrap();
    assert_eq!(
        (models[0].model.as_deref(), models[0].hosts),
        (Some("DISK 9"), 3)
    );
    assert_eq!(
        (models[1].model.as_deref(), models[1].severity),
        (Some("OTHER"), "suboptimal")
    );
    let busy = busy(&mut store, 10).unwrap();
    assert_eq!(busy.len(), 2);
    assert_eq!(
        (busy[0].host.host.as_str(), busy[0].extra_ratio),
        ("db1", Some(1.0))
    );
    let gains = gains(&mut store, 1).unwrap();
    assert_eq!(
        (
            gains.len(),
            gains[0].host.as_str(),
            gains[0].saved_ios_per_day
        ),
        (1, "db1", Some(24_000.0))
    );
    let lies = lies(&mut store, 10).unwrap();
    let lie = &lies[0];
    assert_eq!(
        (
            lie.model.as_deref(),
            lie.size_bytes,
            lie.hosts,
            lie.hosts_of_model
        ),
        (Some("DISK 9"), 33_553_920, 4, 4)
    );
    assert!(lie.why.as_deref().unwrap().contains("bridge"));
    for (text, by, found) in [
        ("DB", "name", 2),
        ("web_", "name", 1),
        ("%", "name", 0),
        ("start-misaligned", "rule", 3),
        ("disk 9", "model", 4),
        ("", "name", 0),
    ] {
        let hosts = search(&mut store, text, 10).unwrap();
        assert_eq!(
            hosts.iter().filter(|host| host.by == by).count(),
            found,
            "{text}"
        );
    }
    // One by its name, and others by their model: no more than were asked for.
    MadeHost::new("disk").push(&mut store, NOON);
    let found = search(&mut store, "disk", 1).unwrap();
    assert_eq!((found.len(), found[0].by), (1, "name"));
    assert!(history(&mut store, "nobody").unwrap().is_none());
    let one = history(&mut store, "db1").unwrap().unwrap();
    assert_eq!(
        (one.devices.len(), one.findings_now.len(), one.reports.len()),
        (1, 1, 1)
    );
}

pub fn two_reports_are_compared_by_value(place: &StorePlace) {
    let mut store = fleet(place);
    let mut repaired = MadeHost::new("db1");
    repaired.model = "NEW".to_owned();
    repaired.push(&mut store, NOON + 1);
    MadeHost::new("db1").push(&mut store, NOON + 2);
    MadeHost::new("db1").push(&mut store, NOON + 3);
    let reports = history(&mut store, "db1").unwrap().unwrap().reports;
    let changed: Vec<_> = reports.iter().map(|report| report.changed).collect();
    assert_eq!(changed, [false, true, true, false], "newest first");
    let (last, first) = (reports[2].report, reports[3].report);
    let found = compare(&mut store, first, last).unwrap().unwrap();
    let of = |name: &str, fact: &str| {
        let mut all = found.changes.iter();
        let one = all
            .find(|change| change.name == name && change.fact == fact)
            .expect(fact);
        (one.before.clone(), one.after.clone())
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        of("partition:sda1", "below.0.start_bytes"),
        (text("32256"), text("1048576"))
    );
    assert_eq!(of("disk:sda", "facts.model"), (text("DISK 9"), text("NEW")));
    assert_eq!(of("start-misaligned partition:sda1", "").1, None);
    assert_eq!(found.changes.len(), 3);
    assert!(
        compare(&mut store, last, last)
            .unwrap()
            .unwrap()
            .changes
            .is_empty()
    );
    let other = history(&mut store, "db2").unwrap().unwrap().reports[0].report;
    assert!(
        compare(&mut store, first, other).unwrap().is_none(),
        "of two hosts"
    );
    assert!(compare(&mut store, first, 999_999).unwrap().is_none());
    // A report of very many findings: the first thousand changes, and that there are more.
    let mut many = MadeHost::new("db1");
    let findings = (0..1001).map(|number| finding(&format!("rule-{number}"), "note", 0));
    many.findings = findings.collect();
    let many = store.add(&[&many.report(NOON + 4)], TODAY).unwrap()[0].report;
    let found = compare(&mut store, last, many).unwrap().unwrap();
    assert_eq!((found.changes.len(), found.is_cut), (1000, true));
}

pub fn everything_is_exported(place: &StorePlace) {
    let mut store = fleet(place);
    let mut written = |table, format| {
        let mut out = Vec::new();
        export(&mut store, table, format, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let csv = written(ExportedTable::Hosts, ExportFormat::Csv);
    assert_eq!(csv.lines().count(), 6);
    assert!(
        csv.lines()
            .nth(1)
            .unwrap()
            .contains(",db1,misaligned,1,24000"),
        "{csv}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&written(ExportedTable::Findings, ExportFormat::Json)).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 4);
    assert_eq!(
        (&json[0]["severity"], &json[0]["fixable_in_place"]),
        (&"misaligned".into(), &true.into())
    );
    let claims: serde_json::Value =
        serde_json::from_str(&written(ExportedTable::Claims, ExportFormat::Json)).unwrap();
    assert_eq!(claims.as_array().unwrap().len(), 10);
    assert_eq!(claims[0]["trusted"], false);
    assert!(ExportedTable::named("secrets").is_none());
}

pub fn names_are_data(place: &StorePlace) {
    let mut store = FleetStore::open(place).unwrap();
    let hostile = "x'); DROP TABLE host; -- <script>=1+1";
    let mut host = MadeHost::misaligned(hostile);
    host.model = "=cmd|'/C calc'!A0\0".to_owned();
    host.push(&mut store, NOON);
    let found = search(&mut store, "drop table", 10).unwrap();
    assert_eq!(found[0].host.host, hostile);
    let mut out = Vec::new();
    export(
        &mut store,
        ExportedTable::Findings,
        ExportFormat::Csv,
        &mut out,
    )
    .unwrap();
    assert!(
        String::from_utf8(out)
            .unwrap()
            .contains(",'=cmd|'/C calc'!A0,")
    );
}
