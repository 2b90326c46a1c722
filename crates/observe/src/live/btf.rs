//! How many arguments a tracepoint of the running kernel has, from its type information (BTF).
//!
//! Until Linux 5.10 some block tracepoints had the queue as their first argument; distributions
//! backport, so the version number does not tell. Format: `Documentation/bpf/btf.rst`.

use std::path::Path;

/// The file with the kernel's types.
pub const VMLINUX: &str = "/sys/kernel/btf/vmlinux";
const MAGIC: u16 = 0xeb9f;
const PTR: u32 = 2;
const TYPEDEF: u32 = 8;
const FUNC_PROTO: u32 = 13;

/// The kernel's types, as far as needed.
pub struct Types {
    bytes: Vec<u8>,
    types: usize,
    strings: usize,
    /// The offset of each type; numbers begin at 1.
    places: Vec<usize>,
}

impl Types {
    /// The types of the running kernel; `None` if it does not show them.
    pub fn running() -> Option<Self> {
        Self::parse(std::fs::read(Path::new(VMLINUX)).ok()?)
    }

    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let magic = u16::from_ne_bytes(*bytes.first_chunk()?);
        let word = |at| word(&bytes, at);
        let header = usize::try_from(word(4)?).ok()?;
        let types = header.checked_add(usize::try_from(word(8)?).ok()?)?;
        let end = types.checked_add(usize::try_from(word(12)?).ok()?)?;
        let strings = header.checked_add(usize::try_from(word(16)?).ok()?)?;
        let mut all = Self {
            bytes,
            types,
            strings,
            places: Vec::new(),
        };
        (magic == MAGIC).then(|| all.index(end))??;
        Some(all)
    }

    fn index(&mut self, end: usize) -> Option<()> {
        let mut at = self.types;
        while at < end {
            self.places.push(at);
            let info = word(&self.bytes, at + 4)?;
            at += 12 + extra(kind(info), count(info));
        }
        Some(())
    }

    /// The arguments of a tracepoint; `None` where the kernel has no such tracepoint.
    pub fn arguments(&self, tracepoint: &str) -> Option<usize> {
        let name = format!("btf_trace_{tracepoint}");
        let typedef = self
            .places
            .iter()
            .find(|at| self.is(**at, TYPEDEF, &name))?;
        let pointer = self.follow(*typedef, PTR)?;
        let function = self.follow(pointer, FUNC_PROTO)?;
        // The first argument is the data of the attached program.
        count(word(&self.bytes, function + 4)?).checked_sub(1)
    }

    fn is(&self, at: usize, wanted: u32, name: &str) -> bool {
        let info = word(&self.bytes, at + 4);
        info.is_some_and(|info| kind(info) == wanted) && self.name(at) == Some(name.as_bytes())
    }

    fn name(&self, at: usize) -> Option<&[u8]> {
        let offset = usize::try_from(word(&self.bytes, at)?).ok()?;
        let rest = self.bytes.get(self.strings.checked_add(offset)?..)?;
        rest.get(..memchr::memchr(0, rest)?)
    }

    fn follow(&self, at: usize, wanted: u32) -> Option<usize> {
        let number = usize::try_from(word(&self.bytes, at + 8)?).ok()?;
        let place = *self.places.get(number.checked_sub(1)?)?;
        (kind(word(&self.bytes, place + 4)?) == wanted).then_some(place)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

const fn kind(info: u32) -> u32 {
    (info >> 24) & 0x1f
}

const fn count(info: u32) -> usize {
    (info & 0xffff) as usize
}

/// Bytes behind the twelve that every type has.
const fn extra(kind: u32, count: usize) -> usize {
    match kind {
        1 | 14 | 17 => 4,
        3 => 12,
        4 | 5 | 15 | 19 => count * 12,
        6 | 13 => count * 8,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integer, a pointer to a function of two, and the typedef of a tracepoint with one argument.
    fn made() -> Vec<u8> {
        let strings = b"\0int\0btf_trace_block_rq_issue\0";
        let types: [u32; 19] = [
            1,
            1 << 24,
            4,
            32, // [1] int
            0,
            2 << 24,
            3, // [2] pointer to 3
            0,
            (13 << 24) | 2,
            0,
            0,
            1,
            0,
            1, // [3] function of two
            5,
            8 << 24,
            2, // [4] typedef of 2
            0,
            2 << 24, // cut off, and past the length
        ];
        let mut out = Vec::new();
        out.extend(MAGIC.to_ne_bytes());
        out.extend([1, 0]);
        let length = 17 * 4;
        for word in [24, 0, length, length, 30_u32] {
            out.extend(word.to_ne_bytes());
        }
        out.extend(types.iter().take(17).flat_map(|word| word.to_ne_bytes()));
        out.extend(strings);
        out
    }

    #[test]
    fn arguments_are_counted_without_the_first() {
        let types = Types::parse(made()).unwrap();
        assert_eq!(types.arguments("block_rq_issue"), Some(1));
        assert_eq!(types.arguments("block_io_start"), None);
    }

    #[test]
    fn damaged_types_are_no_types() {
        let whole = made();
        for cut in 0..whole.len() {
            let cut = whole.get(..cut).unwrap().to_vec();
            if let Some(types) = Types::parse(cut) {
                let _ = types.arguments("block_rq_issue");
            }
        }
    }
}
