//! Outputs in blocks: `/dev/sda1:` on a line of its own, then what is said of it, indented.

use crate::captures::Text;
use crate::captures::reading::subject::{Subject, header};

/// Lines of a block that are kept: a container of a hundred disks has about a thousand.
const MOST_LINES: usize = 1 << 14;

/// What is said of one device.
pub(super) struct DeviceText<'a> {
    /// As the text has it; empty where nothing names it.
    pub device: String,
    pub lines: Vec<&'a str>,
}

impl<'a> DeviceText<'a> {
    /// The value of the first line `key : value`.
    pub fn value(&self, key: &str) -> Option<&'a str> {
        self.pairs()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    /// All lines `key : value`.
    pub fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.lines
            .iter()
            .filter_map(|line| crate::captures::reading::pair(line))
    }
}

/// The blocks of `text`. A block ends at the next name, command line or file header.
pub(super) fn blocks<'a>(text: &'a Text, tools: &[&str]) -> Vec<DeviceText<'a>> {
    let mut subject = Subject::new(text, tools);
    let mut found: Vec<DeviceText<'a>> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if let Some(name) = name(line) {
            let device = name.to_owned();
            subject.take();
            found.push(DeviceText {
                device,
                lines: Vec::new(),
            });
            open = true;
        } else if subject.see(line) || header(line).is_some() {
            open = false;
        } else {
            if !open {
                let device = subject.take();
                found.push(DeviceText {
                    device,
                    lines: Vec::new(),
                });
                open = true;
            }
            if let Some(last) = found
                .last_mut()
                .filter(|block| block.lines.len() < MOST_LINES)
            {
                last.lines.push(line);
            }
        }
    }
    found
}

/// `/dev/sda1:` or `image.raw:` at the start of a line.
fn name(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    let plain = !name.is_empty() && !name.contains(char::is_whitespace) && !name.starts_with('[');
    (plain && (name.contains(['/', '.']) || name.starts_with("md"))).then_some(name)
}
