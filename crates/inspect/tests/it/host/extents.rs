//! FIEMAP against `filefrag`.

use std::io::{Seek, SeekFrom, Write};
use std::process::Command;

use ioalign_inspect::host::extents;

use crate::tools::run;

#[test]
fn extents_agree_with_filefrag() {
    needs!(Packages, Root);
    // Beside the build, not in /tmp: that is a tmpfs on many machines, which has no extents.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("holes");
    let mut file = std::fs::File::create(&path).unwrap();
    for i in 0..700_u64 {
        file.seek(SeekFrom::Start(i * 65536)).unwrap();
        file.write_all(&[1; 4096]).unwrap();
    }
    file.sync_all().unwrap();
    let found = extents::read(&path).unwrap();
    let printed = run(Command::new("filefrag").args(["-v", "-b1"]).arg(&path));
    let expected = parse(&printed);
    let ours: Vec<_> = found
        .list
        .iter()
        .map(|e| (e.logical, e.physical, e.len))
        .collect();
    assert_eq!(ours, expected, "{printed}");
    assert!(ours.len() > 600 && !found.truncated, "more than one batch");
    assert_eq!(found.size, 699 * 65536 + 4096);
    let place = found.runs().resolve(65536).map(|(to, _)| to);
    assert_eq!(place, Some(expected[1].1));
}

/// `   0:        0..    4095:  139264..  143359:   4096:  flags`
fn parse(text: &str) -> Vec<(u64, u64, u64)> {
    text.lines()
        .filter_map(|line| {
            let mut parts = line.split(':').map(str::trim);
            parts.next()?.parse::<u64>().ok()?;
            let start = |range: &str| range.split("..").next()?.trim().parse::<u64>().ok();
            let (logical, physical) = (start(parts.next()?)?, start(parts.next()?)?);
            Some((logical, physical, parts.next()?.parse().ok()?))
        })
        .collect()
}

#[test]
fn an_empty_file_has_none_and_a_folder_is_refused() {
    needs!(Root);
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = dir.path().join("empty");
    std::fs::File::create(&path).unwrap();
    let found = extents::read(&path).unwrap();
    assert!(found.list.is_empty() && found.runs().is_empty());
    assert!(extents::read(dir.path()).is_err());
    assert!(extents::read(&dir.path().join("absent")).is_err());
}
