//! The list of output formats: a format is a module with a `render` function and a row here.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{RenderOptions, Report, html, json, junit, nagios, prometheus, sarif, svg, text};

/// A way to show a report.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For scripts, by the schema `ioalign.check/1`.
    Json,
    /// One self-contained web page.
    Html,
    /// The picture of the stack alone.
    Svg,
    /// One status line with performance data, by the Monitoring Plugins guidelines.
    Nagios,
    /// The text exposition format, for a textfile collector.
    Prometheus,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for the test page of a CI server.
    Junit,
}

/// The facts about a format.
struct FormatRow {
    format: ReportFormat,
    name: &'static str,
    /// The endings of files in this format.
    endings: &'static [&'static str],
    media_type: &'static str,
    render: fn(&Report, &RenderOptions) -> String,
}

const ROWS: [FormatRow; 8] = [
    FormatRow {
        format: ReportFormat::Text,
        name: "text",
        endings: &["txt"],
        media_type: "text/plain; charset=utf-8",
        render: text::render,
    },
    FormatRow {
        format: ReportFormat::Json,
        name: "json",
        endings: &["json"],
        media_type: "application/json",
        render: json::render,
    },
    FormatRow {
        format: ReportFormat::Html,
        name: "html",
        endings: &["html", "htm"],
        media_type: "text/html; charset=utf-8",
        render: html::render,
    },
    FormatRow {
        format: ReportFormat::Svg,
        name: "svg",
        endings: &["svg"],
        media_type: "image/svg+xml",
        render: svg::render,
    },
    FormatRow {
        format: ReportFormat::Nagios,
        name: "nagios",
        endings: &[],
        media_type: "text/plain; charset=utf-8",
        render: nagios::render,
    },
    FormatRow {
        format: ReportFormat::Prometheus,
        name: "prometheus",
        endings: &["prom"],
        media_type: "text/plain; version=0.0.4; charset=utf-8",
        render: prometheus::render,
    },
    FormatRow {
        format: ReportFormat::Sarif,
        name: "sarif",
        endings: &["sarif"],
        media_type: "application/sarif+json",
        render: sarif::render,
    },
    FormatRow {
        format: ReportFormat::Junit,
        name: "junit",
        endings: &["xml"],
        media_type: "application/xml",
        render: junit::render,
    },
];

impl ReportFormat {
    /// All formats, in the order of the help text.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.format)
    }

    fn row(self) -> &'static FormatRow {
        // The first row only if a variant were without one, which a test rules out.
        ROWS.iter()
            .find(|row| row.format == self)
            .unwrap_or(&ROWS[0])
    }

    /// The word of `--format`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The format that a file's ending names: `report.html`, `scan.sarif.json`.
    pub fn by_ending(file: &Path) -> Option<Self> {
        let ending = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        let last = ending(file)?;
        let inner = file.file_stem().and_then(|stem| ending(Path::new(stem)));
        let named = |word: &str| {
            ROWS.iter()
                .find(|row| row.endings.contains(&word))
                .map(|row| row.format)
        };
        match inner.as_deref().and_then(named) {
            Some(Self::Sarif) if last == "json" => Some(Self::Sarif),
            _ => named(&last),
        }
    }

    /// The media type for HTTP.
    pub fn media_type(self) -> &'static str {
        self.row().media_type
    }

    /// Shows `report`.
    pub fn render(self, report: &Report, options: &RenderOptions) -> String {
        (self.row().render)(report, options)
    }
}

impl fmt::Display for ReportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(pub String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = ReportFormat::all().map(ReportFormat::name).collect();
        write!(f, "`{}` is no format: try {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for ReportFormat {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::all()
            .find(|format| format.name() == word)
            .ok_or_else(|| UnknownFormat(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_own_row() {
        for format in [
            ReportFormat::Text,
            ReportFormat::Json,
            ReportFormat::Html,
            ReportFormat::Svg,
            ReportFormat::Nagios,
            ReportFormat::Prometheus,
            ReportFormat::Sarif,
            ReportFormat::Junit,
        ] {
            assert_eq!(format.row().format, format);
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("yaml".parse::<ReportFormat>().is_err());
    }

    #[test]
    fn an_ending_names_a_format() {
        for (file, format) in [
            ("page.html", Some(ReportFormat::Html)),
            ("a/REPORT.JSON", Some(ReportFormat::Json)),
            ("scan.sarif.json", Some(ReportFormat::Sarif)),
            ("node.prom", Some(ReportFormat::Prometheus)),
            ("junit.xml", Some(ReportFormat::Junit)),
            ("report.d", None),
            ("report", None),
        ] {
            assert_eq!(ReportFormat::by_ending(Path::new(file)), format, "{file}");
        }
    }
}
