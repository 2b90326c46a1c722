//! One suite of cases that are no targets.

use super::case::{JunitCase, JunitOutcome};
use super::xml::XmlWriter;

/// The whole document; the suite's name is the class of its cases.
pub fn document(suite: &str, cases: &[JunitCase]) -> String {
    let count = |wanted: fn(&JunitOutcome) -> bool| {
        let all = cases.iter().filter(|case| wanted(&case.outcome));
        all.count().to_string()
    };
    let tests = cases.len().to_string();
    let failures = count(|outcome| matches!(outcome, JunitOutcome::Failure { .. }));
    let errors = count(|outcome| matches!(outcome, JunitOutcome::Error { .. }));
    let counts = [
        ("tests", tests.as_str()),
        ("failures", &failures),
        ("errors", &errors),
        ("skipped", "0"),
        ("time", "0.000000"),
    ];
    let mut out = XmlWriter::new();
    out.open(
        "testsuites",
        &[&[("name", "ioalign")][..], &counts].concat(),
    );
    out.open("testsuite", &[&[("name", suite)][..], &counts].concat());
    out.empty("properties", &[]);
    for case in cases {
        case.write(suite, &mut out);
    }
    out.close("testsuite");
    out.close("testsuites");
    out.finish()
}
