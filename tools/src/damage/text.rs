//! Damage as texts suffer it: lines, numbers, units, structure, and bytes that no program prints.

use ioalign_testkit::Random;

use super::field::flip;

/// Damaged texts do not grow beyond this.
const LONGEST: usize = 64 << 10;
/// No program prints these, and files hold them all the same: control bytes, and parts of UTF-8.
const ODD: [&[u8]; 17] = [
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
/// Structure is made of these, with a line feed between two.
const MARKS: &str = "{\n}\n[\n]\n\"\n\\\n:\n;\n,\n=\n|\n<\n>\n</\n/>\n(\n)\n/\n#\n* \n> \n  \n-\n+\n@\n%\n{{{{{{{{\n[[[[[[[[\n<a><b><c>";
/// Numbers at which arithmetic breaks, and nothing.
const NUMBERS: &str = "0\n1\n-1\n63\n255\n511\n512\n4096\n4294967295\n4294967296\n9223372036854775807\n\
9223372036854775808\n18446744073709551615\n18446744073709551616\n36028797018963968\n\
99999999999999999999999999999999999999999\n0.0000001\n1.5\n1,5\n1e308\n-9223372036854775808\nNaN\n\
0x7fffffffffffffff\n00000000000000000001\n\n340282366920938463463374607431768211456\n1.797.693.134\n1 000 000";
/// Words and letters that tell what a number counts.
const UNITS: &str = "B\nK\nk\nM\nm\nG\ng\nT\nt\nP\nE\nKB\nkB\nMB\nGB\nTB\nEB\nKiB\nMiB\nGiB\nTiB\nPiB\nEiB\ns\n%\nsectors\n\
blocks\nblks\nbytes\ncylinders\nchunks\n512-byte\n4096-byte\nrounding";

/// Damages a text in one to seven places.
pub fn damaged(raw: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(6) {
        damage(raw, random);
        raw.truncate(LONGEST);
    }
}

fn damage(raw: &mut Vec<u8>, random: &mut Random) {
    match random.below(16) {
        0 | 1 => flip(raw, random),
        2 => raw.truncate(place(raw, random)),
        3 | 4 => repeat_line(raw, random),
        5 => remove_line(raw, random),
        6..=9 => replace_number(raw, random),
        10 => insert(raw, random.pick::<&[u8]>(&ODD), random),
        11..=13 => swap_unit(raw, random),
        14 => insert(raw, word(MARKS, '\n', random).as_bytes(), random),
        _ => join_lines(raw, random),
    }
}

/// One of the words of a list.
pub fn word<'a>(list: &'a str, separator: char, random: &mut Random) -> &'a str {
    let count = list.split(separator).count();
    list.split(separator).nth(random.below(count)).unwrap()
}

fn place(raw: &[u8], random: &mut Random) -> usize {
    random.below(raw.len() + 1)
}

fn insert(raw: &mut Vec<u8>, piece: &[u8], random: &mut Random) {
    let at = place(raw, random);
    raw.splice(at..at, piece.iter().copied());
}

/// First and last byte of the line at a place, with its line end.
fn line(raw: &[u8], random: &mut Random) -> (usize, usize) {
    let at = place(raw, random);
    let (before, after) = raw.split_at(at);
    let start = before.iter().rposition(|byte| *byte == b'\n');
    let end = after.iter().position(|byte| *byte == b'\n');
    let end = end.map_or(raw.len(), |end| at + end + 1);
    (start.map_or(0, |start| start + 1), end)
}

/// A line again, once or many times, in its place or elsewhere.
fn repeat_line(raw: &mut Vec<u8>, random: &mut Random) {
    let (start, end) = line(raw, random);
    let once = raw[start..end].to_vec();
    let times = match random.below(64) {
        0 => 1 << random.below(10),
        _ => 1 + random.below(3),
    };
    let room = LONGEST.saturating_sub(raw.len()) / once.len().max(1);
    let copies = once.repeat(room.min(times));
    let into = match random.below(2) {
        0 => end,
        _ => line(raw, random).0,
    };
    raw.splice(into..into, copies);
}

fn remove_line(raw: &mut Vec<u8>, random: &mut Random) {
    let (start, end) = line(raw, random);
    raw.drain(start..end);
}

/// Two lines as one, as mail programs and narrow terminals do the other way round.
fn join_lines(raw: &mut [u8], random: &mut Random) {
    let (_, end) = line(raw, random);
    if let Some(byte) = end.checked_sub(1).and_then(|at| raw.get_mut(at)) {
        *byte = b' ';
    }
}

fn replace_number(raw: &mut Vec<u8>, random: &mut Random) {
    let number = word(NUMBERS, '\n', random);
    replace_run(raw, random, u8::is_ascii_digit, |_| true, number);
}

fn swap_unit(raw: &mut Vec<u8>, random: &mut Random) {
    let unit = word(UNITS, '\n', random);
    let is_unit = |word: &[u8]| {
        let mut units = UNITS.split('\n');
        units.any(|unit| unit.as_bytes().eq_ignore_ascii_case(word))
    };
    replace_run(raw, random, u8::is_ascii_alphabetic, is_unit, unit);
}

/// Replaces the first run of such bytes behind a place, if it is one that is `wanted`.
fn replace_run(
    raw: &mut Vec<u8>,
    random: &mut Random,
    class: fn(&u8) -> bool,
    wanted: impl Fn(&[u8]) -> bool,
    with: &str,
) {
    let mut at = place(raw, random);
    while let Some(start) = position(raw, at, class, true) {
        let end = position(raw, start, class, false).unwrap_or(raw.len());
        if wanted(&raw[start..end]) {
            raw.splice(start..end, with.bytes());
            return;
        }
        at = end;
    }
}

/// The next byte at or after `at` that is, or is not, of a class.
fn position(raw: &[u8], at: usize, class: fn(&u8) -> bool, is: bool) -> Option<usize> {
    let mut rest = raw[at..].iter();
    rest.position(|byte| class(byte) == is)
        .map(|found| at + found)
}
