//! The XML, judged by xmllint (Debian: libxml2-utils) with our schema.

use std::path::Path;

use ioalign_core::Waiver;
use ioalign_report::{RenderOptions, Report, ReportFormat};

use super::cases;
use super::tools::complaint;

fn render(report: &Report) -> String {
    let mut report = report.clone();
    report.scanned_at_seconds = Some(1_700_000_000);
    ReportFormat::Junit.render(&report, &RenderOptions::default())
}

fn valid(text: &str) {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/junit.xsd");
    let arguments = ["--noout", "--schema", schema.to_str().unwrap(), "-"];
    assert_eq!(complaint("xmllint", &arguments, text), None, "{text}");
}

#[test]
fn every_report_is_valid() {
    needs!(Packages);
    for (_, report) in cases::all() {
        valid(&render(&report));
    }
    valid(&render(&Report::default()));
}

#[test]
fn names_from_disks_break_nothing() {
    needs!(Packages);
    for report in super::hostile::reports() {
        let text = render(&report);
        valid(&text);
        assert!(!text.contains("<script"));
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    }
}

#[test]
fn a_defect_fails_a_note_does_not() {
    let text = render(&cases::report(vec![cases::sector63()]));
    assert!(
        text.contains("<testsuite name=\"images/old/winxp.img\" tests=\"7\" failures=\"2\" errors=\"0\" skipped=\"0\" time=\"0.004812\" timestamp=\"2023-11-14T22:13:20Z\">"),
        "{text}"
    );
    assert!(
        text.contains("<failure message=\"p1 starts at sector 63"),
        "{text}"
    );
    assert!(text.contains("type=\"misaligned\""), "{text}");
    assert!(text.contains("<system-out>"), "{text}");
    assert!(
        text.contains("<property name=\"verdict\" value=\"misaligned\"/>"),
        "{text}"
    );
}

#[test]
fn unreadable_is_an_error_and_unknown_is_skipped() {
    let text = render(&cases::report(vec![cases::unreadable()]));
    assert!(
        text.contains("errors=\"1\"") && text.contains("<error "),
        "{text}"
    );
    let text = render(&cases::report(cases::forty()));
    assert!(
        text.contains("<skipped message=\"no partition table"),
        "{text}"
    );
}

#[test]
fn what_is_waived_is_skipped_with_its_reason() {
    needs!(Packages);
    let mut target = cases::sector63();
    for finding in &mut target.findings {
        finding.waived = Some(Waiver {
            reason: "moves in May".to_owned(),
            expires: "2999-12-31".to_owned(),
        });
    }
    let text = render(&cases::report(vec![target]));
    valid(&text);
    assert!(text.contains("failures=\"0\""), "{text}");
    assert!(
        text.contains("waived until 2999-12-31: moves in May"),
        "{text}"
    );
}
