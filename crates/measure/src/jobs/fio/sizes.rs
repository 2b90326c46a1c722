//! `bs`, `bsrange` and `bssplit`: sizes of reads and of writes.

use ioalign_core::workload::SizeShare;

use super::left_out::KeyLeftOut;
use super::units::size;

/// Sizes of reads, and of writes; `None`: nothing was said.
type OfBoth = [Option<Vec<SizeShare>>; 2];

/// The sizes of a section. A split overrides a range, and a range overrides a single size.
#[derive(Clone, Debug, Default)]
pub struct FioSizes {
    single: OfBoth,
    range: OfBoth,
    split: OfBoth,
}

impl FioSizes {
    /// `4k`, `4k,8k` for reads and writes, `,8k` for writes alone.
    pub fn read_single(&mut self, value: &str) -> Result<(), KeyLeftOut> {
        self.single = of_both(value, |text| {
            let bytes = size(text).filter(|bytes| *bytes > 0)?;
            Some(vec![SizeShare::only(bytes)])
        })
        .ok_or(KeyLeftOut::Refused("it is no size that is known"))?;
        Ok(())
    }

    /// `4k-4k`: a range of one size.
    pub fn read_range(&mut self, value: &str) -> Result<(), KeyLeftOut> {
        self.range = of_both(value, |text| {
            let (low, high) = text.split_once(['-', ':'])?;
            let (low, high) = (size(low)?, size(high)?);
            (low == high && low > 0).then(|| vec![SizeShare::only(low)])
        })
        .ok_or(KeyLeftOut::Refused("one size, or a mix of sizes: bssplit"))?;
        Ok(())
    }

    /// `4k/50:8k/30:64k/`: what has no share gets what is left.
    pub fn read_split(&mut self, value: &str) -> Result<(), KeyLeftOut> {
        self.split = of_both(value, split).ok_or(KeyLeftOut::Refused("as 4k/50:8k/50"))?;
        Ok(())
    }

    /// The sizes of a load with this share of reads.
    pub fn of(&self, read_ratio: f64) -> Result<Vec<SizeShare>, KeyLeftOut> {
        const USUAL: u64 = 4096;
        let wanted = |index: usize| {
            let all = [&self.split, &self.range, &self.single];
            let mut said = all.into_iter().filter_map(|both| both.get(index)?.clone());
            said.next().unwrap_or_else(|| vec![SizeShare::only(USUAL)])
        };
        match read_ratio {
            r if r >= 1.0 => Ok(wanted(0)),
            r if r <= 0.0 => Ok(wanted(1)),
            _ if wanted(0) == wanted(1) => Ok(wanted(0)),
            _ => Err(KeyLeftOut::Refused(
                "reads and writes of a mix have the same sizes",
            )),
        }
    }
}

/// The first part is that of reads, and of writes where they have none; a third is that of trims.
fn of_both(value: &str, read: impl Fn(&str) -> Option<Vec<SizeShare>>) -> Option<OfBoth> {
    let part = |text: &str| match text.trim() {
        "" => Some(None),
        text => read(text).map(Some),
    };
    let mut parts = value.split(',').map(part);
    let reads = parts.next()??;
    match parts.next() {
        Some(writes) => Some([reads, writes?]),
        None => reads.map(|both| [Some(both.clone()), Some(both)]),
    }
}

fn split(value: &str) -> Option<Vec<SizeShare>> {
    let parts = value.split(':').map(|part| {
        let (bytes, share) = part.split_once('/').unwrap_or((part, ""));
        let share = match share.trim() {
            "" => None,
            text => Some(text.parse::<u32>().ok().filter(|share| *share <= 100)?),
        };
        Some((size(bytes).filter(|bytes| *bytes > 0)?, share))
    });
    let parts = parts.collect::<Option<Vec<_>>>()?;
    let named = parts.iter().filter_map(|part| part.1);
    let named = named.fold(0, u32::saturating_add);
    let open = parts.iter().filter(|part| part.1.is_none()).count();
    let left = 100_u32.saturating_sub(named) / u32::try_from(open.max(1)).ok()?;
    let shares = parts.into_iter().map(|(bytes, share)| SizeShare {
        bytes,
        weight: share.unwrap_or(left),
    });
    let shares: Vec<_> = shares.filter(|share| share.weight > 0).collect();
    (!shares.is_empty()).then_some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(sizes: &FioSizes, read_ratio: f64) -> Vec<u64> {
        let sizes = sizes.of(read_ratio).unwrap();
        sizes.iter().map(|share| share.bytes).collect()
    }

    #[test]
    fn reads_and_writes_have_sizes_of_their_own() {
        let mut sizes = FioSizes::default();
        sizes.read_single("8k,64k,1m").unwrap();
        assert_eq!(
            (bytes(&sizes, 1.0), bytes(&sizes, 0.0)),
            (vec![8192], vec![65536])
        );
        assert!(sizes.of(0.5).is_err());
        sizes.read_single(",64k").unwrap();
        assert_eq!(
            (bytes(&sizes, 1.0), bytes(&sizes, 0.0)),
            (vec![4096], vec![65536])
        );
        sizes.read_range("16k-16k").unwrap();
        assert_eq!(bytes(&sizes, 0.5), [16384]);
        sizes.read_split("4k/50:8k,1k/").unwrap();
        assert_eq!(
            (bytes(&sizes, 1.0), bytes(&sizes, 0.0)),
            (vec![4096, 8192], vec![1024])
        );
        for wrong in ["0", "", "fast", "4k-8k"] {
            assert!(sizes.read_single(wrong).is_err(), "{wrong}");
        }
        assert!(sizes.read_range("1k-8k").is_err() && sizes.read_split("4k/x").is_err());
    }
}
