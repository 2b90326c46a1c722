//! Damage, in the ways that break readers. Every run has its own generator, so that any run can be repeated alone.

mod field;
mod image;
mod mutant;
mod text;

use std::ops::{Range, RangeInclusive};

use ioalign_testkit::Random;

pub use field::field;
pub use image::damaged as image;
pub use mutant::Mutant;
pub use text::{damaged as text, word};

/// The generator of run `number`.
pub const fn random_of_run(seed: u64, number: u64) -> Random {
    Random(seed.rotate_left(32) ^ number.wrapping_mul(0xd134_2543_de82_ef95))
}

/// Damages so many fields of 1 to 8 bytes that begin in one of `places`. Places may reach past the end.
pub fn fields(
    bytes: &mut [u8],
    places: &[Range<usize>],
    count: RangeInclusive<usize>,
    random: &mut Random,
) {
    let more = count.end() - count.start() + 1;
    for _ in 0..count.start() + random.below(more) {
        let at = place(places, random).min(bytes.len().saturating_sub(8));
        if random.below(8) == 0 {
            copy(bytes, place(places, random), at, random);
        } else {
            let end = bytes.len().min(at + *random.pick(&[1, 2, 4, 8]));
            field(&mut bytes[at..end], random);
        }
    }
}

fn place(places: &[Range<usize>], random: &mut Random) -> usize {
    let place = random.pick(places);
    place.start + random.below(place.len())
}

/// Bytes that stand elsewhere, as where a table is read from a wrong place.
fn copy(bytes: &mut [u8], from: usize, to: usize, random: &mut Random) {
    let room = bytes.len().saturating_sub(from.max(to));
    let len = room.min(1 + random.below(64));
    if len > 0 {
        bytes.copy_within(from..from + len, to);
    }
}

/// The same, anywhere.
pub fn any_fields(bytes: &mut [u8], count: RangeInclusive<usize>, random: &mut Random) {
    let anywhere = 0..bytes.len();
    fields(bytes, std::slice::from_ref(&anywhere), count, random);
}

/// One in fifty is cut short.
pub fn cut_rarely(bytes: &mut Vec<u8>, random: &mut Random) {
    if random.below(50) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
}
