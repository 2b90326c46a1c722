//! Makes the VMDK kinds that no tool outside ESXi writes: COWD and seSparse, and descriptors.

const SECTOR: usize = 512;

fn put32(bytes: &mut [u8], at: usize, value: usize) {
    let value = u32::try_from(value).unwrap();
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

/// A descriptor with these extent lines.
pub fn descriptor(create_type: &str, more: &str, extents: &[String]) -> String {
    format!(
        "# Disk DescriptorFile\nversion=1\nCID=12345678\nparentCID=ffffffff\n\
         createType=\"{create_type}\"\n{more}\n# Extent description\n{}\n\n\
         # The Disk Data Base\n#DDB\nddb.adapterType = \"lsilogic\"\n",
        extents.join("\n")
    )
}

/// A `COWD` extent of `sectors` with the given grains, each filled with its byte.
pub fn cowd(sectors: usize, grain: usize, data: &[(usize, u8)]) -> Vec<u8> {
    let tables = sectors.div_ceil(grain * 4096);
    let mut file = vec![0; 2048 + (tables * 4).next_multiple_of(SECTOR)];
    file[..4].copy_from_slice(b"COWD");
    for (at, value) in [
        (4, 1),
        (8, 3),
        (12, sectors),
        (16, grain),
        (20, 4),
        (24, tables),
    ] {
        put32(&mut file, at, value);
    }
    for (number, fill) in data {
        let entry = 2048 + number / 4096 * 4;
        let mut table = usize::try_from(u32::from_le_bytes(
            file[entry..entry + 4].try_into().unwrap(),
        ))
        .unwrap();
        if table == 0 {
            table = file.len() / SECTOR;
            put32(&mut file, entry, table);
            file.resize(file.len() + 4096 * 4, 0);
        }
        let at = file.len() / SECTOR;
        put32(&mut file, table * SECTOR + number % 4096 * 4, at);
        file.resize(file.len() + grain * SECTOR, *fill);
    }
    file
}

/// A seSparse extent of `sectors` (grains of 4 KiB, tables of 4096 entries).
///
/// `data`: grain, then the byte that fills it; 0 makes a zero grain without data.
pub fn se_sparse(sectors: u64, data: &[(usize, u8)]) -> Vec<u8> {
    let tables = usize::try_from(sectors.div_ceil(8 * 4096)).unwrap();
    let (directory, tables_at) = (8, 16);
    let grains_at = tables_at + tables * 64;
    let mut file = vec![0; grains_at * SECTOR];
    for (at, value) in [
        (0, 0xCAFE_BABE),
        (8, 0x0000_0002_0000_0001),
        (16, sectors),
        (24, 8),
        (32, 64),
        (80, 1),
        (88, 1),
        (128, directory as u64),
        (136, 8),
        (144, tables_at as u64),
        (152, (tables * 64) as u64),
        (192, grains_at as u64),
        (512, 0xCAFE_CAFE),
    ] {
        put64(&mut file, at, value);
    }
    // Tables are handed out from the last to the first, so that their numbers matter.
    for i in 0..tables {
        let number = (tables - 1 - i) as u64;
        put64(
            &mut file,
            directory * SECTOR + i * 8,
            0x1000_0000_0000_0000 | number,
        );
    }
    for (number, fill) in data {
        let table = tables - 1 - number / 4096;
        let entry = tables_at * SECTOR + table * 64 * SECTOR + number % 4096 * 8;
        if *fill == 0 {
            put64(&mut file, entry, 0x2000_0000_0000_0000);
            continue;
        }
        let index = ((file.len() - grains_at * SECTOR) / 4096) as u64;
        let coded = (index & 0xFFF) << 48 | index >> 12;
        put64(&mut file, entry, 0x3000_0000_0000_0000 | coded);
        file.resize(file.len() + 4096, *fill);
    }
    file
}
