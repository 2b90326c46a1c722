//! Numbers of a few bits each, [`STEP`] at a time: for any processor here, for AVX2 in [`super::avx2`].

/// Values of one step: what a miniblock has by default.
pub const STEP: usize = 32;
/// Their bytes at most, and some after them, so that every number can be loaded with its 16 bytes.
pub const ROOM: usize = STEP * 8 + 16;

/// The numbers of one step.
pub type Step = [u64; STEP];
/// The same where they have 32 bits at most.
pub type Narrow = [u32; STEP];

/// How numbers are unpacked; both functions take the number of bits.
#[derive(Copy, Clone)]
pub struct Kernel {
    /// The numbers themselves, of up to 32 bits.
    pub numbers: fn(u32, &[u8; ROOM], &mut Narrow),
    /// What they add up to, one after the other; of up to 64 bits.
    pub sums: fn(u32, &[u8; ROOM], Sums, &mut Step),
}

/// What differences are added to. Sums wrap, as the format says.
#[derive(Copy, Clone, Debug)]
pub struct Sums {
    /// The sum so far.
    pub last: u64,
    /// What every difference has beside its bits.
    pub least: u64,
}

impl Kernel {
    /// Runs everywhere.
    pub const PORTABLE: Self = Self { numbers, sums };

    /// The fastest that this processor has.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = super::avx2::kernel() {
            return kernel;
        }
        Self::PORTABLE
    }
}

fn wide(width: u32, packed: &[u8; ROOM], out: &mut Step) {
    if let Some(unpack) = UNPACKERS.get(width as usize) {
        unpack(packed, out);
    }
}

pub fn numbers(width: u32, packed: &[u8; ROOM], out: &mut Narrow) {
    let mut all = [0; STEP];
    wide(width, packed, &mut all);
    #[allow(clippy::cast_possible_truncation)] // of 32 bits
    let narrow = all.map(|number| number as u32);
    *out = narrow;
}

pub fn sums(width: u32, packed: &[u8; ROOM], from: Sums, out: &mut Step) {
    wide(width, packed, out);
    let mut last = from.last;
    for number in out {
        last = last.wrapping_add(from.least).wrapping_add(*number);
        *number = last;
    }
}

/// [`STEP`] numbers of `W` bits each, the lowest bits first. Written out, so that all places and shifts
/// are constants.
fn unpack<const W: usize>(packed: &[u8; ROOM], out: &mut Step) {
    macro_rules! all {
        ($($index:literal)*) => { *out = [$(number::<W>(packed, $index)),*] };
    }
    all!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
}

#[inline]
fn number<const W: usize>(packed: &[u8; ROOM], index: usize) -> u64 {
    let (byte, shift) = (index * W / 8, index * W % 8);
    let mask = match W {
        0 => 0,
        _ => u64::MAX >> (64 - W),
    };
    if W <= 56 {
        load::<8>(packed, byte).map_or(0, u64::from_le_bytes) >> shift & mask
    } else {
        let wide = load::<16>(packed, byte).map_or(0, u128::from_le_bytes) >> shift;
        #[allow(clippy::cast_possible_truncation)] // the mask is of 64 bits
        let low = wide as u64;
        low & mask
    }
}

#[inline]
fn load<const N: usize>(packed: &[u8; ROOM], at: usize) -> Option<[u8; N]> {
    packed.get(at..)?.first_chunk().copied()
}

type Unpacker = fn(&[u8; ROOM], &mut Step);

/// By the number of bits.
const UNPACKERS: [Unpacker; 65] = {
    macro_rules! all {
        ($($bits:literal)*) => { [$(unpack::<$bits>),*] };
    }
    all!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, as the format describes it.
    fn slowly(width: u32, packed: &[u8; ROOM]) -> Vec<u64> {
        let bit = |at: usize| u64::from(packed[at / 8] >> (at % 8) & 1);
        let width = width as usize;
        let number = |index: usize| (0..width).fold(0, |sum, n| sum | bit(index * width + n) << n);
        (0..STEP).map(number).collect()
    }

    proptest::proptest! {
        #[test]
        fn all_kernels_agree(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), ROOM),
            width in 0..=64_u32, last: u64, least: u64,
        ) {
            let packed: &[u8; ROOM] = bytes.first_chunk().unwrap();
            let wanted = slowly(width, packed);
            let from = Sums { last, least };
            let sums = wanted.iter().scan(last, |sum, number| {
                *sum = sum.wrapping_add(*number).wrapping_add(least);
                Some(*sum)
            });
            let sums: Vec<_> = sums.collect();
            for kernel in [Kernel::PORTABLE, Kernel::best()] {
                if width <= 32 {
                    let mut out = [1; STEP];
                    (kernel.numbers)(width, packed, &mut out);
                    proptest::prop_assert_eq!(out.map(u64::from), &wanted[..]);
                }
                let mut out = [1; STEP];
                (kernel.sums)(width, packed, from, &mut out);
                proptest::prop_assert_eq!(&out[..], &sums[..]);
            }
        }
    }
}
