//! Trees that are made: folders of databases, and a host.

use std::fs;
use std::path::{Path, PathBuf};

use ioalign_testkit::Sysroot;
use ioalign_testkit::sysroot::SysrootDisk;

/// One folder of each kind of database.
pub fn database(folder: &Path, kind: usize) -> PathBuf {
    let folder = folder.join(format!("database{kind}"));
    fs::create_dir_all(folder.join("global")).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    match kind {
        0 => {
            let mut control = vec![0; 512];
            control[160..168].copy_from_slice(&1_234_567.0_f64.to_le_bytes());
            for (index, value) in [8192_u32, 131_072, 8192, 16 << 20].iter().enumerate() {
                let at = 168 + 4 * index;
                control[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
            write("global/pg_control", &control);
            write("PG_VERSION", b"15\n");
            write(
                "postgresql.conf",
                b"#full_page_writes = on\nfull_page_writes = off # lost\n",
            );
            write("postgresql.auto.conf", b"full_page_writes = 'on'\n");
        }
        1 => {
            let mut header = vec![0; 64];
            header[25] = 8;
            write("ibdata1", &header);
            write("ib_16384_0.dblwr", b"");
        }
        2 => {
            let mut header = b"SQLite format 3\0".to_vec();
            header.extend([16, 0, 2, 2]);
            header.resize(100, 0);
            write("data.sqlite", &header);
        }
        _ => write(
            "WiredTiger",
            b"WiredTiger\nWiredTiger 11.2.0: (November 9, 2022)\n",
        ),
    }
    folder
}

/// A host with most of what the readers ask for: an array, dm tables of several kinds, mounts.
pub fn host() -> Sysroot {
    let disk = |name| SysrootDisk::new(name, 1 << 22).limits(512, 4096, 4096, 0);
    Sysroot::new()
        .disk(disk("sda").model("ATA", "ST4000VN008"))
        .disk(disk("sdb").usb())
        .disk(disk("vda").virtio().attr("queue/optimal_io_size", 1 << 20))
        .partition("sda", 1, 63, 1_000_000)
        .partition("sdb", 1, 2048, 1_000_000)
        .md(
            "md0",
            1_900_000,
            ("raid5", 65536, 2),
            &[("sda1", "0", 2048), ("sdb1", "1", 2048)],
        )
        .dm("dm-0", "vg-root", "LVM-x", 500_000, &["md0"])
        .dm("dm-1", "secret", "CRYPT-LUKS2-x", 400_000, &["dm-0"])
        .tables(
            "vg-root: 0 500000 linear {md0} 2048\n\
             secret: 0 400000 crypt aes-xts-plain64 :64:logon:x 0 {dm-0} 32768\n",
        )
        .file(
            "proc/self/mountinfo",
            "29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/mapper/secret rw,stripe=32\n",
        )
}
