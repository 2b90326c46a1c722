//! Ranges in blocks.

/// A range that is rounded out to blocks, and the blocks that it covers in part.
pub fn rounded(at: u64, len: u64, block: u64) -> ((u64, u64), Vec<(u64, u64)>) {
    if block == 0 {
        return ((at, len), Vec::new());
    }
    let (low, high) = (at / block * block, (at + len).next_multiple_of(block));
    let mut partial = Vec::new();
    if low < at || (high == low + block && high > at + len) {
        partial.push((low, block));
    }
    if at + len < high && high > low + block {
        partial.push((high - block, block));
    }
    ((low, high - low), partial)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn blocks_in_part_are_found() {
        assert_eq!(rounded(512, 1024, 0), ((512, 1024), vec![]));
        assert_eq!(rounded(4096, 8192, 4096), ((4096, 8192), vec![]));
        assert_eq!(rounded(512, 512, 4096), ((0, 4096), vec![(0, 4096)]));
        assert_eq!(rounded(0, 512, 4096), ((0, 4096), vec![(0, 4096)]));
        let both = vec![(0, 4096), (8192, 4096)];
        assert_eq!(rounded(1536, 8192, 4096), ((0, 12288), both));
        assert_eq!(rounded(0, 5000, 4096), ((0, 8192), vec![(4096, 4096)]));
    }
}
