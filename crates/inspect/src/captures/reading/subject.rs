//! Which device an output speaks of that does not say so itself.
//!
//! The name stands in the command line above the output (`# dumpe2fs -h /dev/sda1`), in the header that
//! `head` and our own bundles write (`==> file <==`), or in the file name of a support bundle
//! (`mdadm_-E_.dev.sdb1`: sos writes `/` as `.` and other signs as `_`).

use crate::captures::Text;

/// The device that is spoken of while the lines of a text go by.
pub struct Subject<'a> {
    tools: &'a [&'a str],
    current: Option<String>,
    given: Option<String>,
}

impl<'a> Subject<'a> {
    /// For the output of `tools`: a command, or a word that only its command lines have (`luksDump`).
    pub fn new(text: &Text, tools: &'a [&'a str]) -> Self {
        Self {
            tools,
            current: None,
            given: text.subject.clone(),
        }
    }

    /// Looks at a line; whether it names a device, so that what came before it is over.
    pub fn see(&mut self, line: &str) -> bool {
        if let Some(file) = header(line) {
            self.current = of_file(file);
            return true;
        }
        let found = in_command(line, self.tools);
        let seen = found.is_some();
        if seen {
            self.current = found;
        }
        seen
    }

    /// The device of the output that begins now; empty when nothing names it.
    pub fn take(&mut self) -> String {
        let name = self.current.take().or_else(|| self.given.clone());
        name.unwrap_or_default()
    }
}

/// The file of `==> file <==`.
pub(crate) fn header(line: &str) -> Option<&str> {
    line.trim()
        .strip_prefix("==>")?
        .strip_suffix("<==")
        .map(str::trim)
}

/// The device in the file name of a bundle: `dumpe2fs_-h_.dev.mapper.vg-root` is about
/// `/dev/mapper/vg-root`.
pub fn of_file(path: &str) -> Option<String> {
    let file = path.rsplit('/').next()?;
    let (_, rest) = file.split_once(".dev.")?;
    let name = match rest.strip_prefix("mapper.") {
        Some(name) => format!("mapper/{}", upto(name, "_-")),
        None => upto(rest, "_").to_owned(),
    };
    (!name.is_empty()).then(|| format!("/dev/{name}"))
}

fn upto<'a>(text: &'a str, end: &str) -> &'a str {
    text.split(end).next().unwrap_or(text)
}

/// The device that a command line names, when it runs one of `tools`. Prose that names the tool
/// counts when it has a path below `/dev`.
pub(crate) fn in_command(line: &str, tools: &[&str]) -> Option<String> {
    let mut words = line.split_whitespace().peekable();
    let first = words.peek().copied();
    let mut prompted = first.is_some_and(|word| runs(word, tools));
    let (mut found, mut fresh) = (false, false);
    let mut device = None;
    for word in words {
        let word = word.strip_prefix("--name=").unwrap_or(word);
        // `tune2fs 1.47.0 (5-Feb-2023)`: a tool that introduces itself.
        if std::mem::take(&mut fresh) && word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        if found && matches!(word, "|" | ">" | ">>" | ";" | "&&" | "2>&1" | "2>/dev/null") {
            break;
        }
        if !found {
            prompted |= is_prompt(word);
            found = runs(word, tools);
            fresh = found;
        } else if is_path(word)
            || (prompted && !word.starts_with('-') && !device.is_some_and(is_path))
        {
            device = Some(word);
        }
    }
    let device = device?.trim_end_matches([':', ',', ';', '`', '\'', '"', ')']);
    (!device.is_empty()).then(|| device.to_owned())
}

fn is_path(word: &str) -> bool {
    word.starts_with("/dev/")
}

fn runs(word: &str, tools: &[&str]) -> bool {
    let word = word.rsplit('/').next().unwrap_or(word);
    tools.contains(&word.trim_start_matches(['#', '$', '`', '\'', '"']))
}

/// The end of a shell prompt, or what stands before a command.
fn is_prompt(word: &str) -> bool {
    word.ends_with(['#', '$', '%', '>']) || matches!(word, "sudo" | "doas")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_their_device() {
        for (line, device) in [
            ("# mdadm -E /dev/sdb1", "/dev/sdb1"),
            (
                "root@host:~# /sbin/mdadm -E /dev/sdb1 | grep Offset",
                "/dev/sdb1",
            ),
            ("$ sudo mdadm --examine disk.img", "disk.img"),
            ("mdadm -E fixture", "fixture"),
            ("this is what mdadm says of /dev/sdb1:", "/dev/sdb1"),
        ] {
            assert_eq!(
                in_command(line, &["mdadm"]).as_deref(),
                Some(device),
                "{line}"
            );
        }
        assert_eq!(in_command("the mdadm output follows", &["mdadm"]), None);
        assert_eq!(in_command("mdadm 4.2 (x)", &["mdadm"]), None);
        assert_eq!(in_command("# cat /dev/sdb1", &["mdadm"]), None);
    }

    #[test]
    fn files_of_bundles_name_their_device() {
        for (file, device) in [
            ("sos_commands/md/mdadm_-E_.dev.sdb1", "/dev/sdb1"),
            (
                "dumpe2fs_-h_.dev.mapper.vg-lv_root",
                "/dev/mapper/vg-lv_root",
            ),
            ("smartctl_--all_.dev.sda_-j", "/dev/sda"),
        ] {
            assert_eq!(of_file(file).as_deref(), Some(device), "{file}");
        }
        assert_eq!(of_file("proc/mdstat"), None);
        assert_eq!(header("==> a/b <=="), Some("a/b"));
    }
}
