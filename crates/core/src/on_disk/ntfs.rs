//! The boot sector of NTFS (Microsoft, "NTFS boot sector").

use super::bytes::{has, le16, le32, le64, u8_at};

/// Windows 10 raised the limit to 2 MiB.
const LARGEST_CLUSTER: u64 = 2 << 20;

/// What the boot sector says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NtfsBootSector {
    /// Bytes of a sector, as they are stored.
    pub sector: u64,
    /// Sectors of a cluster, as they are coded.
    pub cluster_code: u8,
    /// Where the volume believes that it starts, in sectors.
    pub hidden: u32,
    /// Sectors, the copy of this one behind them left out.
    pub sectors: u64,
    /// First cluster of the master file table.
    pub table: u64,
    /// Clusters or bytes of a record of that table, as they are coded.
    pub record_code: u8,
    /// Serial number.
    pub serial: u64,
}

impl NtfsBootSector {
    /// The fields of a boot sector; `None` without the name of NTFS. Nothing else is checked.
    pub fn read(boot: &[u8]) -> Option<Self> {
        has(boot, 3, b"NTFS    ").then(|| Self {
            sector: u64::from(le16(boot, 0x0b)),
            cluster_code: u8_at(boot, 0x0d),
            hidden: le32(boot, 0x1c),
            sectors: le64(boot, 0x28),
            table: le64(boot, 0x30),
            record_code: u8_at(boot, 0x40),
            serial: le64(boot, 0x48),
        })
    }

    /// Whether a sector can have this length: a power of two from 256 to 4096.
    pub const fn is_sector(&self) -> bool {
        self.sector.is_power_of_two() && 256 <= self.sector && self.sector <= 4096
    }

    /// Bytes of a cluster: a count of sectors up to 128, or above it the negative exponent of two
    /// (0xf4: 2^12 sectors).
    pub fn cluster(&self) -> Option<u64> {
        let sectors = match self.cluster_code {
            count @ 1..=128 if count.is_power_of_two() => u64::from(count),
            power @ 240..=249 => 1 << (256 - u32::from(power)),
            _ => return None,
        };
        let bytes = self.sector * sectors;
        (self.is_sector() && bytes <= LARGEST_CLUSTER).then_some(bytes)
    }

    /// Bytes of a record of the master file table: clusters, or where negative the exponent of two of bytes.
    pub fn record(&self) -> Option<u64> {
        let bytes = match self.record_code {
            count @ 1..=64 => self.cluster()? * u64::from(count),
            power @ 0xe1..=0xf7 => 1_u64.checked_shl(256 - u32::from(power))?,
            _ => return None,
        };
        (bytes.is_power_of_two() && (256..=65536).contains(&bytes)).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_above_64_kib_are_coded_as_exponents() {
        let cluster = |sector: u64, code: u8| {
            let mut boot = [0; 512];
            boot[3..11].copy_from_slice(b"NTFS    ");
            boot[0x0d] = code;
            let boot = NtfsBootSector::read(&boot).unwrap();
            NtfsBootSector { sector, ..boot }.cluster()
        };
        assert_eq!(cluster(512, 8), Some(4096));
        assert_eq!(cluster(512, 128), Some(65536));
        assert_eq!(cluster(512, 0xf8), Some(131_072));
        assert_eq!(cluster(512, 0xf4), Some(2 << 20));
        assert_eq!(cluster(512, 0xf3), None);
        assert_eq!(cluster(4096, 0), None);
        assert_eq!(cluster(4096, 3), None);
        assert_eq!(cluster(768, 8), None);
    }
}
