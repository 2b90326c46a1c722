//! The places that I/O of one size may go to, counted from 0 over all files.

/// Places `offset + n × step` in each file, as many as fit whole.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    files: Vec<SpacePart>,
    total: u64,
    offset: u64,
    step: u64,
}

#[derive(Copy, Clone, Debug)]
struct SpacePart {
    file: u32,
    /// Places in the files before.
    before: u64,
}

impl Space {
    /// `files` by number and size. `None` where an I/O of `bytes` fits nowhere.
    pub(crate) fn new(files: &[(u32, u64)], bytes: u64, step: u64, offset: u64) -> Option<Self> {
        let mut total = 0_u64;
        let mut parts = Vec::new();
        for (file, size) in files {
            let room = size
                .checked_sub(offset)
                .and_then(|room| room.checked_sub(bytes));
            if let Some(room) = room {
                parts.push(SpacePart {
                    file: *file,
                    before: total,
                });
                total += room / step.max(1) + 1;
            }
        }
        (total != 0).then_some(Self {
            files: parts,
            total,
            offset,
            step: step.max(1),
        })
    }

    /// How many places.
    #[inline]
    pub(crate) const fn places(&self) -> u64 {
        self.total
    }

    /// File and byte of a place.
    #[inline]
    pub(crate) fn at(&self, place: u64) -> (u32, u64) {
        let part = match self.files.as_slice() {
            [only] => *only,
            several => {
                let next = several.partition_point(|part| part.before <= place);
                several
                    .get(next.saturating_sub(1))
                    .copied()
                    .unwrap_or(SpacePart {
                        file: 0,
                        before: place,
                    })
            }
        };
        (part.file, self.offset + (place - part.before) * self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_fit_whole_and_files_follow_each_other() {
        let space = Space::new(&[(3, 8192), (4, 100), (5, 8704)], 4096, 4096, 512).unwrap();
        let all: Vec<_> = (0..space.places()).map(|place| space.at(place)).collect();
        assert_eq!(all, [(3, 512), (5, 512), (5, 4608)]);
        assert!(Space::new(&[(0, 4096)], 4096, 4096, 512).is_none());
    }
}
