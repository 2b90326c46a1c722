//! What md's level and layout words mean: names for people, and the size of the array.

use ioalign_core::Bytes;

/// What decides how large an array is.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct MdShape {
    /// The level word: -4 … 10.
    pub level: i32,
    /// The layout word.
    pub layout: u32,
    /// Bytes a chunk; zero where the level has none.
    pub chunk: Bytes,
    /// Active devices, the smaller count while a reshape changes it.
    pub disks: u32,
    /// Bytes used of each member.
    pub used: Bytes,
}

impl MdShape {
    /// Size of the array; `None` where members may contribute different amounts (linear, RAID 0),
    /// or the numbers do not fit together.
    pub fn array_size(&self) -> Option<Bytes> {
        let disks = u64::from(self.disks);
        match self.level {
            1 | -4 => Some(self.used),
            4 | 5 => self.whole_chunks()?.checked_mul(disks.checked_sub(1)?),
            6 => self.whole_chunks()?.checked_mul(disks.checked_sub(2)?),
            10 => self.raid10(disks),
            _ => None,
        }
        .filter(|size| !size.is_zero())
    }

    fn whole_chunks(&self) -> Option<Bytes> {
        let chunk = self.chunk.get();
        let rest = self.used.get().checked_rem(chunk)?;
        Some(Bytes::new(self.used.get() - rest))
    }

    /// As the kernel's `raid10_size` rounds it: far copies first, near copies last.
    fn raid10(&self, disks: u64) -> Option<Bytes> {
        let (near, far) = copies(self.layout);
        let chunks = self.used.get().checked_div(self.chunk.get())?;
        let all = chunks.checked_div(far)?.checked_mul(disks)?;
        self.chunk.checked_mul(all.checked_div(near)?)
    }
}

/// Near and far copies of a RAID 10 layout word.
const fn copies(layout: u32) -> (u64, u64) {
    ((layout & 0xff) as u64, (layout >> 8 & 0xff) as u64)
}

/// `raid5`, `linear`, …
pub(crate) fn level_name(level: i32) -> String {
    match level {
        -1 => "linear".to_owned(),
        -4 => "multipath".to_owned(),
        -5 => "faulty".to_owned(),
        -10 => "container".to_owned(),
        n => format!("raid{n}"),
    }
}

/// The layout in mdadm's words; empty where the level has none.
pub(crate) fn layout_name(level: i32, layout: u32) -> String {
    match (level, layout) {
        (0, 1) => "original".to_owned(),
        (0, 2) => "alternate".to_owned(),
        (5 | 6, n) => parity_name(n).map_or_else(|| format!("{n:#x}"), str::to_owned),
        (10, n) => raid10_name(n),
        _ => String::new(),
    }
}

/// `ALGORITHM_*` of the kernel's `drivers/md/raid5.h`.
const fn parity_name(layout: u32) -> Option<&'static str> {
    Some(match layout {
        0 => "left-asymmetric",
        1 => "right-asymmetric",
        2 => "left-symmetric",
        3 => "right-symmetric",
        4 => "parity-first",
        5 => "parity-last",
        8 => "ddf-zero-restart",
        9 => "ddf-N-restart",
        10 => "ddf-N-continue",
        16 => "left-asymmetric-6",
        17 => "right-asymmetric-6",
        18 => "left-symmetric-6",
        19 => "right-symmetric-6",
        20 => "parity-first-6",
        _ => return None,
    })
}

/// The layout word that mdadm prints as `name`: the inverse of [`layout_name`].
pub(crate) fn layout_number(level: i32, name: &str) -> Option<u32> {
    match level {
        10 => raid10_number(name),
        0 | 5 | 6 => (0..=20).find(|layout| layout_name(level, *layout) == name),
        _ => None,
    }
}

/// `near=2`, `far=2`, `offset=2`, or several of them.
fn raid10_number(name: &str) -> Option<u32> {
    let mut layout = 0x101;
    for part in name.split(", ") {
        let (kind, copies) = part.split_once('=')?;
        let copies: u32 = copies
            .trim()
            .parse()
            .ok()
            .filter(|n| (1..256).contains(n))?;
        layout = match kind.trim() {
            "near" => layout & !0xff | copies,
            "far" => layout & !0xff00 | copies << 8,
            "offset" => layout & !0xff00 | copies << 8 | 1 << 16,
            _ => return None,
        };
    }
    Some(layout)
}

fn raid10_name(layout: u32) -> String {
    let (near, far) = copies(layout);
    let far_kind = if layout & 1 << 16 == 0 {
        "far"
    } else {
        "offset"
    };
    match (near, far) {
        (near, 1) => format!("near={near}"),
        (1, far) => format!("{far_kind}={far}"),
        (near, far) => format!("near={near}, {far_kind}={far}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(level: i32, layout: u32, chunk_kib: u64, disks: u32, used_kib: u64) -> Option<u64> {
        let shape = MdShape {
            level,
            layout,
            chunk: Bytes::new(chunk_kib << 10),
            disks,
            used: Bytes::new(used_kib << 10),
        };
        shape.array_size().map(|size| size.get() >> 10)
    }

    #[test]
    fn sizes_follow_the_level() {
        assert_eq!(size(1, 0, 0, 2, 1000), Some(1000));
        assert_eq!(size(5, 2, 64, 4, 1000), Some(3 * 960));
        assert_eq!(size(6, 2, 64, 4, 1000), Some(2 * 960));
        assert_eq!(size(10, 0x102, 64, 4, 1000), Some(15 * 4 / 2 * 64));
        assert_eq!(size(10, 0x102, 64, 3, 1000), Some(15 * 3 / 2 * 64));
        assert_eq!(size(10, 0x201, 64, 2, 1000), Some(15 / 2 * 2 * 64));
    }

    #[test]
    fn impossible_shapes_have_no_size() {
        assert_eq!(size(5, 0, 0, 4, 1000), None, "no chunk");
        assert_eq!(size(6, 0, 64, 1, 1000), None, "fewer disks than parity");
        assert_eq!(size(10, 0, 64, 4, 1000), None, "no copies");
        assert_eq!(size(0, 0, 64, 4, 1000), None, "members may differ");
        assert_eq!(size(5, 0, 64, u32::MAX, u64::MAX >> 10), None, "overflow");
    }

    #[test]
    fn names_lead_back_to_layouts() {
        for (level, layout) in [
            (5, 2),
            (5, 16),
            (6, 8),
            (10, 0x102),
            (10, 0x201),
            (10, 0x1_0201),
        ] {
            let name = layout_name(level, layout);
            assert_eq!(layout_number(level, &name), Some(layout), "{name}");
        }
        assert_eq!(layout_number(10, "near=2, far=1"), Some(0x102));
        assert_eq!(layout_number(10, "near=4294967295"), None);
        assert_eq!(layout_number(1, ""), None);
    }

    #[test]
    fn layouts_have_names() {
        assert_eq!(layout_name(10, 0x102), "near=2");
        assert_eq!(layout_name(10, 0x201), "far=2");
        assert_eq!(layout_name(10, 0x10201), "offset=2");
        assert_eq!(layout_name(5, 2), "left-symmetric");
        assert_eq!(layout_name(1, 2), "");
    }
}
