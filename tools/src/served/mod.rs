//! A device of known service times, for real: a file that FUSE serves by a law.
//!
//! ```text
//! served FOLDER [size=1073741824] [unit=4096] [servers=4] [read=800] [write=900] [kib=5]
//!        [sequential=1] [extra=0] [partial=900] [split=whole|striped]
//! ```
//!
//! Times are µs, as in [`DeviceLaw`]. The file is `FOLDER/disk`; it lasts until it is unmounted. Measure it with `O_DIRECT`.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

mod model;

use std::path::Path;

use ioalign_export::fuse::FuseMount;
use ioalign_export::media::{Media, PowerRules};
use ioalign_export::server::BlockServer;
use ioalign_testkit::served::{DeviceLaw, ServerSplit};

pub fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(2);
    let folder = arguments.next().expect("a folder");
    let (law, size) = law(arguments);
    let data = tempfile::tempfile()?;
    data.set_len(size)?;
    let media = Media::new(data, size, PowerRules::default())?;
    let (server, _clock) = BlockServer::start(Box::new(model::LawModel::new(law)), media)?;
    let file = Path::new(&folder).join("disk");
    std::fs::File::create(&file)?;
    FuseMount::new(server, &file)?.wait()
}

/// The law, and the size of the file.
fn law(arguments: impl Iterator<Item = String>) -> (DeviceLaw, u64) {
    let mut law = DeviceLaw {
        unit: 4096,
        servers: 4,
        read_us: 800.0,
        write_us: 900.0,
        kib_us: 5.0,
        sequential: 1.0,
        extra_cell_us: 0.0,
        partial_cell_us: 900.0,
        split: ServerSplit::Whole,
    };
    let mut size = 1 << 30;
    for argument in arguments {
        let (key, value) = argument.split_once('=').expect("KEY=VALUE");
        let us = || value.parse().expect("µs");
        match (key, value) {
            ("size", _) => size = value.parse().expect("a size in bytes"),
            ("unit", _) => law.unit = value.parse().expect("a size in bytes"),
            ("servers", _) => law.servers = value.parse().expect("a count"),
            ("read", _) => law.read_us = us(),
            ("write", _) => law.write_us = us(),
            ("kib", _) => law.kib_us = us(),
            ("sequential", _) => law.sequential = us(),
            ("extra", _) => law.extra_cell_us = us(),
            ("partial", _) => law.partial_cell_us = us(),
            ("split", "striped") => law.split = ServerSplit::Striped,
            ("split", "whole") => law.split = ServerSplit::Whole,
            _ => panic!("{argument}: not known"),
        }
    }
    (law, size)
}
