//! Damaged tarballs: bits flipped and ends cut off, packed and not; whatever comes of it, it returns.

use std::sync::Arc;

use ioalign_inspect::source::MemorySource;
use ioalign_inspect::{Source, archive};
use ioalign_testkit::Bundle;
use ioalign_testkit::bundle::packed;

struct Random(u64);

impl Random {
    /// splitmix64
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }
}

#[test]
fn damage_is_survived() {
    let bundle = Bundle::new("s")
        .queue("sda", (512, 4096, 4096, 0))
        .link("sys/block/sdb", "sda")
        .file("sos_commands/block/lsblk", "NAME SIZE\nsda 1G\n".repeat(40))
        .file("dev/sda", [vec![0; 9000], vec![5; 100]].concat());
    let mut random = Random(47);
    for (ending, runs) in [
        ("tar", 3000),
        ("gz", 600),
        ("xz", 600),
        ("bz2", 200),
        ("zst", 600),
    ] {
        let whole = packed(&bundle.tar(), format!("x.{ending}").as_ref());
        for _ in 0..runs {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            if random.below(3) == 0 {
                bytes.truncate(random.below(bytes.len()));
            }
            let source: Arc<dyn Source> = Arc::new(MemorySource::new(bytes));
            let _ = archive::read(&source);
        }
    }
}
