//! Ansible facts and libvirt XML.

use ioalign_inspect::captures::Number;
use ioalign_inspect::host::hints::Transport;

use super::{at, read, said};

#[test]
fn ansible_start_is_in_512_byte_units_on_4kn() {
    let text = r#"web1 | SUCCESS => {
    "ansible_facts": {
        "ansible_devices": {
            "nvme0n1": {
                "model": "Some NVMe", "rotational": "0", "sectors": "976773168", "sectorsize": "4096",
                "size": "465.76 GB", "vendor": null, "partitions": {
                    "nvme0n1p1": {"sectors": 2097152, "sectorsize": 4096, "size": "8.00 GB", "start": "2048", "uuid": null}
                }
            },
            "sda": {"sectors": "2048", "sectorsize": 512, "size": "1.00 MB", "partitions": {
                "sda1": {"sectors": "1985", "sectorsize": 512, "size": "992.50 KB", "start": "63"}}}
        }
    },
    "changed": false
}"#;
    let evidence = read(text);
    let part = said(&evidence, "nvme0n1p1");
    assert_eq!(part.start, at(2048));
    assert!(!part.size.unwrap().is_exact());
    assert!(part.size.unwrap().low <= 8 << 30 && 8 << 30 <= part.size.unwrap().high);
    assert_eq!(
        said(&evidence, "nvme0n1").claims.as_ref().unwrap().logical,
        Some(4096)
    );
    assert_eq!(said(&evidence, "sda1").size, at(1985));
    let two = format!(
        "{{\"a\":{{\"ansible_devices\":{{}}}},\"b\":{}}}",
        "{\"ansible_devices\":{}}"
    );
    assert_eq!(read(&two).remarks[0].rule, "several-hosts");
}

#[test]
fn libvirt_tells_what_the_guest_is_told() {
    let text = "<domain type='kvm'>\n  <name>web1</name>\n  <devices>\n    <disk type='block' device='disk'>\n      \
        <driver name='qemu' type='raw' cache='none'/>\n      <source dev='/dev/vg/web1'/>\n      \
        <blockio logical_block_size='512' physical_block_size=\"4096\"/>\n      <target dev='vda' bus='virtio'/>\n    </disk>\n    \
        <disk type='file' device='disk'>\n      <source file='/srv/a&amp;b.qcow2'/>\n      <target dev='sda' bus='scsi'/>\n    </disk>\n  \
        </devices>\n</domain>\n";
    let evidence = read(text);
    let first = said(&evidence, "web1/vda");
    let claims = first.claims.as_ref().unwrap();
    assert_eq!((claims.logical, claims.physical), (Some(512), Some(4096)));
    assert_eq!(
        (claims.transport, &*first.parents[0]),
        (Transport::Virtio, "vg/web1")
    );
    let second = said(&evidence, "web1/sda");
    assert!(second.claims.is_none());
    assert_eq!(second.parents, ["/srv/a&b.qcow2"]);
}

#[test]
fn qemu_map_of_one_shift() {
    let text = r#"[{ "start": 0, "length": 65536, "depth": 0, "present": true, "zero": false, "data": true, "offset": 512},
{ "start": 65536, "length": 65536, "depth": 1, "present": true, "zero": false, "data": true, "offset": 3}]"#;
    let evidence = read(text);
    let image = said(&evidence, "image");
    assert_eq!(image.size, Some(Number::exact(131_072)));
    assert!(image.facts.contains(&("shift", "512 B".to_owned())));
    assert!(image.remarks[0].why.starts_with("65536 of 65536"));
}
