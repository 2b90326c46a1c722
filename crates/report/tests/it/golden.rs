//! Compares every renderer with committed output; `UPDATE_GOLDEN=1` writes it again.

use std::path::{Path, PathBuf};

use ioalign_report::{RenderOptions, Report, ReportFormat, Verbosity};

use super::cases;

/// Set to write the files instead of comparing.
const UPDATE: &str = "UPDATE_GOLDEN";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

pub fn check(name: &str, text: &str) {
    let path = folder().join(name);
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let known = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run with {UPDATE}=1", path.display()));
    let line = known.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(
        known == text,
        "{name} differs from line {}; look at the change, then run with {UPDATE}=1",
        line.map_or(known.lines().count().min(text.lines().count()), |line| line) + 1
    );
}

fn case(name: &str) -> Report {
    let all = cases::all();
    let found = all.into_iter().find(|(case, _)| *case == name);
    found.unwrap_or_else(|| panic!("no case {name}")).1
}

#[test]
fn text() {
    for (name, report) in cases::all() {
        check(
            &format!("{name}.txt"),
            &ReportFormat::Text.render(&report, &RenderOptions::default()),
        );
    }
}

#[test]
fn text_variants() {
    let verbose = RenderOptions {
        verbosity: Verbosity::Verbose,
        ..RenderOptions::default()
    };
    for name in ["sector63", "raid5", "vhd"] {
        check(
            &format!("{name}-verbose.txt"),
            &ReportFormat::Text.render(&case(name), &verbose),
        );
    }
    let wide = RenderOptions {
        width: 140,
        ..RenderOptions::default()
    };
    check(
        "raid5-140.txt",
        &ReportFormat::Text.render(&case("raid5"), &wide),
    );
    let plain = RenderOptions {
        ascii: true,
        width: 60,
        ..RenderOptions::default()
    };
    check(
        "sector63-ascii-60.txt",
        &ReportFormat::Text.render(&case("sector63"), &plain),
    );
    let color = RenderOptions {
        color: true,
        ..RenderOptions::default()
    };
    check(
        "sector63-color.txt",
        &ReportFormat::Text.render(&case("sector63"), &color),
    );
    let quiet = RenderOptions {
        verbosity: Verbosity::Quiet,
        ..RenderOptions::default()
    };
    let lines: String = cases::all()
        .iter()
        .map(|(_, report)| ReportFormat::Text.render(report, &quiet))
        .collect();
    check("quiet.txt", &lines);
}

#[test]
fn few_rows() {
    let few = RenderOptions {
        max_rows: 3,
        ..RenderOptions::default()
    };
    check(
        "forty-3-rows.txt",
        &ReportFormat::Text.render(&case("forty"), &few),
    );
}

#[test]
fn json() {
    for name in ["sector63", "vhd", "unreadable"] {
        check(
            &format!("{name}.json"),
            &ReportFormat::Json.render(&case(name), &RenderOptions::default()),
        );
    }
}

#[test]
fn svg() {
    for name in [
        "sector63",
        "aligned",
        "raid5",
        "vhd",
        "repaired",
        "unreadable",
    ] {
        check(
            &format!("{name}.svg"),
            &ReportFormat::Svg.render(&case(name), &RenderOptions::default()),
        );
    }
}

#[test]
fn html() {
    for name in ["sector63", "unreadable", "two"] {
        check(
            &format!("{name}.html"),
            &ReportFormat::Html.render(&case(name), &RenderOptions::default()),
        );
    }
}
