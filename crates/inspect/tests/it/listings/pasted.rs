//! Every listing as it arrives in tickets: carriage returns, colours, quoting, prose, translated
//! numbers, wrapped lines. The layers and findings stay the same.

use ioalign_core::judge::{JudgeOptions as Judge, judge};
use ioalign_inspect::assemble::{AssembleOptions, evidence};
use ioalign_inspect::captures::{FORMATS, Text};

use super::samples::SAMPLES;

/// What the report is made of: layers, grids, findings, as they are shown.
fn judged(text: &str) -> (Vec<&'static str>, String) {
    let mut said = ioalign_inspect::captures::TextEvidence::default();
    ioalign_inspect::captures::read(&Text::new(text.as_bytes()), None, &mut said).unwrap();
    let read = said.read.clone();
    let stack = evidence(said, &AssembleOptions::default()).stack;
    let judgement = judge(&stack, &Judge::default());
    let shown = format!(
        "{:?} {:#?} {:#?} {:#?}",
        judgement.verdict,
        stack.layers().collect::<Vec<_>>(),
        stack.grids,
        judgement.findings,
    );
    (read, shown)
}

type Change = fn(&str) -> String;

/// What a paste goes through.
const CHANGES: &[(&str, Change)] = &[
    ("carriage returns", |text| text.replace('\n', "\r\n")),
    ("no line end at the end", |text| text.trim_end().to_owned()),
    ("colours", |text| {
        lines(text, |line| format!("\u{1b}[1;34m{line}\u{1b}[0m\u{1b}[K"))
    }),
    ("quoted in a mail", |text| {
        lines(text, |line| format!("> {line}"))
    }),
    ("quoted twice", |text| {
        lines(text, |line| format!("> > {line}"))
    }),
    ("trailing spaces", |text| {
        lines(text, |line| format!("{line}   "))
    }),
    ("indented", |text| lines(text, |line| format!("    {line}"))),
    ("a ticket around it", |text| {
        format!(
            "Hello,\n\nthe server is slow since Monday: 2 of 3 users say so.\n\n{text}\n\nAny idea? Thanks!\n-- \nAdmin\n"
        )
    }),
    ("a ticket in German, with CR-LF", |text| {
        format!(
            "Guten Tag,\r\n\r\nder Server ist zu langsam (1,5 s pro Abfrage):\r\n\r\n{}\r\nGr\u{fc}\u{df}e\r\n",
            text.replace('\n', "\r\n")
        )
    }),
    ("a fence of Markdown", |text| format!("```\n{text}```\n")),
    ("quoted without a space", |text| {
        lines(text, |line| format!(">{line}"))
    }),
    ("commented out", |text| {
        lines(text, |line| format!("# {line}"))
    }),
    ("a mail in quoted-printable", |text| {
        let coded = text.replace('=', "=3D");
        format!(
            "a =3D b\n\n{}",
            lines(&coded, |line| line.replacen(' ', " =\n", 1))
        )
    }),
    ("a page", |text| {
        let coded = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        format!("<pre><code class=\"lang\">{coded}</code></pre><p>")
    }),
    ("a byte order mark", |text| format!("\u{feff}{text}")),
];

fn lines(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

#[test]
fn pastes_are_read_like_the_output_itself() {
    let mut wrong = Vec::new();
    for sample in SAMPLES {
        let (read, clean) = judged(sample.text);
        assert!(
            read.contains(&command(sample.format)),
            "{}: {read:?}",
            sample.format
        );
        for (name, change) in CHANGES {
            let (again, changed) = judged(&change(sample.text));
            if again != read || changed != clean {
                wrong.push(format!("{} with {name}: {again:?}", sample.format));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Commas for points in what is rounded, as de_DE and fr_FR print it; the exact numbers stay.
#[test]
fn decimal_commas_are_read_like_points() {
    let mut wrong = Vec::new();
    for sample in SAMPLES.iter().filter(|sample| sample.translated) {
        let (read, clean) = judged(sample.text);
        let commas = localised(sample.text, ',');
        if judged(&commas) != (read, clean) {
            wrong.push(format!("{}\n{commas}", sample.format));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A point between digits, where the number has no second one, becomes `sign`.
fn localised(text: &str, sign: char) -> String {
    let words = text.split_inclusive(|c: char| c.is_whitespace() || "();|,".contains(c));
    words
        .map(|word| {
            let number = word.trim_matches(|c: char| !c.is_ascii_digit());
            let parts: Vec<_> = number.split('.').collect();
            let plain = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
            if parts.len() == 2 && parts.iter().all(plain) && !word.starts_with('/') {
                word.replace('.', &sign.to_string())
            } else {
                word.to_owned()
            }
        })
        .collect()
}

/// Digits in groups, with the signs of en_US, de_DE, de_CH, fr_FR and what a mail makes of the last.
#[test]
fn grouped_digits_are_one_number() {
    for (format, english) in GROUPED {
        let (read, clean) = judged(english);
        assert!(read.contains(&command(format)), "{format}: {read:?}");
        for sign in [".", "'", "\u{2019}", "\u{202f}", "\u{a0}"] {
            let text = english.replace(',', sign);
            assert_eq!(
                judged(&text),
                (read.clone(), clean.clone()),
                "{format} {text}"
            );
        }
    }
}

/// Programs of Windows group the digits of long numbers.
const GROUPED: &[(&str, &str)] = &[
    (
        "msinfo32",
        "Description\tDisk drive\nBytes/Sector\t512\nPartitions\t1\n\
         Partition\tDisk #0, Partition #0\nPartition Size\t104,857,600 bytes\n\
         Partition Starting Offset\t1,048,576 bytes\n",
    ),
    (
        "fsutil",
        "C:\\> fsutil fsinfo ntfsinfo c:\nNTFS Volume Serial Number :        0x2e1cc3b41cc37563\n\
         Total Sectors :                    976,773,119\nBytes Per Sector  :                512\n\
         Bytes Per Physical Sector :        4096\nBytes Per Cluster :                65536\n",
    ),
];

fn command(format: &str) -> &'static str {
    let found = FORMATS.iter().find(|own| own.name == format);
    found
        .unwrap_or_else(|| panic!("no format {format}"))
        .command
}

/// Mail programs break lines at 78 columns; where a row is longer, its parts belong together.
#[test]
fn wrapped_lines_are_put_together() {
    for sample in SAMPLES.iter().filter(|sample| sample.wraps) {
        let (read, clean) = judged(sample.text);
        let wrapped = wrap(sample.text, 78);
        assert_ne!(
            wrapped, sample.text,
            "{}: nothing is long in it",
            sample.format
        );
        assert_eq!(
            judged(&wrapped),
            (read, clean),
            "{}\n{wrapped}",
            sample.format
        );
    }
}

/// Breaks lines at the last space before the column.
fn wrap(text: &str, column: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut rest = line;
        while rest.chars().count() > column {
            let limit = rest
                .char_indices()
                .nth(column)
                .map_or(rest.len(), |(at, _)| at);
            let Some(at) = rest[..limit].rfind(' ').filter(|at| *at > 0) else {
                break;
            };
            out += rest[..at].trim_end();
            out.push('\n');
            rest = &rest[at + 1..];
        }
        out += rest;
        out.push('\n');
    }
    out
}

#[test]
fn every_listing_has_a_sample() {
    let listings: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    let first = listings
        .iter()
        .position(|name| *name == "lsblk-json")
        .unwrap();
    for name in &listings[first..] {
        assert!(
            SAMPLES.iter().any(|sample| sample.format == *name),
            "{name} has no sample"
        );
    }
}
