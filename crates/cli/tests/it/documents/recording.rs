//! `docs/session.svg`: a terminal that shows the main commands of the tutorial, one screen after the other, without a script.
//!
//! It is made from the page, whose outputs another test compares with those of the program.

use std::fmt::Write as _;

use super::page::{PagePart, parts};
use super::{root, text};

const PAGE: &str = "docs/tutorial.md";
const PICTURE: &str = "docs/session.svg";
/// The commands that are shown, by their first words and how often they come before.
const SHOWN: [(&str, usize); 4] = [
    ("ioalign check db.img", 0),
    ("ioalign simulate compare", 0),
    ("ioalign fix", 1),
    ("ioalign check db.img", 2),
];
/// Pixels of a column, of a row.
const COLUMN: usize = 8;
const ROW: usize = 18;
const COLUMNS: usize = 102;
/// Milliseconds of a screen, and more of them for each line.
const TIME: usize = 2000;
const TIME_A_LINE: usize = 350;

struct Screen {
    command: String,
    lines: Vec<String>,
}

#[test]
fn the_recorded_session_is_current() {
    let picture = picture(&screens());
    let path = root().join(PICTURE);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &picture).unwrap();
    }
    assert!(picture.len() < 500_000);
    let known = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        known == picture,
        "{PICTURE} is old: run this test with UPDATE_DOCS=1"
    );
}

fn screens() -> Vec<Screen> {
    let page = text(PAGE);
    let lines: Vec<_> = page.lines().collect();
    let mut all = Vec::new();
    for part in parts(&page) {
        if let PagePart::Session(session) = part {
            all.extend(session.steps.into_iter().map(|step| {
                Screen {
                    command: step.command,
                    lines: lines[step.said]
                        .iter()
                        .map(|line| (*line).to_owned())
                        .collect(),
                }
            }));
        }
    }
    let find = |(words, before): (&str, usize)| {
        let at = all
            .iter()
            .enumerate()
            .filter(|(_, screen)| screen.command.starts_with(words));
        at.map(|(at, _)| at).nth(before).unwrap()
    };
    let mut wanted: Vec<_> = SHOWN.into_iter().map(find).collect();
    let mut screens: Vec<_> = all.into_iter().map(Some).collect();
    wanted
        .drain(..)
        .filter_map(|at| screens[at].take())
        .collect()
}

fn picture(screens: &[Screen]) -> String {
    let rows = screens
        .iter()
        .map(|screen| screen.lines.len())
        .max()
        .unwrap_or(0)
        + 2;
    let (width, height) = (COLUMNS * COLUMN + 24, (rows + 1) * ROW + 16);
    let lasts = |screen: &Screen| TIME + TIME_A_LINE * screen.lines.len();
    let all: usize = screens.iter().map(lasts).sum();
    let share = |time: usize| format!("{}.{:02}%", time * 100 / all, time * 10_000 / all % 100);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" xml:space=\"preserve\" role=\"img\" aria-label=\"A recorded session: check, simulate, fix, check\">\n\
         <style>\ntext {{ font: 13.3px ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace; fill: #d6deeb; white-space: pre; }}\n\
         .p {{ fill: #7fdbca; }} .c {{ fill: #ffffff; font-weight: 600; }} .b {{ fill: #ff9e64; }} .g {{ fill: #9ece6a; }}\n\
         .s {{ visibility: hidden; animation: {all}ms step-end infinite; }}\n\
         @media (prefers-reduced-motion: reduce) {{ .s {{ animation: none; }} #s0 {{ visibility: visible; }} }}\n"
    );
    let mut begun = 0;
    for (at, screen) in screens.iter().enumerate() {
        let from = share(begun);
        begun += lasts(screen);
        let to = share(begun);
        let _ = writeln!(
            out,
            "#s{at} {{ animation-name: k{at}; }} @keyframes k{at} {{ 0% {{ visibility: {}; }} {from} {{ visibility: visible; }} {to} {{ visibility: hidden; }} }}",
            if at == 0 { "visible" } else { "hidden" }
        );
    }
    let _ = write!(
        out,
        "</style>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#11151c\"/>\n"
    );
    for (at, screen) in screens.iter().enumerate() {
        let _ = writeln!(out, "<g id=\"s{at}\" class=\"s\">");
        let command = escaped(&screen.command);
        let _ = writeln!(
            out,
            "<text x=\"12\" y=\"28\"><tspan class=\"p\">$ </tspan><tspan class=\"c\">{command}</tspan></text>"
        );
        for (row, line) in screen
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
        {
            let _ = writeln!(out, "{}", drawn(line, 28 + (row + 1) * ROW));
        }
        out.push_str("</g>\n");
    }
    out + "</svg>\n"
}

/// A line of output. Its width is said, because another font may have other columns.
fn drawn(line: &str, y: usize) -> String {
    let class = if line.contains(['✗', '!'])
        || line.starts_with("SUBOPTIMAL")
        || line.starts_with("suboptimal")
    {
        " class=\"b\""
    } else if line.contains('✓') || line.starts_with("ok") {
        " class=\"g\""
    } else {
        ""
    };
    let shown = line.trim_start();
    let indent = line.chars().count() - shown.chars().count();
    let x = 12 + indent * COLUMN;
    let length = shown.chars().count() * COLUMN;
    format!(
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\"{class}>{}</text>",
        escaped(shown)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
