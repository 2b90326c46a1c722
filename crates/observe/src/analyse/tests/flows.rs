//! Counting together is counting one by one.

use ioalign_core::profile::Profile;
use proptest::prelude::*;

use super::{grid, ios};
use crate::analyse::{Analysis, Settings};
use crate::pipeline::Directory;
use crate::record::{Columns, Io};

/// I/Os with sizes and starts as disks have them, of several processes.
fn common_ios() -> impl Strategy<Value = Vec<Io>> {
    ios().prop_map(|all| {
        let common = |io: Io| Io {
            len: if io.len.is_multiple_of(9) {
                io.len
            } else {
                (io.len % 24 + 1) * 512
            },
            offset: if io.len.is_multiple_of(7) {
                io.offset
            } else {
                io.offset / 512 * 512
            },
            process: io.len % 5,
            ..io
        };
        all.into_iter().map(common).collect()
    })
}

/// Of a device that comes after sixteen others, which is counted without flows.
fn without_flows(ios: &[Io], settings: &Settings) -> Profile {
    let mut analysis = Analysis::new(settings);
    for device in 1..=16 {
        analysis.add(&[Io {
            device,
            len: 512,
            ..Io::default()
        }]);
    }
    analysis.add(ios);
    analysis.profile(&Directory::default())
}

proptest! {
    #[test]
    fn flows_and_columns_change_nothing(ios in common_ios()) {
        let settings = Settings {
            grids: vec![grid(4096, 0), grid(512, 0), grid(3 << 16, 512)],
            ..Settings::default()
        };
        let mut columns = Columns::default();
        columns.extend(&ios);
        let mut analysis = Analysis::new(&settings);
        // Both begin at the same moment.
        analysis.add(&[Io { device: 1, len: 512, ..Io::default() }]);
        analysis.add_columns(columns.all());
        let by_flows = analysis.profile(&Directory::default());
        let one_by_one = without_flows(&ios, &settings);
        prop_assert_eq!(by_flows.devices.first(), one_by_one.devices.first());
    }
}
