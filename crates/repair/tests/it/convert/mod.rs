//! Disks for logical blocks of another size.

mod boot;
mod fat;
mod firmware;
mod follow;
mod halt;
mod tables;
mod universal;
mod whole;

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;

use ioalign_repair::convert::{self, Conversion, ConversionAnswer, ConversionWish};
use ioalign_repair::mover;
use ioalign_repair::{Disk, Error};
use ioalign_testkit::run::command;

/// Runs a script; its words are `$1`, `$2`, ….
pub fn shell(script: &str, words: &[&Path]) -> String {
    let done = command("sh")
        .args(["-euc", script, "-"])
        .args(words)
        .env("MTOOLS_SKIP_CHECK", "1")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.success(),
        "{script}\n(some of these tests need root and the tools that they name): {errors}{}",
        String::from_utf8_lossy(&done.stdout)
    );
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// An empty file of this length.
pub fn blank(path: &Path, bytes: u64) {
    File::create(path).unwrap().set_len(bytes).unwrap();
}

/// What a conversion would do.
pub fn planned(disk: &mut dyn Disk, from: u64, to: u64) -> Result<Conversion, Error> {
    answered(
        disk,
        ConversionWish {
            from,
            to,
            both: false,
            may_grow: true,
        },
    )
}

fn answered(disk: &mut dyn Disk, wish: ConversionWish) -> Result<Conversion, Error> {
    match convert::plan(disk, wish)? {
        ConversionAnswer::Convert(conversion) => Ok(*conversion),
        ConversionAnswer::Nothing => panic!("there is nothing to convert"),
    }
}

/// Converts an image in place, through a journal.
pub fn convert_in_place(path: &Path, from: u64, to: u64) -> Conversion {
    let plan = planned(&mut crate::image::opened(path), from, to).unwrap();
    done_in_place(path, plan)
}

/// Does a conversion in place.
pub fn done_in_place(path: &Path, plan: Conversion) -> Conversion {
    assert!(
        plan.refusal(|_| false).is_none(),
        "{:?}",
        plan.refusal(|_| false)
    );
    if plan.bytes > plan.old_bytes {
        let file = File::options().write(true).open(path).unwrap();
        file.set_len(plan.bytes).unwrap();
    }
    let mut disk = crate::image::opened(path);
    let job = plan.job(&mut disk).unwrap();
    let journal = path.with_extension("journal");
    let mut watch = |_: &mover::MoverProgress| ControlFlow::Continue(());
    mover::apply(
        &mut disk,
        &journal,
        &job,
        &mover::MoveOrigin::default(),
        &mover::MoverOptions::default(),
        &mut watch,
    )
    .unwrap();
    plan
}

/// Writes what a disk reads as.
pub fn copy(disk: &mut dyn Disk, path: &Path) {
    use std::os::unix::fs::FileExt;
    let size = disk.size_bytes();
    blank(path, size);
    let file = File::options().write(true).open(path).unwrap();
    // An odd length, so that pieces are cut anywhere.
    let mut bytes = vec![0; (1 << 20) + 512];
    let mut at = 0;
    while at < size {
        let length = usize::try_from(size - at)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        disk.read_at(at, &mut bytes[..length]).unwrap();
        file.write_all_at(&bytes[..length], at).unwrap();
        at += length as u64;
    }
}
