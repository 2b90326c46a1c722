//! The mover on images of every format.

use std::ops::ControlFlow;

use ioalign_repair::container::{self, ImageFormat};
use ioalign_repair::mover::{self, MoverOptions, MoverProgress};
use ioalign_repair::{ErrorKind, Identity, Job, Move};
use ioalign_testkit::Random;

use super::model::data;
use super::tools::{is_sound, open};

const SIZE: usize = 12 << 20;

/// One move over its own source, through the journal, stopped and gone on with.
#[test]
fn data_move_in_every_format() {
    needs!(Packages);
    let folder = tempfile::tempdir().unwrap();
    let moves = vec![Move {
        from: 63 * 512,
        to: 1 << 20,
        bytes: 8 << 20,
    }];
    let options = MoverOptions {
        chunk: 1 << 20,
        piece: 256 << 10,
        ..MoverOptions::default()
    };
    for format in ImageFormat::ALL {
        let path = folder.path().join(format!("moved.{}", format.name()));
        let journal = folder.path().join(format!("{}.journal", format.name()));
        let mut model = data(&mut Random(8), SIZE);
        let mut disk = container::create(&path, format, SIZE as u64, 512).unwrap();
        // The end is not allocated: the move has to do that.
        disk.write_at(0, &model[..9 << 20]).unwrap();
        model[9 << 20..].fill(0);
        disk.flush().unwrap();
        let job = Job {
            identity: Identity::take(disk.as_mut(), &moves),
            moves: moves.clone(),
            patches: Vec::new(),
            keep: Vec::new(),
        };
        let mut pieces = 0;
        let mut some = |_: &MoverProgress| {
            pieces += 1;
            match pieces {
                7 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        };
        let stopped = mover::apply(
            disk.as_mut(),
            &journal,
            &job,
            &mover::MoveOrigin::default(),
            &options,
            &mut some,
        );
        assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Interrupted);
        drop(disk);
        let mut disk = open(&path, true);
        let mut all = |_: &MoverProgress| ControlFlow::Continue(());
        mover::resume(disk.as_mut(), &journal, &options, &mut all).unwrap();
        drop(disk);
        model.copy_within(63 * 512..63 * 512 + (8 << 20), 1 << 20);
        // Where it began: nothing there is taken for a file system any more.
        model[63 * 512..63 * 512 + (8 << 10)].fill(0);
        is_sound(&path, format.name(), &model);
    }
}
