//! Writes, reads and flushes by chance, on a disk and on bytes in memory.

use ioalign_repair::Disk;
use ioalign_testkit::Random;

/// Bytes that tell where and when they were written; now and then zeros.
pub fn data(random: &mut Random, bytes: usize) -> Vec<u8> {
    if random.below(5) == 0 {
        return vec![0; bytes];
    }
    let mut seed = random.next();
    let words = (0..bytes.div_ceil(8)).flat_map(|_| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        seed.to_le_bytes()
    });
    words.take(bytes).collect()
}

/// A place of whole blocks in a disk: mostly short, and often where others were.
pub fn place(random: &mut Random, disk: &dyn Disk, most: usize) -> (u64, usize) {
    let block = disk.logical_bytes();
    let blocks = disk.size_bytes() / block;
    let most = (most as u64 / block).clamp(1, blocks);
    let long = if random.below(4) == 0 {
        most
    } else {
        most.min(24)
    };
    let bytes = random.within(1, long + 1).min(blocks);
    let start = match random.below(3) {
        0 => 0,
        1 => blocks - bytes,
        _ => random.below_u64(blocks - bytes + 1),
    };
    let near = random.below_u64(64).min(blocks - bytes - start);
    let (start, bytes) = ((start + near) * block, bytes * block);
    (start, usize::try_from(bytes).unwrap())
}

/// Does some of them; all reads are right.
pub fn exercise(disk: &mut dyn Disk, model: &mut [u8], random: &mut Random, steps: usize) {
    assert!(disk.size_bytes() <= model.len() as u64);
    for _ in 0..steps {
        let (at, bytes) = place(random, disk, 300 << 10);
        let from = usize::try_from(at).unwrap();
        match random.below(8) {
            0 => disk.flush().unwrap(),
            1 | 2 => {
                let mut there = vec![1; bytes];
                disk.read_at(at, &mut there).unwrap();
                assert!(there == model[from..from + bytes], "{bytes} at {at}");
                let zeros = usize::try_from(disk.zeros_from(at)).unwrap();
                assert!(model[from..from + zeros].iter().all(|byte| *byte == 0));
            }
            3 => disk.release(at, bytes as u64),
            _ => {
                let data = data(random, bytes);
                disk.write_at(at, &data).unwrap();
                model[from..from + bytes].copy_from_slice(&data);
            }
        }
    }
}
