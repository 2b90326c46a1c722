//! JUnit XML, as the test pages of Jenkins, GitLab, Azure and GitHub actions read it
//! (`docs/schema/junit.xsd`).
//!
//! A suite a target. Its first case is that the target could be read; then one a layer that
//! carries data and has nothing said of it, and one a finding. A suite is never empty: viewers take
//! that for a run that did not happen.

mod assertions;
mod case;
mod gate;
mod plain;
mod suite;
mod xml;

use crate::model::Report;
use crate::options::RenderOptions;
pub use assertions::assertions;
pub use gate::gate;
use suite::Suite;
use xml::XmlWriter;

/// The whole document.
pub fn render(report: &Report, _options: &RenderOptions) -> String {
    let targets = report.targets.iter();
    let suites: Vec<_> = targets.map(|target| Suite::of(target, report)).collect();
    let mut out = XmlWriter::new();
    let microseconds = report.targets.iter().map(|target| target.elapsed_us);
    let time = suite::seconds(microseconds.fold(0, u64::saturating_add));
    out.open(
        "testsuites",
        &[
            ("name", "ioalign"),
            ("tests", &sum(&suites, |s| s.cases.len())),
            ("failures", &sum(&suites, Suite::failures)),
            ("errors", &sum(&suites, Suite::errors)),
            ("skipped", &sum(&suites, Suite::skipped)),
            ("time", &time),
        ],
    );
    for suite in &suites {
        suite.write(&mut out);
    }
    out.close("testsuites");
    out.finish()
}

fn sum<'a>(suites: &[Suite<'a>], of: impl Fn(&Suite<'a>) -> usize) -> String {
    suites.iter().map(of).sum::<usize>().to_string()
}
