//! A stream cut into chunks that end where a record ends.

use std::io::Read;

use crate::formats::Framing;

/// A line or record longer than this is no trace: it is skipped, and counted.
const LONGEST: usize = 1 << 20;

/// Cuts a stream.
pub struct Chunker<R> {
    reader: R,
    framing: Framing,
    size: usize,
    rest: Vec<u8>,
    ended: bool,
    /// Bytes of lines that were too long.
    pub too_long: u64,
}

impl<R: Read> Chunker<R> {
    /// Chunks of about `size` bytes.
    pub fn new(reader: R, framing: Framing, size: usize) -> Self {
        Self {
            reader,
            framing,
            size: size.max(4096),
            rest: Vec::new(),
            ended: false,
            too_long: 0,
        }
    }

    /// Fills `chunk` with the next whole records; false at the end.
    pub fn next(&mut self, chunk: &mut Vec<u8>) -> std::io::Result<bool> {
        chunk.clear();
        chunk.append(&mut self.rest);
        loop {
            self.fill(chunk)?;
            if self.ended {
                return Ok(!chunk.is_empty());
            }
            let whole = self.whole(chunk);
            if whole > 0 {
                self.rest.clear();
                self.rest
                    .extend_from_slice(chunk.get(whole..).unwrap_or_default());
                chunk.truncate(whole);
                return Ok(true);
            }
            if chunk.len() > LONGEST {
                self.skip_long(chunk)?;
            }
        }
    }

    fn fill(&mut self, chunk: &mut Vec<u8>) -> std::io::Result<()> {
        let wanted = self.size.max(chunk.len() + 4096) - chunk.len();
        let before = chunk.len();
        chunk.reserve(wanted);
        let limit = wanted as u64;
        self.reader.by_ref().take(limit).read_to_end(chunk)?;
        self.ended = chunk.len() - before < wanted;
        Ok(())
    }

    fn whole(&self, chunk: &[u8]) -> usize {
        match self.framing {
            Framing::Lines => memchr::memrchr(b'\n', chunk).map_or(0, |end| end + 1),
            Framing::Records(whole) => whole(chunk),
        }
    }

    /// Drops what has no end within a megabyte, up to where a record may begin again.
    fn skip_long(&mut self, chunk: &mut Vec<u8>) -> std::io::Result<()> {
        match self.framing {
            Framing::Lines => loop {
                self.too_long += chunk.len() as u64;
                chunk.clear();
                self.fill(chunk)?;
                if let Some(end) = memchr::memchr(b'\n', chunk) {
                    chunk.drain(..=end);
                    return Ok(());
                }
                if self.ended {
                    self.too_long += chunk.len() as u64;
                    chunk.clear();
                    return Ok(());
                }
            },
            Framing::Records(_) => {
                self.too_long += 1;
                chunk.remove(0);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(text: &[u8], size: usize) -> (Vec<Vec<u8>>, u64) {
        let mut chunker = Chunker::new(text, Framing::Lines, size);
        let mut all = Vec::new();
        let mut chunk = Vec::new();
        while chunker.next(&mut chunk).unwrap() {
            all.push(chunk.clone());
        }
        (all, chunker.too_long)
    }

    #[test]
    fn chunks_end_with_lines_and_lose_nothing() {
        let text: String = (0..5000).map(|i| format!("line {i}\n")).collect();
        let (all, _) = chunks(text.as_bytes(), 4096);
        assert!(all.len() > 5);
        assert!(all.iter().all(|chunk| chunk.ends_with(b"\n")));
        assert_eq!(all.concat(), text.as_bytes());
    }

    #[test]
    fn a_last_line_without_an_end_is_given() {
        assert_eq!(chunks(b"a\nb", 4096).0.concat(), b"a\nb");
        assert!(chunks(b"", 4096).0.is_empty());
    }

    #[test]
    fn a_line_without_end_is_skipped() {
        let mut text = vec![b'x'; 5 << 20];
        text.extend(b"\nshort\n");
        let (all, too_long) = chunks(&text, 1 << 16);
        assert_eq!(all.concat(), b"short\n");
        assert!(too_long > 4 << 20);
    }
}
