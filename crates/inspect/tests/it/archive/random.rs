//! Damaged tarballs: bits flipped and ends cut off, packed and not; whatever comes of it, it returns.

use std::sync::Arc;

use ioalign_inspect::source::MemorySource;
use ioalign_inspect::{Source, archive};
use ioalign_testkit::bundle::packed;
use ioalign_testkit::{BundleBuilder, Random};

#[test]
fn damage_is_survived() {
    let bundle = BundleBuilder::new("s")
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
