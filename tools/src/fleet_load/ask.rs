//! The time that each question takes.

use std::time::Instant;

use ioalign_fleet::questions::{
    ExportFormat, ExportedTable, busy, by_age, by_model, by_rule, changes, compare, export, gains,
    history, lies, overview, search, worst,
};
use ioalign_fleet::{FleetStore, StorePlace};

/// After the last report.
const NOW: i64 = 1_795_608_000;
/// Rows that a page asks for.
const ROWS: u32 = 200;

/// A question and its name.
type TimedQuestion<'a> = (&'a str, &'a dyn Fn(&mut FleetStore));

/// Asks each question; its name, and the median time in milliseconds.
pub fn ask(place: &StorePlace, rounds: usize) {
    let mut store = FleetStore::open(place).unwrap();
    let host = worst(&mut store, 1).unwrap().remove(0).host;
    let report = history(&mut store, &host).unwrap().unwrap().reports[0].report;
    let questions: [TimedQuestion<'_>; 13] = [
        ("overview", &|store| drop(overview(store, NOW).unwrap())),
        ("worst", &|store| drop(worst(store, ROWS).unwrap())),
        ("by rule", &|store| drop(by_rule(store).unwrap())),
        ("by model", &|store| drop(by_model(store, ROWS).unwrap())),
        ("by age", &|store| drop(by_age(store, NOW).unwrap())),
        ("busy", &|store| drop(busy(store, ROWS).unwrap())),
        ("gains", &|store| drop(gains(store, ROWS).unwrap())),
        ("lies", &|store| drop(lies(store, ROWS).unwrap())),
        ("changes", &|store| {
            drop(changes(store, NOW - 7 * 86_400, ROWS).unwrap())
        }),
        ("search name", &|store| {
            drop(search(store, "t-0999", ROWS).unwrap())
        }),
        ("search model", &|store| {
            drop(search(store, "model 7", ROWS).unwrap())
        }),
        ("host", &|store| drop(history(store, &host).unwrap())),
        ("compare", &|store| {
            drop(compare(store, report, report).unwrap())
        }),
    ];
    for (name, question) in questions {
        let mut times: Vec<f64> = (0..rounds)
            .map(|_| {
                let began = Instant::now();
                question(&mut store);
                began.elapsed().as_secs_f64() * 1000.0
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "{name:14} {:8.1} ms, at most {:.1}",
            times[rounds / 2],
            times[rounds - 1]
        );
    }
    let began = Instant::now();
    let mut out = Vec::new();
    export(
        &mut store,
        ExportedTable::Findings,
        ExportFormat::Csv,
        &mut out,
    )
    .unwrap();
    println!(
        "export         {:8.1} ms, {} bytes",
        began.elapsed().as_secs_f64() * 1000.0,
        out.len()
    );
}
