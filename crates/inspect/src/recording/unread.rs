//! Items that could not be read on the host, so that a bundle reports the same as the host.
//!
//! `ioalign/unread` has a line each, fields between tabs: the path, why, and for a part of a device
//! where it begins, how long it is and where the error was.

use crate::trail::ReadFault;

/// The file in a bundle.
pub const UNREAD: &str = "ioalign/unread";

/// A file, device or part of a device that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreadable {
    /// Relative to the root.
    pub path: String,
    /// Why, in the system's words.
    pub why: String,
    /// Start, length and place of the error, in bytes; `None`: all of it.
    pub part: Option<(u64, u64, u64)>,
}

impl Unreadable {
    /// Reads a line.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let (path, why) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let mut number = || fields.next()?.parse().ok();
        let part = number().and_then(|at| Some((at, number()?, number()?)));
        Some(Self { path, why, part })
    }

    /// The line.
    fn line(&self) -> String {
        let (path, why) = (plain(&self.path), plain(&self.why));
        match self.part {
            None => format!("{path}\t{why}\n"),
            Some((at, len, place)) => format!("{path}\t{why}\t{at}\t{len}\t{place}\n"),
        }
    }

    /// The same as a fault of a device.
    fn fault(&self) -> Option<ReadFault> {
        let (at, len, place) = self.part?;
        Some(ReadFault {
            device: 0,
            at,
            len: usize::try_from(len).ok()?,
            place,
            why: self.why.clone(),
        })
    }
}

/// Tabs and line ends would make other fields of it.
fn plain(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

/// The file for these.
pub fn text(list: &[Unreadable]) -> String {
    list.iter().map(Unreadable::line).collect()
}

/// What the file's text lists.
pub fn list(text: &str) -> Vec<Unreadable> {
    text.lines().filter_map(Unreadable::parse).collect()
}

/// Why the whole of `path` could not be read, by the file's text.
pub fn why(text: &str, path: &str) -> Option<String> {
    let whole = |item: &Unreadable| item.path == path && item.part.is_none();
    text.lines()
        .filter_map(Unreadable::parse)
        .find(whole)
        .map(|item| item.why)
}

/// The parts of `path` that could not be read.
pub fn faults(text: &str, path: &str) -> Vec<ReadFault> {
    text.lines()
        .filter_map(Unreadable::parse)
        .filter(|item| item.path == path)
        .filter_map(|item| item.fault())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        let item = |path: &str, part| Unreadable {
            path: path.to_owned(),
            why: "no\tpermission".to_owned(),
            part,
        };
        let list = [
            item("dev/sda", None),
            item("dev/sdb", Some((4096, 512, 4096))),
        ];
        let text = text(&list);
        assert_eq!(why(&text, "dev/sda").as_deref(), Some("no permission"));
        assert_eq!(why(&text, "dev/sdb"), None);
        let found = faults(&text, "dev/sdb");
        assert_eq!(found.first().map(|f| (f.at, f.len)), Some((4096, 512)));
        assert_eq!(super::list(&text).len(), 2);
        assert!(faults("dev/sdb\tx\t1\n", "dev/sdb").is_empty());
    }
}
