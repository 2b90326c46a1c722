//! Superblocks of Linux md, by hand: `mdadm` makes them only where the kernel has the driver.

use crate::Disk;

const MAGIC: [u8; 4] = 0xa92b_4efc_u32.to_le_bytes();

/// A member of an array of two clean devices.
#[derive(Clone, Copy, Debug)]
pub struct MdMember {
    /// `0.90`, `1.0`, `1.1` or `1.2`.
    pub version: &'static str,
    /// The RAID level.
    pub level: u32,
    /// The start of the device on its disk.
    pub start: u64,
    /// Its length.
    pub len: u64,
}

impl MdMember {
    /// Where its superblock lies, from the start of the disk.
    pub const fn place(&self) -> u64 {
        self.start
            + match self.version.as_bytes() {
                b"0.90" => (self.len & !0xffff) - 0x1_0000,
                b"1.0" => (self.len / 512 - 16) / 8 * 4096,
                b"1.1" => 0,
                _ => 4096,
            }
    }

    /// Writes the superblock, and nothing else.
    pub fn write(&self, disk: &Disk) {
        let bytes = match self.version {
            "0.90" => self.version_0(),
            _ => self.version_1(),
        };
        disk.write(self.place(), &bytes);
    }

    /// `mdp_super_t`: words.
    fn version_0(&self) -> Vec<u8> {
        let mut words = [0_u32; 1024];
        let mut put = |at: usize, value: u32| words[at] = value;
        put(0, 0xa92b_4efc);
        put(2, 90);
        put(5, 0x1234_5678);
        put(6, 1_600_000_000);
        put(7, self.level);
        let used = (self.place() - self.start) / 1024 / 64 * 64;
        put(8, u32::try_from(used).unwrap());
        for at in [9, 10, 36] {
            put(at, 2);
        }
        put(13, 0x9abc_def0);
        put(32, 1_600_000_000);
        put(33, 1);
        put(34, 2);
        put(35, 2);
        put(39, 5);
        put(65, 64 << 10);
        // The descriptors: number, major, minor, slot, active and in sync.
        for disk in 0..2 {
            let at = 128 + 32 * disk;
            let slot = u32::try_from(disk).unwrap();
            put(at, slot);
            put(at + 1, 8);
            put(at + 3, slot);
            put(at + 4, 6);
        }
        put(993, 8);
        put(996, 6);
        let sum: u64 = words.iter().map(|word| u64::from(*word)).sum();
        words[38] = u32::try_from((sum & 0xffff_ffff) + (sum >> 32)).unwrap();
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// `struct mdp_superblock_1`.
    fn version_1(&self) -> Vec<u8> {
        let place = (self.place() - self.start) / 512;
        let (start, end) = match self.version {
            "1.0" => (0, place - 8),
            _ => (2048, self.len / 512),
        };
        let mut sb = vec![0; 256 + 2 * 4];
        let mut put = |at: usize, value: &[u8]| sb[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC);
        put(4, &1_u32.to_le_bytes());
        put(16, &[7; 16]);
        put(32, b"host:0");
        put(64, &1_600_000_000_u64.to_le_bytes());
        put(72, &self.level.to_le_bytes());
        let used = (end - start) / 128 * 128;
        put(80, &used.to_le_bytes());
        put(88, &128_u32.to_le_bytes());
        put(92, &2_u32.to_le_bytes());
        put(128, &start.to_le_bytes());
        put(136, &(end - start).to_le_bytes());
        put(144, &place.to_le_bytes());
        put(168, &[9; 16]);
        put(192, &1_600_000_000_u64.to_le_bytes());
        put(200, &5_u64.to_le_bytes());
        put(208, &u64::MAX.to_le_bytes());
        put(220, &4_u32.to_le_bytes());
        put(256, &[0, 0, 1, 0, 0xfe, 0xff, 0xfe, 0xff]);
        let words = sb.chunks_exact(4).map(|word| {
            let word: [u8; 4] = word.try_into().unwrap();
            u64::from(u32::from_le_bytes(word))
        });
        let sum: u64 = words.sum();
        let folded = u32::try_from((sum & 0xffff_ffff) + (sum >> 32)).unwrap();
        sb[216..220].copy_from_slice(&folded.to_le_bytes());
        sb
    }
}
