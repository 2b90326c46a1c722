//! Damage as texts suffer it: lines, numbers, units, structure, and bytes that no program prints.

use super::mutant::copy_pages;
use super::random::FuzzRandom;
use super::seed::{Seed, to_index};

/// Damaged texts do not grow beyond this.
const LONGEST: usize = 64 << 10;

/// The damaged text of a run.
pub fn mutant(seed: &Seed, random: &mut FuzzRandom) -> Vec<u8> {
    let mut raw = vec![0; to_index(seed.len)];
    copy_pages(&seed.pages, 0, &mut raw);
    for _ in 0..=random.below(6) {
        damage(&mut raw, random);
        raw.truncate(LONGEST);
    }
    raw
}

fn damage(raw: &mut Vec<u8>, random: &mut FuzzRandom) {
    match random.below(16) {
        0 | 1 => flip(raw, random),
        2 => raw.truncate(place(raw, random)),
        3 | 4 => repeat_line(raw, random),
        5 => remove_line(raw, random),
        6..=9 => replace_number(raw, random),
        10 => insert(raw, random, ODD),
        11..=13 => swap_unit(raw, random),
        14 => insert(raw, random, MARKS),
        _ => join_lines(raw, random),
    }
}

/// What no program prints and files hold all the same.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\0\0\0\0",
    b"\xff",
    b"\xff\xfe",
    b"\xc3",
    b"\xe2\x80\xae",
    b"\x1b[31m",
    b"\x1b[",
    b"\x1b]0;",
    b"\r",
    b"\r\n",
    b"\n\n\n",
    b"\x08\x08",
    b"\xc2\xa0",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\t\t\t",
];
/// What structure is made of.
const MARKS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b":",
    b";",
    b",",
    b"=",
    b"|",
    b"<",
    b">",
    b"</",
    b"/>",
    b"(",
    b")",
    b"/",
    b"#",
    b"* ",
    b"> ",
    b"  ",
    b"-",
    b"+",
    b"@",
    b"%",
    b"{{{{{{{{",
    b"[[[[[[[[",
    b"<a><b><c>",
];
/// Numbers at which arithmetic breaks.
const NUMBERS: &[&[u8]] = &[
    b"0",
    b"1",
    b"-1",
    b"63",
    b"255",
    b"511",
    b"512",
    b"4096",
    b"4294967295",
    b"4294967296",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551615",
    b"18446744073709551616",
    b"36028797018963968",
    b"99999999999999999999999999999999999999999",
    b"0.0000001",
    b"1.5",
    b"1,5",
    b"1e308",
    b"-9223372036854775808",
    b"NaN",
    b"0x7fffffffffffffff",
    b"00000000000000000001",
    b"",
    b"340282366920938463463374607431768211456",
    b"1.797.693.134",
    b"1 000 000",
];
/// Words and letters that tell what a number counts.
const UNITS: &[&[u8]] = &[
    b"B",
    b"K",
    b"k",
    b"M",
    b"m",
    b"G",
    b"g",
    b"T",
    b"t",
    b"P",
    b"E",
    b"KB",
    b"kB",
    b"MB",
    b"GB",
    b"TB",
    b"EB",
    b"KiB",
    b"MiB",
    b"GiB",
    b"TiB",
    b"PiB",
    b"EiB",
    b"s",
    b"%",
    b"sectors",
    b"blocks",
    b"blks",
    b"bytes",
    b"cylinders",
    b"chunks",
    b"512-byte",
    b"4096-byte",
    b"rounding",
];

fn place(raw: &[u8], random: &mut FuzzRandom) -> usize {
    to_index(random.below(raw.len() as u64 + 1))
}

fn flip(raw: &mut [u8], random: &mut FuzzRandom) {
    let bit = 1 << random.below(8);
    let at = place(raw, random);
    if let Some(byte) = raw.get_mut(at) {
        *byte ^= bit;
    }
}

fn insert(raw: &mut Vec<u8>, random: &mut FuzzRandom, pieces: &[&[u8]]) {
    let at = place(raw, random);
    let piece = random.pick(pieces).copied().unwrap_or_default();
    raw.splice(at..at, piece.iter().copied());
}

/// First and last byte of the line at a place, with its line end.
fn line(raw: &[u8], random: &mut FuzzRandom) -> (usize, usize) {
    let at = place(raw, random);
    let (before, after) = raw.split_at_checked(at).unwrap_or((raw, &[]));
    let start = before.iter().rposition(|byte| *byte == b'\n');
    let end = after.iter().position(|byte| *byte == b'\n');
    let end = end.map_or(raw.len(), |end| at + end + 1);
    (start.map_or(0, |start| start + 1), end)
}

/// A line again, once or many times, in its place or elsewhere.
fn repeat_line(raw: &mut Vec<u8>, random: &mut FuzzRandom) {
    let (start, end) = line(raw, random);
    let once = raw.get(start..end).unwrap_or_default().to_vec();
    let times = match random.below(64) {
        0 => 1 << random.below(10),
        _ => 1 + random.below(3),
    };
    let room = LONGEST.saturating_sub(raw.len()) / once.len().max(1);
    let copies = once.repeat(room.min(to_index(times)));
    let into = if random.below(2) == 0 {
        end
    } else {
        line(raw, random).0
    };
    raw.splice(into..into, copies);
}

fn remove_line(raw: &mut Vec<u8>, random: &mut FuzzRandom) {
    let (start, end) = line(raw, random);
    raw.drain(start..end);
}

/// Two lines as one, as mail programs and narrow terminals do the other way round.
fn join_lines(raw: &mut [u8], random: &mut FuzzRandom) {
    let (_, end) = line(raw, random);
    if let Some(byte) = end.checked_sub(1).and_then(|at| raw.get_mut(at)) {
        *byte = b' ';
    }
}

fn replace_number(raw: &mut Vec<u8>, random: &mut FuzzRandom) {
    let number = random.pick(NUMBERS).copied().unwrap_or_default();
    replace_run(raw, random, u8::is_ascii_digit, |_| true, number);
}

fn swap_unit(raw: &mut Vec<u8>, random: &mut FuzzRandom) {
    let unit = random.pick(UNITS).copied().unwrap_or_default();
    let is_unit = |word: &[u8]| UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word));
    replace_run(raw, random, u8::is_ascii_alphabetic, is_unit, unit);
}

/// Replaces the first run of such bytes behind a place, if it is one that is `wanted`.
fn replace_run(
    raw: &mut Vec<u8>,
    random: &mut FuzzRandom,
    class: fn(&u8) -> bool,
    wanted: impl Fn(&[u8]) -> bool,
    with: &[u8],
) {
    let from = place(raw, random);
    let mut at = from;
    while let Some(start) = position(raw, at, class, true) {
        let end = position(raw, start, class, false).unwrap_or(raw.len());
        if wanted(raw.get(start..end).unwrap_or_default()) {
            raw.splice(start..end, with.iter().copied());
            return;
        }
        at = end;
    }
}

/// The next byte at or after `at` that is, or is not, of a class.
fn position(raw: &[u8], at: usize, class: fn(&u8) -> bool, is: bool) -> Option<usize> {
    let rest = raw.get(at..)?;
    rest.iter()
        .position(|byte| class(byte) == is)
        .map(|found| at + found)
}
