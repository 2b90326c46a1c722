//! The status line against the Monitoring Plugins guidelines.

use ioalign_core::{Severity, Waiver};
use ioalign_report::nagios::Status;
use ioalign_report::{FailOn, RenderOptions, Report, ReportFormat, Target, Verbosity};

use super::cases;

fn render(report: &Report) -> String {
    ReportFormat::Nagios.render(report, &RenderOptions::default())
}

fn one(name: &str) -> Report {
    let mut all = cases::all().into_iter();
    all.find(|(case, _)| *case == name).unwrap().1
}

/// `'label'=value[UOM];[warn];[crit];[min];[max]`, by the guidelines.
fn check_perfdata(data: &str) {
    for item in data.split(' ') {
        let (label, values) = item.split_once('=').unwrap();
        assert!(label.len() <= 19 && !label.contains(['\'', '=']), "{item}");
        let fields: Vec<_> = values.split(';').collect();
        assert!(fields.len() <= 5, "{item}");
        for field in fields {
            assert!(field.is_empty() || field.parse::<u64>().is_ok(), "{item}");
        }
    }
}

#[test]
fn one_line_with_perfdata() {
    for (name, report) in cases::all() {
        let text = render(&report);
        assert_eq!(text.lines().count(), 1, "{name}");
        let (said, data) = text.trim_end().split_once(" | ").unwrap();
        assert!(
            !data.contains('|') && said.starts_with("IOALIGN "),
            "{text}"
        );
        let word = said.split(' ').nth(1).unwrap();
        assert_eq!(word, Status::of(&report).word(), "{text}");
        check_perfdata(data);
    }
}

#[test]
fn the_sentence_has_the_arithmetic() {
    let text = render(&one("sector63"));
    // The finding's rule of the hand-built case is no `start-…`: its own sentence is shown.
    assert!(
        text.starts_with("IOALIGN WARNING - 1 of 3 partitions misaligned: p1 starts at sector 63"),
        "{text}"
    );
    assert!(
        text.contains("misaligned=2;0;;0;3 broken=0;;0;0;3"),
        "{text}"
    );
    let mut report = one("sector63");
    for finding in &mut report.targets[0].findings {
        finding.rule = "start-misaligned";
    }
    let text = render(&report);
    let wanted = "IOALIGN WARNING - 1 of 3 partitions misaligned: p1 start 63s is 3584 B past a \
                  4096 B boundary (and 1 more) | ";
    assert!(text.starts_with(wanted), "{text}");
    assert!(text.trim_end().ends_with("scanned=3;;;0"), "{text}");
}

#[test]
fn fine_unknown_and_unreadable() {
    let text = render(&one("aligned"));
    assert!(
        text.starts_with("IOALIGN OK - 2 partitions aligned")
            || text.starts_with("IOALIGN OK - 1 partition aligned"),
        "{text}"
    );
    assert!(text.contains("bogus_hints=1"), "{text}");
    let text = render(&one("unreadable"));
    assert!(
        text.starts_with("IOALIGN UNKNOWN - broken.vhdx cannot be read: "),
        "{text}"
    );
    assert!(text.contains("unreadable=1;;;0;1"), "{text}");
    let text = render(&Report::default());
    assert!(
        text.starts_with("IOALIGN UNKNOWN - nothing was found"),
        "{text}"
    );
}

#[test]
fn a_waived_partition_is_not_aligned() {
    let mut report = one("sector63");
    for finding in &mut report.targets[0].findings {
        finding.waived = Some(Waiver {
            reason: "vendor image".to_owned(),
            expires: "2099-12-31".to_owned(),
        });
    }
    report.targets[0].verdict = Severity::Ok;
    let text = render(&report);
    assert!(
        text.starts_with("IOALIGN OK - 1 of 3 partitions aligned"),
        "{text}"
    );
}

#[test]
fn a_device_that_is_in_two_targets_is_counted_once() {
    let report = one("aligned");
    let mut twice = report.clone();
    twice.targets.extend(report.targets.clone());
    let said = |report: &Report| render(report).split(" | ").next().unwrap().to_owned();
    let (once, twice) = (said(&report), said(&twice));
    let count = |text: &str| text.split(" partition").next().unwrap().to_owned();
    assert_eq!(count(&once), count(&twice), "{once}");
}

#[test]
fn a_defect_outranks_what_cannot_be_read() {
    let report = one("forty");
    assert!(report.errors() > 0);
    assert_eq!(Status::of(&report), Status::Warning);
    assert!(
        render(&report).contains("guest.vhd: "),
        "{}",
        render(&report)
    );
}

#[test]
fn long_output_only_with_v_and_bounded() {
    let options = RenderOptions {
        verbosity: Verbosity::Verbose,
        max_rows: 5,
        ..RenderOptions::default()
    };
    let text = ReportFormat::Nagios.render(&one("forty"), &options);
    assert_eq!(text.lines().count(), 7, "{text}");
    assert_eq!(text.matches('|').count(), 1, "{text}");
    assert!(
        text.lines().nth(1).unwrap().contains("misaligned"),
        "{text}"
    );
    assert!(text.lines().last().unwrap().ends_with(" more"), "{text}");
}

#[test]
fn names_from_disks_break_nothing() {
    for report in super::hostile::reports() {
        let options = RenderOptions {
            verbosity: Verbosity::Verbose,
            ..RenderOptions::default()
        };
        let text = ReportFormat::Nagios.render(&report, &options);
        let (said, rest) = text.split_once(" | ").unwrap();
        assert!(!rest.contains('|') && !said.contains('|'), "{text}");
        assert!(!text.contains(['<', '`', '$']), "{text}");
        assert!(
            !text.contains(|c: char| c.is_control() && c != '\n'),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() < 1000),
            "{text}"
        );
        check_perfdata(rest.lines().next().unwrap());
    }
}

fn waived(mut target: Target) -> Report {
    for finding in &mut target.findings {
        finding.waived = Some(Waiver {
            reason: "moves in May".to_owned(),
            expires: "2999-12-31".to_owned(),
        });
    }
    target.verdict = Severity::Ok;
    cases::report(vec![target])
}

#[test]
fn waived_findings_do_not_count() {
    let text = render(&waived(cases::sector63()));
    assert!(text.starts_with("IOALIGN OK - "), "{text}");
    assert!(
        text.contains("3 waived findings") && text.contains("waived=3"),
        "{text}"
    );
    assert!(text.contains("misaligned=0;0;"), "{text}");
}

#[test]
fn a_policy_decides_what_counts() {
    let mut report = one("sector63");
    report.fail = FailOn {
        severity: Severity::Broken,
        rules: Vec::new(),
    };
    assert_eq!(Status::of(&report), Status::Ok);
    report.fail.rules = vec!["partition-off-grid".to_owned()];
    assert_eq!(Status::of(&report), Status::Warning);
    assert_eq!(report.verdict(), Severity::Misaligned, "facts stay facts");
}
