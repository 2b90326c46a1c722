//! A root that writes down what it answers, and one that was made of such notes.

use std::sync::Arc;

use super::{Notes, Root};
use crate::recording::{Frozen, UNREAD, Unreadable, unread};
use crate::view::View;
use crate::watched::Faulty;

/// The text of `ioalign/unread` that is looked at.
const MOST_UNREAD: u64 = 8 << 20;

impl Root {
    /// The same root, which writes down every answer from now on.
    #[must_use]
    pub fn recording(mut self) -> Self {
        self.notes = Some(Notes::default());
        self
    }

    /// What was asked and answered so far.
    pub fn recorded(&self) -> (Frozen, Vec<Unreadable>) {
        let Some(notes) = &self.notes else {
            return Default::default();
        };
        let (tree, mut unreadable) = notes.tree();
        // A copy of a copy lacks what the first one lacked.
        unreadable.extend(self.unread().map(unread::list).unwrap_or_default());
        unreadable.sort();
        unreadable.dedup();
        (tree, unreadable)
    }

    /// An attribute that is looked at and not written down.
    pub(crate) fn peek(&self, inside: &str) -> Option<String> {
        self.back.attr(inside).filter(|text| !text.is_empty())
    }

    /// The bytes of a file, the same way.
    pub(crate) fn peek_blob(&self, inside: &str, most: u64) -> Option<Vec<u8>> {
        self.back.bytes(inside, most).ok()
    }

    /// The names in a folder, the same way.
    pub(crate) fn peek_list(&self, inside: &str) -> Vec<String> {
        self.back.list(inside)
    }

    /// Whether answers are written down.
    pub(crate) const fn is_recording(&self) -> bool {
        self.notes.is_some()
    }

    /// Writes down a file for an answer that came by another way than by path.
    pub(crate) fn keep(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        if let Some(notes) = &self.notes {
            notes.made(path, bytes.into());
        }
    }

    /// Writes down a line `key<tab>value` of such a file.
    pub(crate) fn keep_line(&self, path: &str, key: &str, value: &dyn ToString) {
        if let Some(notes) = self.notes.as_ref().filter(|_| !key.contains(['\t', '\n'])) {
            notes.line(path, key, value.to_string());
        }
    }

    /// The value of such a line in a captured tree.
    pub(crate) fn kept_line(&self, path: &str, key: &str) -> Option<String> {
        let text = self.text(path).ok()?;
        let value = |line: &str| {
            let (found, value) = line.split_once('\t')?;
            (found == key).then(|| value.to_owned())
        };
        text.lines().find_map(value)
    }

    /// Writes down that something could not be read.
    pub(crate) fn keep_unread(&self, path: &str, why: &str) {
        if let Some(notes) = &self.notes {
            notes.unreadable(path, why);
        }
    }

    /// Why `inside` could not be read where the tree was captured.
    pub(crate) fn why_unread(&self, inside: &str) -> Option<String> {
        unread::why(self.unread()?, inside.trim_start_matches('/'))
    }

    /// A captured device that fails where the real one failed.
    pub(super) fn with_faults(&self, inside: &str, view: View) -> View {
        let faults = match self.unread() {
            Some(text) => unread::faults(text, inside.trim_start_matches('/')),
            None => Vec::new(),
        };
        if faults.is_empty() {
            return view;
        }
        View::new(Arc::new(Faulty::new(Arc::clone(view.source()), faults)))
    }

    fn unread(&self) -> Option<&str> {
        let read = || {
            let bytes = self.back.bytes(UNREAD, MOST_UNREAD).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        if self.is_live() {
            return None;
        }
        self.unread.get_or_init(read).as_deref()
    }
}

#[cfg(test)]
mod tests {
    use ioalign_testkit::files::put;

    use super::*;
    use crate::host::NoBytes;

    #[test]
    fn a_copy_fails_where_the_device_failed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| put(folder.path(), name, text);
        write("dev/sda", &[7; 8192]);
        write("dev/sdb", &[7; 8192]);
        write(
            UNREAD,
            b"dev/sda\tbad sector\t512\t512\t0\ndev/sdb\tno medium\n",
        );
        let root = Root::captured(folder.path()).unwrap();
        assert_eq!(
            root.readable("dev/sdb"),
            Err(NoBytes::Failed("no medium".to_owned()))
        );
        let view = root.view("dev/sda").unwrap();
        assert!(view.read(0, 512).is_ok());
        let error = view.read(512, 512).unwrap_err();
        assert!(error.full().contains("bad sector"), "{}", error.full());
        // A copy of the copy says the same.
        let root = root.recording();
        let view = root.view("dev/sda").unwrap();
        assert!(view.read(512, 512).is_err());
        let (_, unread) = root.recorded();
        assert_eq!(unread.len(), 2, "{unread:?}");
    }
}
