//! The exposition, judged by promtool (Debian: prometheus).

use std::collections::BTreeSet;

use ioalign_core::Waiver;
use ioalign_report::{RenderOptions, Report, ReportFormat};

use super::cases;
use super::tools::complaint;

fn render(report: &Report) -> String {
    let mut report = report.clone();
    report.scanned_at_seconds = Some(1_700_000_000);
    ReportFormat::Prometheus.render(&report, &RenderOptions::default())
}

#[test]
fn promtool_has_nothing_to_say() {
    needs!(Packages);
    for (name, report) in cases::all() {
        let text = render(&report);
        let said = complaint("promtool", &["check", "metrics"], &text);
        assert_eq!(said, None, "{name}: {text}");
    }
}

#[test]
fn sorted_once_and_without_timestamps() {
    for (name, report) in cases::all() {
        let text = render(&report);
        assert!(text.ends_with('\n'));
        let mut families = BTreeSet::new();
        let mut series = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                assert!(families.insert(rest.to_owned()), "{name}: {line} twice");
            } else if !line.starts_with('#') {
                let (labels, value) = line.rsplit_once(' ').unwrap();
                assert!(value.parse::<f64>().is_ok(), "{line}");
                let plain = labels.ends_with('}') || !labels.contains(['{', ' ']);
                assert!(plain, "a timestamp? {line}");
                series.push(labels.to_owned());
            }
        }
        let distinct: BTreeSet<_> = series.iter().collect();
        assert_eq!(distinct.len(), series.len(), "{name}: a series twice");
        assert!(families.iter().eq(families.iter().collect::<BTreeSet<_>>()));
    }
}

#[test]
fn the_metrics_of_one_image() {
    let text = render(&cases::report(vec![cases::sector63()]));
    for line in [
        "ioalign_partition_offset_bytes{device=\"p1\",target=\"images/old/winxp.img\",unit=\"physical\"} 3584",
        "ioalign_partition_aligned{device=\"p1\",target=\"images/old/winxp.img\"} 0",
        "ioalign_partition_aligned{device=\"p3\",target=\"images/old/winxp.img\"} 1",
        "ioalign_finding{device=\"p1\",rule=\"partition-off-grid\",severity=\"misaligned\",target=\"images/old/winxp.img\"} 1",
        "ioalign_target_verdict{target=\"images/old/winxp.img\",verdict=\"misaligned\"} 1",
        "ioalign_target_readable{target=\"images/old/winxp.img\"} 1",
        "ioalign_target_scan_duration_seconds{target=\"images/old/winxp.img\"} 0.004812",
        "ioalign_last_scan_timestamp_seconds 1700000000",
        "ioalign_build_info{version=\"0.1.0\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn the_metrics_of_a_device_that_lies() {
    let text = render(&cases::report(vec![cases::aligned()]));
    for line in [
        "ioalign_hint_bogus{device=\"sda\",hint=\"optimal-io\",target=\"/dev/sda\"} 1",
        "ioalign_device_info{device=\"sda\",firmware=\"\",iu=\"\",iu_source=\"\",logical=\"512\",model=\"WDC WD10EZEX\",physical=\"4096\",target=\"/dev/sda\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn waived_findings_have_a_metric_of_their_own() {
    let mut target = cases::sector63();
    for finding in &mut target.findings {
        finding.waived = Some(Waiver {
            reason: String::new(),
            expires: String::new(),
        });
    }
    let text = render(&cases::report(vec![target]));
    assert!(!text.contains("ioalign_finding{"), "{text}");
    assert!(text.contains("ioalign_finding_waived{"), "{text}");
    assert!(
        text.contains("ioalign_partition_aligned{device=\"p1\",target=\"images/old/winxp.img\"} 0")
    );
}

#[test]
fn names_from_disks_break_nothing() {
    needs!(Packages);
    for report in super::hostile::reports() {
        let text = render(&report);
        let said = complaint("promtool", &["check", "metrics"], &text);
        assert_eq!(said, None, "{text}");
        assert!(
            text.lines().all(|line| line.len() < 4000),
            "labels are bounded"
        );
    }
}
