//! The documents: what they show is what the program says, every option that they name exists, and every link leads
//! somewhere.
//!
//! A fence ` ```console ` is a session: lines that begin with `$ ` are run by `sh`, in one folder a page, and what follows
//! is compared. A line `…` stands for any lines. A word behind `console` says more: `figures` (numbers, units and where
//! lines break are not compared), or why the session is not run (`NOT_RUN`). The files that a page uses are made by the
//! comments `<!-- setup`, which are run in their place too.
//!
//! `UPDATE_DOCS=1` writes what was said into the pages; `IOALIGN_PAGE=check.md` runs one page.

mod compare;
mod links;
mod options;
mod page;
mod recording;
mod session;
mod summary;

use std::path::{Path, PathBuf};

use super::PROGRAM;

/// Words behind `console` that leave a session out, with the reason.
const NOT_RUN: [(&str, &str); 5] = [
    ("vm", "boots a virtual machine for minutes"),
    ("host", "needs another host, or a server that runs on"),
    ("device", "needs a device, a load or a kernel of its own"),
    (
        "measured",
        "its words depend on what was measured, not its figures alone",
    ),
    ("build", "builds the project"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages: those of the book, and those beside sources that it links to. Names are relative to the root.
fn pages() -> Vec<String> {
    let mut names = Vec::new();
    for folder in [
        "",
        "docs",
        "docs/lab",
        "docs/sources",
        "docs/howto",
        "contrib",
        "benches",
        "fuzz",
    ] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        let files = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let texts = files.filter(|file| file.ends_with(".md"));
        names.extend(texts.map(|file| {
            format!("{folder}/{file}")
                .trim_start_matches('/')
                .to_owned()
        }));
    }
    names.sort();
    names
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// Where the program lies.
fn program_folder() -> &'static str {
    PROGRAM.rsplit_once('/').map_or(".", |(folder, _)| folder)
}
