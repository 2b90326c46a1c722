//! Cylinder, head and sector of an MBR entry: what firmware of before 1996 reads. The geometry is that of
//! LBA translation, 255 heads and 63 sectors, as every partitioner writes it.

const HEADS: u64 = 255;
const SECTORS: u64 = 63;
/// What stands for "past what three bytes can say".
const PAST: [u8; 3] = [0xfe, 0xff, 0xff];

/// The three bytes for a sector.
pub fn packed(lba: u64) -> [u8; 3] {
    let (cylinder, rest) = (lba / (HEADS * SECTORS), lba % (HEADS * SECTORS));
    let (head, sector) = (rest / SECTORS, rest % SECTORS + 1);
    let parts = (
        u8::try_from(head),
        u8::try_from(sector),
        u16::try_from(cylinder),
    );
    match parts {
        (Ok(head), Ok(sector), Ok(cylinder)) if cylinder < 1024 => {
            let [high, low] = cylinder.to_be_bytes();
            [head, sector | high << 6, low]
        }
        _ => PAST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_fdisk_writes_them() {
        assert_eq!(packed(63), [1, 1, 0]);
        assert_eq!(packed(2048), [0x20, 0x21, 0]);
        assert_eq!(packed(1023 * 255 * 63), [0, 0xc1, 0xff]);
        assert_eq!(packed(1024 * 255 * 63), PAST);
    }
}
