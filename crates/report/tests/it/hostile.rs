//! Names and labels come from untrusted bytes: no medium may be attacked through them.

use ioalign_core::machine::{Machine, MachineDisk};
use ioalign_core::{Bytes, Confidence, Finding, Kind, Layer, Severity, Stack, Tier};
use ioalign_report::{
    ErrorInfo, RenderOptions, Report, ReportFormat, SourceKind, Target, Verbosity,
};
use unicode_width::UnicodeWidthStr;

use super::build::{grid, shift, target};

const EVIL: &str = "x\u{1b}[2J\u{9b}31m\r\n</text></svg><script>alert(1)</script>\"' onload=\"a\" \u{202e}gpj.\u{0}&amp;漢字\u{2028}";

fn evil(name: &str) -> Target {
    let mut stack = Stack::new();
    let disk = stack.push(Layer::new(Kind::Disk, name).sized(Bytes::new(1 << 30)));
    let part = Layer::new(Kind::Partition, name)
        .fact("label", name)
        .on(disk, shift(512));
    let part = stack.push(part.sized(Bytes::new(1 << 29)));
    let bogus = grid(disk, 1 << 20, Tier::Preference, name, name, Confidence::Low).distrusted(name);
    stack.grids = vec![
        grid(disk, 4096, Tier::Rmw, name, name, Confidence::High),
        bogus,
    ];
    let mut target = target(name, SourceKind::Image, stack);
    let mut finding = Finding::new("evil", Severity::Misaligned, name)
        .at(part)
        .step(format!("$ {name}"));
    finding.grid = Some(0);
    finding.offset = Some(Bytes::new(512));
    finding.unit = Some(Bytes::new(4096));
    target.findings = vec![finding.step(name)];
    target.verdict = Severity::Misaligned;
    target
}

pub fn reports() -> Vec<Report> {
    let mut error = evil(EVIL);
    error.error = Some(ErrorInfo {
        kind: EVIL.to_owned(),
        message: EVIL.to_owned(),
        path: Some(EVIL.to_owned()),
        offset: Some(u64::MAX),
        field: Some(EVIL.to_owned()),
    });
    let long = "漢".repeat(5000);
    let machine = Machine {
        host: EVIL.to_owned(),
        controllers: vec![EVIL.to_owned()],
        disks: vec![MachineDisk {
            model: EVIL.to_owned(),
            ..MachineDisk::default()
        }],
        ..Machine::default()
    };
    [
        vec![evil(EVIL)],
        vec![error],
        vec![evil(&long)],
        vec![evil(EVIL), evil(""), evil(&long), evil(EVIL)],
    ]
    .into_iter()
    .map(|targets| Report {
        targets,
        tool: EVIL.to_owned(),
        machine: Some(machine.clone()),
        ..Report::default()
    })
    .collect()
}

#[test]
fn text_has_no_control_characters() {
    for report in reports() {
        for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
            let options = RenderOptions {
                verbosity,
                ..RenderOptions::default()
            };
            let text = ReportFormat::Text.render(&report, &options);
            assert!(
                !text.contains(|c: char| c.is_control() && c != '\n'),
                "{text:?}"
            );
            assert!(!text.contains(['\u{202e}', '\u{2028}']));
            for line in text.lines().filter(|_| verbosity != Verbosity::Quiet) {
                assert!(line.width() <= 80, "{} columns: {line:?}", line.width());
            }
        }
    }
}

#[test]
fn markup_is_escaped() {
    for report in reports() {
        for format in [ReportFormat::Svg, ReportFormat::Html] {
            let text = format.render(&report, &RenderOptions::default());
            assert!(!text.contains("<script"), "{format}");
            assert!(!text.contains("\" onload"), "{format}");
            assert!(
                !text.contains(|c: char| c.is_control() && c != '\n'),
                "{format}"
            );
        }
    }
}

#[test]
fn json_keeps_the_name_and_hides_the_escapes() {
    for report in reports() {
        let text = ReportFormat::Json.render(&report, &RenderOptions::default());
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        assert!(!text.contains('\u{202e}'));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            value["targets"][0]["target"],
            report.targets[0].name.as_str()
        );
    }
}
