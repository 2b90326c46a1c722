//! Flushes: after this many writes of a worker, every file that it wrote since the last flush.

/// Which files are to be flushed.
#[derive(Clone, Debug)]
pub(super) struct Flusher {
    every: Option<u32>,
    writes: u32,
    dirty: Vec<bool>,
    due: Vec<u32>,
}

impl Flusher {
    pub(super) fn new(every: Option<u32>, files: u32) -> Self {
        Self {
            every: every.filter(|every| *every != 0),
            writes: 0,
            dirty: vec![false; files as usize],
            due: Vec::new(),
        }
    }

    /// A write was sent.
    #[inline]
    pub(super) fn wrote(&mut self, file: u32) {
        let Some(every) = self.every else { return };
        if let Some(dirty) = self.dirty.get_mut(file as usize) {
            *dirty = true;
        }
        self.writes += 1;
        if self.writes < every {
            return;
        }
        self.writes = 0;
        for (number, dirty) in (0..).zip(&mut self.dirty) {
            if std::mem::take(dirty) {
                self.due.push(number);
            }
        }
    }

    /// The next file to flush.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u32> {
        self.due.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_were_written_are_flushed_once() {
        let mut flusher = Flusher::new(Some(3), 4);
        for file in [2, 0, 2] {
            assert_eq!(flusher.next(), None);
            flusher.wrote(file);
        }
        let due: Vec<_> = std::iter::from_fn(|| flusher.next()).collect();
        assert_eq!(due, [2, 0]);
    }
}
