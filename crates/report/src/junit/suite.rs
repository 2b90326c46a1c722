//! A target as a test suite.

use super::case::{self, JunitCase, JunitOutcome};
use super::xml::XmlWriter;
use crate::model::{Report, Target};
use crate::words::time;

/// A target, as test cases.
pub struct Suite<'a> {
    target: &'a Target,
    timestamp: Option<String>,
    properties: Vec<(String, String)>,
    /// The target was read, layer by layer, finding by finding.
    pub cases: Vec<JunitCase>,
}

impl<'a> Suite<'a> {
    pub fn of(target: &'a Target, report: &Report) -> Self {
        Self {
            target,
            timestamp: report.scanned_at_seconds.map(time::utc),
            properties: properties(target, report),
            cases: case::all(target, &report.fail),
        }
    }

    fn count(&self, of: fn(&JunitOutcome) -> bool) -> usize {
        self.cases.iter().filter(|case| of(&case.outcome)).count()
    }

    pub fn failures(&self) -> usize {
        self.count(|outcome| matches!(outcome, JunitOutcome::Failure { .. }))
    }

    pub fn errors(&self) -> usize {
        self.count(|outcome| matches!(outcome, JunitOutcome::Error { .. }))
    }

    pub fn skipped(&self) -> usize {
        self.count(|outcome| matches!(outcome, JunitOutcome::Skipped { .. }))
    }

    pub fn write(&self, out: &mut XmlWriter) {
        let (tests, failures) = (self.cases.len().to_string(), self.failures().to_string());
        let (errors, skipped) = (self.errors().to_string(), self.skipped().to_string());
        let time = seconds(self.target.elapsed_us);
        let mut attributes = vec![
            ("name", self.target.name.as_str()),
            ("tests", &tests),
            ("failures", &failures),
            ("errors", &errors),
            ("skipped", &skipped),
            ("time", &time),
        ];
        if let Some(timestamp) = &self.timestamp {
            attributes.push(("timestamp", timestamp));
        }
        out.open("testsuite", &attributes);
        out.open("properties", &[]);
        for (name, value) in &self.properties {
            out.empty("property", &[("name", name), ("value", value)]);
        }
        out.close("properties");
        for case in &self.cases {
            case.write(&self.target.name, out);
        }
        out.close("testsuite");
    }
}

/// Decimal seconds, without a float's surprises.
pub fn seconds(microseconds: u64) -> String {
    format!(
        "{}.{:06}",
        microseconds / 1_000_000,
        microseconds % 1_000_000
    )
}

fn properties(target: &Target, report: &Report) -> Vec<(String, String)> {
    let mut rows = vec![
        ("tool".to_owned(), report.tool.clone()),
        ("source".to_owned(), target.source.name().to_owned()),
        ("verdict".to_owned(), target.verdict.name().to_owned()),
    ];
    rows.extend(target.stack.grids.iter().map(|grid| {
        let layer = &target.stack.layer(grid.layer).name;
        let trust = if grid.trusted() { "" } else { ", not believed" };
        let text = format!("{} of {layer} ({}{trust})", grid.size, grid.source);
        (format!("grid.{}", grid.kind), text)
    }));
    rows
}
