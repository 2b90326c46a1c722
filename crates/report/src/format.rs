//! The list of output formats: a format is a module with a `render` function and a row here.

use std::fmt;
use std::str::FromStr;

use crate::{Options, Report, html, json, junit, nagios, prometheus, sarif, svg, text};

/// A way to show a report.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
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
struct Row {
    format: Format,
    name: &'static str,
    media_type: &'static str,
    render: fn(&Report, &Options) -> String,
}

const ROWS: [Row; 8] = [
    Row {
        format: Format::Text,
        name: "text",
        media_type: "text/plain; charset=utf-8",
        render: text::render,
    },
    Row {
        format: Format::Json,
        name: "json",
        media_type: "application/json",
        render: json::render,
    },
    Row {
        format: Format::Html,
        name: "html",
        media_type: "text/html; charset=utf-8",
        render: html::render,
    },
    Row {
        format: Format::Svg,
        name: "svg",
        media_type: "image/svg+xml",
        render: svg::render,
    },
    Row {
        format: Format::Nagios,
        name: "nagios",
        media_type: "text/plain; charset=utf-8",
        render: nagios::render,
    },
    Row {
        format: Format::Prometheus,
        name: "prometheus",
        media_type: "text/plain; version=0.0.4; charset=utf-8",
        render: prometheus::render,
    },
    Row {
        format: Format::Sarif,
        name: "sarif",
        media_type: "application/sarif+json",
        render: sarif::render,
    },
    Row {
        format: Format::Junit,
        name: "junit",
        media_type: "application/xml",
        render: junit::render,
    },
];

impl Format {
    /// All formats, in the order of the help text.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.format)
    }

    fn row(self) -> &'static Row {
        // The first row only if a variant were without one, which a test rules out.
        ROWS.iter()
            .find(|row| row.format == self)
            .unwrap_or(&ROWS[0])
    }

    /// The word of `--format`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The media type for HTTP.
    pub fn media_type(self) -> &'static str {
        self.row().media_type
    }

    /// Shows `report`.
    pub fn render(self, report: &Report, options: &Options) -> String {
        (self.row().render)(report, options)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(pub String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = Format::all().map(Format::name).collect();
        write!(f, "`{}` is no format: try {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
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
            Format::Text,
            Format::Json,
            Format::Html,
            Format::Svg,
            Format::Nagios,
            Format::Prometheus,
            Format::Sarif,
            Format::Junit,
        ] {
            assert_eq!(format.row().format, format);
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("yaml".parse::<Format>().is_err());
    }
}
