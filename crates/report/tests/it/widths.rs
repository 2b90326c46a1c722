//! Text never leaves the page, whatever the width, and quiet is one line.

use ioalign_report::{RenderOptions, ReportFormat, Verbosity};
use unicode_width::UnicodeWidthStr;

use super::cases;

#[test]
fn no_line_is_wider_than_the_page() {
    for (name, report) in cases::all() {
        for width in [40, 60, 80, 120] {
            for verbosity in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
                for ascii in [false, true] {
                    let options = RenderOptions {
                        width,
                        verbosity,
                        ascii,
                        ..RenderOptions::default()
                    };
                    let text = ReportFormat::Text.render(&report, &options);
                    assert!(!ascii || text.is_ascii(), "{name} is not ASCII");
                    for line in text.lines() {
                        // Scripts read it: it is not cut.
                        assert!(
                            verbosity == Verbosity::Quiet || line.width() <= width,
                            "{name} at {width}: {line}"
                        );
                        assert_eq!(line, line.trim_end(), "{name}: white space at the end");
                    }
                }
            }
        }
    }
}

/// The longest finding of the default view, at the narrowest usual width.
#[test]
fn a_finding_has_at_most_six_lines() {
    for (name, report) in cases::all()
        .into_iter()
        .filter(|(_, report)| report.targets.len() == 1)
    {
        for width in [60, 80, 100, 140] {
            let options = RenderOptions {
                width,
                ..RenderOptions::default()
            };
            let text = ReportFormat::Text.render(&report, &options);
            let blocks = text
                .split("\n\n")
                .filter(|block| block.starts_with("MISALIGNED") || block.starts_with("SUBOPTIMAL"));
            for block in blocks {
                assert!(block.lines().count() <= 6, "{name} at {width}:\n{block}");
                assert!(block.contains("next: "), "{name} at {width}:\n{block}");
            }
            assert!(
                text.lines().count() <= 30,
                "{name} at {width} is more than a screen:\n{text}"
            );
        }
    }
}

#[test]
fn quiet_is_one_line() {
    let options = RenderOptions {
        verbosity: Verbosity::Quiet,
        ..RenderOptions::default()
    };
    for (name, report) in cases::all() {
        let text = ReportFormat::Text.render(&report, &options);
        assert_eq!(text.lines().count(), 1, "{name}: {text}");
    }
}

#[test]
fn colour_only_adds_escapes() {
    for (name, report) in cases::all() {
        let plain = ReportFormat::Text.render(&report, &RenderOptions::default());
        let color = RenderOptions {
            color: true,
            ..RenderOptions::default()
        };
        let color = ReportFormat::Text.render(&report, &color);
        assert_eq!(strip(&color), plain, "{name}");
    }
}

/// Without `ESC [ … m`.
fn strip(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    out
}
