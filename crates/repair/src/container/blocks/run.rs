//! Neighbours in a buffer that are neighbours in the file are read and written at once.

/// Bytes of a buffer that lie together in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRun {
    /// Where in the file.
    pub at: u64,
    /// Where in the buffer.
    pub from: usize,
    /// How many.
    pub bytes: usize,
}

/// Collects them.
#[derive(Debug, Default)]
pub struct FileRuns(Option<FileRun>);

impl FileRuns {
    /// Adds some; returns the run before where these do not go on with it.
    pub fn add(&mut self, at: u64, from: usize, bytes: usize) -> Option<FileRun> {
        if let Some(run) = &mut self.0
            && run.from + run.bytes == from
            && run.at.checked_add(run.bytes as u64) == Some(at)
        {
            run.bytes += bytes;
            return None;
        }
        self.0.replace(FileRun { at, from, bytes })
    }

    /// What is left.
    pub const fn take(&mut self) -> Option<FileRun> {
        self.0.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one() {
        let mut runs = FileRuns::default();
        assert_eq!(runs.add(100, 0, 10), None);
        assert_eq!(runs.add(110, 10, 10), None);
        let (at, from, bytes) = (100, 0, 20);
        assert_eq!(runs.add(130, 20, 5), Some(FileRun { at, from, bytes }));
        let (at, from, bytes) = (130, 20, 5);
        assert_eq!(runs.add(135, 30, 5), Some(FileRun { at, from, bytes }));
        assert!(runs.take().is_some() && runs.take().is_none());
    }
}
