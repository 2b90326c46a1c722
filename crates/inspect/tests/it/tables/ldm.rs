//! Dynamic disks with an MBR.

use ioalign_core::{Bytes, Role};

use super::disk::{boot_record, put, read, rules};

#[test]
fn a_dynamic_disk_is_recognised_and_not_called_ok() {
    let mut image = vec![0; 32 << 20];
    boot_record(&mut image, 0, &[(0x42, 63, 60_000)]);
    assert_eq!(
        read(&image).unwrap().unwrap().kind.name(),
        "dos",
        "without a private header"
    );
    let head = 6 * 512;
    put(&mut image, head, b"PRIVHEAD");
    put(
        &mut image,
        head + 0x30,
        b"7e9d3b0a-0000-11db-8000-000c29000000",
    );
    put(&mut image, head + 0xF0, b"ServerDg0");
    for (field, sectors) in [
        (0x11B, 63_u64),
        (0x123, 63_000),
        (0x12B, 63_488),
        (0x133, 2048),
    ] {
        put(&mut image, head + field, &sectors.to_be_bytes());
    }
    let table = read(&image).unwrap().unwrap();
    assert_eq!(
        (table.kind.name(), rules(&table)),
        ("ldm", vec!["ldm-not-followed"])
    );
    assert_eq!(table.remarks[0].severity.name(), "unknown");
    assert!(table.remarks[0].why.contains("ServerDg0"));
    assert_eq!(table.partitions[0].start, Bytes::new(32_256));
    assert_eq!(table.partitions[1].role, Role::Reserved);
    let fields: Vec<_> = table
        .partitions
        .iter()
        .map(|p| {
            (
                p.number,
                p.type_id.as_str(),
                p.type_name,
                p.size.get() / 512,
                p.entry_at.get(),
            )
        })
        .collect();
    assert_eq!(
        fields,
        [
            (1, "data", "LDM data region", 63_000, 0xc00 + 0x11b),
            (2, "database", "LDM database", 2048, 0xc00 + 0x12b),
        ]
    );
    assert_eq!(table.sector.map(|size| size.get()), Some(512));
    assert_eq!(table.id, "7e9d3b0a-0000-11db-8000-000c29000000");
    boot_record(&mut image, 0, &[(0x07, 63, 60_000)]);
    assert_eq!(
        read(&image).unwrap().unwrap().kind.name(),
        "dos",
        "a stale private header"
    );
}
