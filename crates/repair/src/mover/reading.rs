//! Reading with a policy for what cannot be read.

use std::io;
use std::ops::Range;

use super::ReadErrors;
use crate::{Disk, Error, Result};

/// The facts of the kernel about a bad medium: EIO, ENODATA, EREMOTEIO, EILSEQ (`blk_errors` in
/// `block/blk-core.c`). Anything else, such as a disk that is gone, stops the job.
const MEDIUM: [i32; 4] = [5, 61, 121, 84];

fn is_medium(error: &io::Error) -> bool {
    code(error).is_some_and(|code| MEDIUM.contains(&code))
}

/// The error of the operating system, also where a reader of images says which file it was.
fn code(error: &io::Error) -> Option<i32> {
    let below = || error.get_ref()?.source()?.downcast_ref::<io::Error>();
    error.raw_os_error().or_else(|| below()?.raw_os_error())
}

/// Fills `bytes` from `at`. What cannot be read becomes zeros and is added to `bad`, or is an error.
pub fn read(
    disk: &mut dyn Disk,
    at: u64,
    bytes: &mut [u8],
    policy: ReadErrors,
    bad: &mut Vec<Range<u64>>,
) -> Result<()> {
    match disk.read_at(at, bytes) {
        Ok(()) => Ok(()),
        Err(error) if policy == ReadErrors::Map && is_medium(&error) => {
            block_by_block(disk, at, bytes, bad)
        }
        Err(error) => Err(failed(at, bytes.len(), error)),
    }
}

fn block_by_block(
    disk: &mut dyn Disk,
    at: u64,
    bytes: &mut [u8],
    bad: &mut Vec<Range<u64>>,
) -> Result<()> {
    let logical = usize::try_from(disk.logical_bytes()).unwrap_or(512).max(1);
    let mut at = at;
    for block in bytes.chunks_mut(logical) {
        let end = at + block.len() as u64;
        match disk.read_at(at, block) {
            Ok(()) => {}
            Err(error) if is_medium(&error) => {
                block.fill(0);
                add(bad, at..end);
            }
            Err(error) => return Err(failed(at, block.len(), error)),
        }
        at = end;
    }
    Ok(())
}

/// Neighbours become one.
fn add(bad: &mut Vec<Range<u64>>, place: Range<u64>) {
    match bad.last_mut() {
        Some(last) if last.end == place.start => last.end = place.end,
        _ => bad.push(place),
    }
}

fn failed(at: u64, length: usize, error: io::Error) -> Error {
    let place = format!("{length} bytes at byte {at}");
    let what = format!("{place} cannot be read");
    if is_medium(&error) {
        let advice = "nothing is lost: with `--read-errors map` zeros are put there, and every such place is listed";
        return Error::device(what, error).advise(advice);
    }
    Error::io(what, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_medium_is_known_through_the_reader_of_images() {
        let eio = || io::Error::from_raw_os_error(5);
        let named = ioalign_inspect::Error::io("cannot be read", eio());
        let through = io::Error::new(io::ErrorKind::InvalidData, named);
        assert!(is_medium(&eio()) && is_medium(&through));
        let malformed = ioalign_inspect::Error::malformed("a table leads nowhere");
        let other = io::Error::new(io::ErrorKind::InvalidData, malformed);
        assert!(!is_medium(&other) && !is_medium(&io::Error::from_raw_os_error(28)));
    }

    /// A disk of 512-byte blocks where reads of some fail with these codes.
    struct Failing(Vec<(u64, i32)>);

    impl Disk for Failing {
        fn size_bytes(&self) -> u64 {
            8192
        }

        fn logical_bytes(&self) -> u64 {
            512
        }

        fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
            let end = at + bytes.len() as u64;
            let inside = |(block, _): &&(u64, i32)| (at..end).contains(&(block * 512));
            if let Some((_, code)) = self.0.iter().find(inside) {
                return Err(io::Error::from_raw_os_error(*code));
            }
            bytes.fill(7);
            Ok(())
        }

        fn write_at(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Reads blocks 2 to 6; what was read, the bad places in blocks, and the error.
    fn read_with(bad: &[(u64, i32)], policy: ReadErrors) -> (Vec<u8>, Vec<Range<u64>>, String) {
        let (mut bytes, mut places) = (vec![9; 5 * 512], Vec::new());
        let mut disk = Failing(bad.to_vec());
        let done = read(&mut disk, 1024, &mut bytes, policy, &mut places);
        let said = done.err().map_or(String::new(), |error| error.to_string());
        let blocks = bytes.chunks(512).map(|block| block[511]).collect();
        let places = places
            .iter()
            .map(|place| place.start / 512..place.end / 512);
        (blocks, places.collect(), said)
    }

    #[test]
    fn bad_blocks_become_zeros_and_neighbours_one_place() {
        let none = (vec![7; 5], Vec::new(), String::new());
        assert_eq!(read_with(&[(1, 5), (7, 5)], ReadErrors::Map), none);
        let (blocks, bad, said) = read_with(&[(2, 5), (3, 61), (5, 121)], ReadErrors::Map);
        assert_eq!(blocks, [0, 0, 7, 0, 7]);
        assert_eq!((bad, said.as_str()), (vec![2..4, 5..6], ""));
    }

    #[test]
    fn only_a_bad_medium_is_mapped() {
        for bad in [&[(4, 28)][..], &[(3, 5), (4, 28)]] {
            let (_, _, said) = read_with(bad, ReadErrors::Map);
            assert!(said.contains("cannot be read"), "{said}");
            assert!(!said.contains("--read-errors"), "{said}");
        }
        let (_, _, said) = read_with(&[(3, 5), (4, 28)], ReadErrors::Map);
        assert!(said.contains("512 bytes at byte 2048"), "{said}");
    }

    #[test]
    fn a_stop_says_how_to_go_on() {
        let mut disk = Failing(vec![(3, 84)]);
        let policy = ReadErrors::Stop;
        let error = read(&mut disk, 1024, &mut [0; 2560], policy, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Device);
        assert!(error.to_string().contains("2560 bytes at byte 1024"));
    }
}
