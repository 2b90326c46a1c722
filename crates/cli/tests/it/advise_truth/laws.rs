//! Kinds of devices.

use ioalign_testkit::served::{DeviceLaw, ServerSplit};

/// A law with what `check` is asked, so that the image has its grid.
pub struct Named {
    pub name: &'static str,
    pub law: DeviceLaw,
    /// For `check --grid`.
    pub grid: Option<&'static str>,
}

pub fn all() -> Vec<Named> {
    let block = DeviceLaw {
        unit: 4096,
        servers: 4,
        read_us: 80.0,
        write_us: 90.0,
        kib_us: 0.5,
        sequential: 1.0,
        extra_cell_us: 0.0,
        partial_cell_us: 90.0,
        split: ServerSplit::Whole,
    };
    let stripe = DeviceLaw {
        unit: 65536,
        servers: 4,
        kib_us: 2.0,
        partial_cell_us: 0.0,
        split: ServerSplit::Striped,
        ..block
    };
    let on_4k = |name, law| Named {
        name,
        law,
        grid: None,
    };
    let on_64k = |name, grid, law| Named {
        name,
        law,
        grid: Some(grid),
    };
    vec![
        on_4k(
            "512e disk",
            DeviceLaw {
                servers: 1,
                sequential: 0.2,
                ..block.clone()
            },
        ),
        on_4k(
            "flash, blocks of 4 KiB",
            DeviceLaw {
                extra_cell_us: 25.0,
                ..block.clone()
            },
        ),
        on_4k(
            "writes cached",
            DeviceLaw {
                write_us: 30.0,
                servers: 8,
                ..block.clone()
            },
        ),
        on_4k(
            "boundaries cost nothing",
            DeviceLaw {
                partial_cell_us: 0.0,
                ..block.clone()
            },
        ),
        on_64k("stripe of 4", "64k:raid-chunk:preference", stripe),
        on_64k(
            "rewritten chunks of 64 KiB",
            "64k:raid-chunk:rmw",
            DeviceLaw {
                partial_cell_us: 200.0,
                extra_cell_us: 40.0,
                unit: 65536,
                ..block
            },
        ),
    ]
}
