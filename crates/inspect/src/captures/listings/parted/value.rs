//! Numbers of parted: sectors, bytes, rounded sizes, cylinders, and cylinder-head-sector triples.

use ioalign_core::{Bytes, SectorSize};

use super::super::super::Number;
use super::super::sizes;

/// What is needed to read numbers.
#[derive(Copy, Clone, Debug, Default)]
pub struct PartedScale {
    /// The logical sector, if it was printed.
    pub sector: Option<SectorSize>,
    /// Heads and sectors a track.
    pub geometry: Option<(u64, u64)>,
}

/// Units and the bytes in one.
const UNITS: &[(&str, u64)] = &[
    ("kB", 1000),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("kiB", 1 << 10),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// Whether a text is a size in cylinders or a triple, which no other line has.
pub fn is_place(text: &str) -> bool {
    text.strip_suffix("cyl")
        .is_some_and(|count| sizes::whole(count).is_some())
        || triple(text).is_some()
}

/// `BIOS cylinder,head,sector geometry: 130,255,63.  Each cylinder is 8225kB.`
pub fn geometry(line: &str) -> Option<(u64, u64)> {
    let (_, value) = line.split_once([':', '：'])?;
    let first = value.split_whitespace().next()?;
    let [_, heads, sectors] = triple(first.trim_end_matches('.'))?;
    (line.contains(',') && heads != 0 && sectors != 0).then_some((heads, sectors))
}

fn triple(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.split(',').map(sizes::whole);
    let found = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(found)
}

impl PartedScale {
    /// The bytes that a printed place or size may stand for; `None` for percentages, and for sectors
    /// and cylinders of unknown size.
    pub fn value(&self, text: &str) -> Option<Number> {
        if let Some(place) = triple(text) {
            return self.place(place);
        }
        let (value, unit) = sizes::split(text)?;
        match unit {
            "B" if sizes::whole(value).is_some() => sizes::whole(value).map(Number::exact),
            "B" => Number::rounded(value, 1),
            "s" => Number::sectors(
                sizes::whole(value)?,
                self.sector.unwrap_or(SectorSize::S512),
            ),
            "cyl" => self.cylinder(sizes::whole(value)?),
            _ => {
                let (_, bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
                Number::rounded(value, *bytes)
            }
        }
    }

    /// A start must lie on the logical sector: often only one value of the interval does.
    pub fn settled(&self, number: Number) -> Number {
        let step = self.sector.map(SectorSize::bytes);
        let only = step.and_then(|step| number.settle(step)).map(Bytes::get);
        only.map_or(number, Number::exact)
    }

    /// Cylinder, head and sector, all from 0: exact.
    fn place(&self, [cylinder, head, sector]: [u64; 3]) -> Option<Number> {
        let (heads, sectors) = self.geometry?;
        let tracks = cylinder.checked_mul(heads)?.checked_add(head)?;
        let count = tracks.checked_mul(sectors)?.checked_add(sector)?;
        Number::sectors(count, self.sector?)
    }

    /// A cylinder is cut, not rounded: the whole of it.
    fn cylinder(&self, count: u64) -> Option<Number> {
        let (heads, sectors) = self.geometry?;
        let bytes = self
            .sector?
            .checked_bytes(heads.checked_mul(sectors)?)?
            .get();
        let low = count.checked_mul(bytes)?;
        Some(Number {
            low,
            high: low.checked_add(bytes)?.checked_sub(1)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit() {
        let scale = PartedScale {
            sector: SectorSize::new(512),
            geometry: geometry(
                "BIOS cylinder,head,sector geometry: 130,255,63.  Each cylinder is 8225kB.",
            ),
        };
        for (text, low, high) in [
            ("63s", 32256, 32256),
            ("32256B", 32256, 32256),
            ("32.3kB", 32250, 32349),
            ("1,00MiB", 1_043_334, 1_053_818),
            ("0,1,0", 32256, 32256),
            ("1cyl", 8_225_280, 16_450_559),
        ] {
            let number = scale.value(text).unwrap();
            assert_eq!((number.low, number.high), (low, high), "{text}");
        }
        let start = scale.settled(scale.value("32.3kB").unwrap());
        assert_eq!(start, Number::exact(32256));
        assert!(!scale.settled(scale.value("1049kB").unwrap()).is_exact());
        for text in ["", "5%", "12", "1,2", "1x", "99999999999999999999999s"] {
            assert_eq!(scale.value(text), None, "{text}");
        }
        assert_eq!(PartedScale::default().value("1cyl"), None);
    }
}
