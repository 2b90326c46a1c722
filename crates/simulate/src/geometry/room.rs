//! Arrays with a given room.

use super::{ArrayGeometry, ArrayShape};

impl ArrayGeometry {
    /// Lays out an array that has room for this many bytes, on larger disks where those of the shape are too small.
    pub fn with_room(shape: ArrayShape, bytes: u64) -> Result<Self, String> {
        let small = Self::new(shape.clone())?;
        if small.capacity() >= bytes {
            return Ok(small);
        }
        // In proportion, and a row more in both halves of a disk, because rows are whole.
        let wanted = u128::from(shape.disk_bytes) * u128::from(bytes);
        let wanted = wanted.div_ceil(u128::from(small.capacity()));
        let rows = u128::from(shape.array.element.get()) * 2;
        let disk_bytes = u64::try_from(wanted + rows).unwrap_or(u64::MAX);
        Self::new(ArrayShape {
            disk_bytes,
            ..shape
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::named;

    #[test]
    fn disks_grow_as_far_as_they_must() {
        for text in [
            "single",
            "raid0:3x192k",
            "raid1:2x64k",
            "raid10:4x64k",
            "raid10:5x64k",
            "raid5:5x32k:md",
            "raid6:12x1m",
        ] {
            let shape = named(text).unwrap().shape;
            for bytes in [512, 1 << 30, (100 << 30) + 512, 1 << 50] {
                let before = shape.disk_bytes;
                let room = ArrayGeometry::with_room(shape.clone(), bytes).unwrap();
                assert!(room.capacity() >= bytes, "{text} {bytes}");
                let grown = room.shape().disk_bytes;
                assert!(grown == before || room.capacity() < bytes + (bytes >> 8) + (64 << 20));
            }
            assert!(ArrayGeometry::with_room(shape, u64::MAX).is_err());
        }
    }
}
