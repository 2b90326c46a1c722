//! The one list of fuzz subjects: every reader of untrusted bytes.

mod boot;
mod containers;
mod convert;
mod formats;
mod journals;
mod nbd;
mod ovf;
mod push;
mod recording;
mod texts;
mod traces;
mod trees;

use std::path::PathBuf;

use crate::subject::Subject;

/// All subjects. Folders of seeds with a `sys` in them are captured hosts: `trees/hosts` starts from them.
pub fn all(folders: &[PathBuf]) -> Vec<Subject> {
    let rooms = [
        formats::all(),
        recording::all(),
        texts::all(),
        traces::all(),
        trees::all(folders),
        journals::all(),
        boot::all(),
        convert::all(),
        ovf::all(),
        containers::all(),
        nbd::all(),
        push::all(),
    ];
    rooms.into_iter().flatten().collect()
}

/// The subjects with this name, or of this room: `gpt`, `tables/gpt`, `tables`.
///
/// # Panics
/// Where there is none; the message lists all.
pub fn named(name: &str) -> Vec<Subject> {
    let mut all = all(&[]);
    let titles: Vec<_> = all.iter().map(Subject::title).collect();
    all.retain(|subject| subject.is(name));
    assert!(
        !all.is_empty(),
        "there is no subject {name:?}; there are {}",
        titles.join(", ")
    );
    all
}

#[cfg(test)]
mod tests {
    use ioalign_inspect::{captures, filesystems, images, tables, volumes};
    use ioalign_repair::container::ImageFormat;

    use super::*;

    #[test]
    fn every_reader_has_a_subject() {
        // A raw image has no headers to damage.
        let containers = ImageFormat::ALL.into_iter();
        let containers = containers.filter(|format| *format != ImageFormat::Raw);
        // "simulator" asks which simulator is meant, and reads nothing.
        let traces = ioalign_observe::formats::FORMATS
            .iter()
            .filter(|format| format.name != "simulator");
        let lists: [(&str, Vec<&str>); 7] = [
            ("images", images::FORMATS.iter().map(|one| one.0).collect()),
            ("tables", tables::FORMATS.iter().map(|one| one.0).collect()),
            (
                "volumes",
                volumes::FORMATS.iter().map(|one| one.0).collect(),
            ),
            (
                "filesystems",
                filesystems::FORMATS.iter().map(|one| one.0).collect(),
            ),
            (
                "captures",
                captures::FORMATS.iter().map(|one| one.name).collect(),
            ),
            ("traces", traces.map(|one| one.name).collect()),
            ("containers", containers.map(ImageFormat::name).collect()),
        ];
        let all = all(&[]);
        for (room, mut readers) in lists {
            let subjects = all.iter().filter(|subject| subject.room == room);
            let mut subjects: Vec<_> = subjects.map(|subject| subject.name).collect();
            subjects.sort_unstable();
            readers.sort_unstable();
            assert_eq!(subjects, readers, "{room}");
        }
    }
}
