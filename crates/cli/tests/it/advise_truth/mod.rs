//! Advice against the truth: devices of known service times in virtual time, workloads that are profiled and measured on them
//! by the project's own counters and experiments, and what each of them really loses.
//!
//! The stack is a real image with a partition at sector 63, checked by the program; profile and cost are its documents.

mod cases;
mod documents;
mod laws;
mod subject;

use ioalign_testkit::served::{Places, VirtualDevice};
use serde_json::Value;

use cases::Case;
use documents::Desk;

/// Sector 63, where the partition starts.
const START: u64 = 63 * 512;

/// What came of one case.
struct Found {
    name: String,
    truth: f64,
    low: f64,
    high: f64,
    basis: String,
    covered: Option<f64>,
    crossing: f64,
    said: String,
}

impl Found {
    fn covers(&self) -> bool {
        self.low <= self.truth && self.truth <= self.high
    }

    fn line(&self) -> String {
        let mark = if self.covers() { ' ' } else { '!' };
        let percent = |share: f64| format!("{:8.1} %", share * 100.0);
        format!(
            "{mark} {} in {} to {}  {:<22} {:>5}  {}",
            percent(self.truth),
            percent(self.low),
            percent(self.high),
            self.basis,
            self.covered
                .map_or_else(String::new, |share| format!("{share:.2}")),
            self.name
        )
    }
}

/// How much longer the workload takes on the misaligned partition, by many more I/Os than anything was measured with.
fn truth(case: &Case) -> f64 {
    let took = |start: u64| {
        let mut device = VirtualDevice::new(case.law.law.clone(), 77);
        let mut places = Places::new(&case.workload, start, case.seed);
        let depth = case.workload.depth;
        device
            .full_queue(&mut places, depth, |ran| ran.ios >= 30_000, |_| {})
            .us
    };
    took(START) / took(0) - 1.0
}

fn found(desk: &Desk, case: &Case, number: usize) -> Found {
    let advice = desk.advice(case, number);
    let items = advice["items"].as_array().unwrap();
    let own = |item: &&Value| item["unit_bytes"] == case.law.law.unit;
    let item = items.iter().find(own).unwrap();
    let loss = &item["loss"];
    let ratio = |key: &str| loss[key].as_f64().unwrap();
    Found {
        name: case.name(),
        truth: truth(case),
        low: ratio("low_ratio"),
        high: ratio("high_ratio"),
        basis: loss["basis"].as_str().unwrap().to_owned(),
        covered: loss["covered_ratio"].as_f64(),
        crossing: ratio("crossing_ratio"),
        said: item["reasons"].to_string(),
    }
}

fn all() -> Vec<Found> {
    let laws = laws::all();
    let by_law = |law: &laws::Named, index: usize| {
        let desk = Desk::new(law);
        let cases = cases::of(law, index);
        let cases = cases.iter().enumerate();
        cases
            .map(|(number, case)| found(&desk, case, number))
            .collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = laws
            .iter()
            .enumerate()
            .map(|(index, law)| scope.spawn(move || by_law(law, index)))
            .collect();
        threads
            .into_iter()
            .flat_map(|one| one.join().unwrap())
            .collect()
    })
}

/// Nine of ten ranges hold the truth, over all and over those that are called measured; what is not covered is never called so,
/// and its range is wide.
#[test]
fn ranges_hold_the_truth() {
    needs!(Packages);
    let all = all();
    let lines: Vec<_> = all.iter().map(Found::line).collect();
    let table = lines.join("\n");
    assert!(all.len() >= 30, "{table}");
    let enough = |some: &[&Found]| {
        let held = some.iter().filter(|one| one.covers()).count();
        held * 10 >= some.len() * 9
    };
    let every: Vec<_> = all.iter().collect();
    assert!(enough(&every), "{table}");
    let measured = |one: &&Found| one.basis == "measured-and-weighed";
    let (measured, other): (Vec<_>, Vec<_>) = all.iter().partition(|one| measured(one));
    assert!(measured.len() >= 15 && other.len() >= 6, "{table}");
    assert!(enough(&measured), "{table}");
    for one in other {
        assert!(one.covered.is_some_and(|share| share < 0.9), "{table}");
        assert!(!one.said.contains("as measured"), "{}", one.said);
        assert!(one.said.contains("not-covered"), "{}", one.said);
        let open = one.crossing * (1.0 - one.covered.unwrap());
        assert!(one.high - one.low >= open / 2.0, "{table}");
    }
    // A range that holds everything says nothing: half of those that are measured exactly are narrow.
    let mut widths: Vec<_> = measured
        .iter()
        .map(|one| (1.0 + one.high) / (1.0 + one.low))
        .collect();
    widths.sort_by(f64::total_cmp);
    assert!(widths[widths.len() / 2] < 1.5, "{table}");
}
