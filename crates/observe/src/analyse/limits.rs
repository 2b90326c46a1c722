//! Memory per device is bounded.

/// Processes that one device keeps apart, at most.
pub const MOST_OWNERS: usize = 1024;

/// How many entries of each kind one device may keep. Devices that come later get fewer.
#[derive(Copy, Clone, Debug)]
pub struct DeviceLimits {
    /// Processes.
    pub owners: usize,
    /// Intervals.
    pub intervals: usize,
    /// Cells read, on each grid.
    pub cells: usize,
    /// Regions of 256 KiB in which small reads are remembered.
    pub regions: usize,
    /// Sizes, of each operation.
    pub sizes: usize,
    /// Samples that wait for completions.
    pub samples: usize,
    /// Steps of queue depth.
    pub steps: usize,
    /// Bursts, one by one.
    pub bursts: usize,
}

impl DeviceLimits {
    /// The same where profiles are merged: tables that are exact as long as they have room do not depend on the
    /// order of devices.
    pub fn mergeable(before: usize) -> Self {
        let first = Self::after(0);
        Self {
            owners: first.owners,
            sizes: first.sizes,
            ..Self::after(before)
        }
    }

    /// The limits of the device that comes after `before` others.
    pub fn after(before: usize) -> Self {
        Self {
            owners: (8192 / (before + 1)).clamp(4, MOST_OWNERS),
            intervals: (65536 / (before + 1)).clamp(64, 2048),
            cells: if before < 256 { 1024 } else { 64 },
            regions: match before {
                0..4 => 16384,
                4..64 => 1024,
                64..256 => 64,
                _ => 16,
            },
            sizes: (65536 / (before + 1)).clamp(16, 4096),
            samples: if before < 256 { 1024 } else { 64 },
            steps: if before < 1024 { 128 } else { 32 },
            bursts: if before < 1024 { 32 } else { 8 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_thousands_of_devices_are_small() {
        let regions: usize = (0..4100).map(|i| DeviceLimits::after(i).regions).sum();
        assert!(regions * 24 < 6 << 20, "{regions}");
        // One disk alone remembers what a page cache of 4 GiB holds back.
        assert_eq!(DeviceLimits::after(0).regions * 256, 4 << 20);
    }
}
