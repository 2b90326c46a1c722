//! Layouts of all kinds, put right: types and identities stay, starts are on the grid, data are there.

use super::*;
use ioalign_testkit::{Loop, gpt};

/// Fixes an image; the table but for the starts is what it was, and sfdisk and check are content.
fn fixed(image: &Image, arguments: &[&str], grid: u64) {
    let before = image.table();
    let path = text(image.path());
    let answer = document(&[&[path, "--apply"], arguments].concat());
    assert_eq!(answer["result"], "moved");
    assert_eq!(
        answer["done"]["verified_bytes"],
        answer["done"]["moved_bytes"]
    );
    let named = |lines: &[Line]| -> Vec<_> {
        lines
            .iter()
            .map(|line| (line.number, line.rest.clone()))
            .collect()
    };
    let after = image.table();
    assert_eq!(named(&before), named(&after));
    let said = tool("sfdisk", &["--verify", path]);
    assert!(said.contains("No errors"), "{said}");
    image.is_fixed(grid);
    let judged = check_image(image.path(), &[]);
    assert!(
        judged.of_rule("start-misaligned").is_empty(),
        "{:#}",
        judged.json
    );
}

#[test]
fn primaries_at_sector_63_go_to_the_mebibyte() {
    needs!(Packages);
    fixed(&Image::old(), &[], MIB);
}

#[test]
fn a_full_disk_takes_the_least_that_is_good() {
    needs!(Packages);
    // There are a few sectors at the end, and those before 63 are for boot loaders.
    let image = Image::new(24, "label: dos\n63,20000,7\n20063,29080,83\n");
    fixed(&image, &[], 4096);
    assert_eq!(image.table()[0].start, 64 * 512);
}

#[test]
fn logical_partitions_keep_their_chain() {
    needs!(Packages);
    let script =
        "label: dos\n63,10000,83\n10063,60000,f\n10126,10000,83\n20189,12000,82\n32252,9000,7\n";
    fixed(&Image::new(48, script), &["--chunk", "1M"], MIB);
}

#[test]
fn a_logical_partition_has_room_for_its_record_only() {
    needs!(Packages);
    // The extended partition is full to its last sector, and a primary one follows at once.
    let script = "label: dos\n2048,10240,83\n12288,20063,5\n32351,20000,83\n12351,20000,83\n";
    fixed(&Image::new(40, script), &[], 4096);
}

#[test]
fn a_gpt_keeps_names_identities_and_attributes() {
    needs!(Packages);
    let script = "label: gpt\nfirst-lba: 34\n\
        start=63,size=10000,type=U,name=\"boot äö\",attrs=\"LegacyBIOSBootable\"\n\
        start=10063,size=12000,type=L,name=\"data, and more\"\n\
        start=22063,size=5000,type=S\n";
    fixed(&Image::new(24, script), &[], MIB);
}

#[test]
fn a_gpt_of_4096_byte_sectors_is_counted_in_those() {
    let disk = Disk::new("disk.img", 40 * MIB);
    let entries = [(gpt::LINUX, 7, 994), (gpt::LINUX, 1001, 3000)];
    gpt::write(&disk, 4096, &entries);
    let [first, second] = [noise(1, 994 * 4096), noise(2, 3000 * 4096)];
    disk.write(7 * 4096, &first).write(1001 * 4096, &second);
    let path = text(disk.path());
    // On 4 KiB it is already; the mebibyte has to be asked for.
    assert_eq!(document(&[path])["needed"], false);
    let answer = document(&[path, "--apply", "--align", "1M"]);
    assert_eq!(answer["plan"]["sector_bytes"], 4096);
    let starts: Vec<_> = answer["plan"]["partitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["new_start_bytes"].as_u64().unwrap())
        .collect();
    assert!(starts.iter().all(|start| start % MIB == 0), "{starts:?}");
    assert!(disk.read(starts[0], first.len()) == first);
    assert!(disk.read(starts[1], second.len()) == second);
    assert_eq!(check_image(disk.path(), &[]).code, 0);
}

#[test]
fn what_is_typed_is_obeyed() {
    needs!(Packages);
    let image = Image::old();
    let path = text(image.path());
    // One partition alone.
    let plan = document(&[path, "--partition", "3"]);
    let moves = plan["plan"]["moves"].as_array().unwrap();
    assert_eq!((moves.len(), &moves[0]["partition"]), (1, &Value::from(3)));
    // A stripe that is no power of two.
    let plan = document(&[path, "--grid", "192k:stripe:preference"]);
    for one in plan["plan"]["moves"].as_array().unwrap() {
        assert_eq!(one["to_bytes"].as_u64().unwrap() % (192 << 10), 0);
    }
    let plan = document(&[path, "--align", "64k", "--limit", "1k"]);
    for one in plan["plan"]["moves"].as_array().unwrap() {
        assert_eq!(one["to_bytes"].as_u64().unwrap() % (64 << 10), 0);
    }
    assert_eq!(plan["plan"]["estimate"]["source"], "limit");
    refused(&[path, "--partition", "9"], 65, &["no partition 9"]);
}

#[test]
fn what_is_aligned_is_the_data_of_a_physical_volume() {
    needs!(Packages, Root);
    // The extents begin 192 KiB + 512 bytes into the partition: it has to start one sector off.
    let image = Image::new(40, "label: dos\n2048,60000,8e\n");
    let device = Loop::new(image.path(), &["--offset=1048576", "--sizelimit=30720000"]);
    let config = format!(
        "devices {{ global_filter=[\"a|^{}$|\", \"r|.*|\"] use_devicesfile=0 }}",
        device.text()
    );
    let placed = ["--dataalignment", "192k", "--dataalignmentoffset", "512b"];
    let quiet = ["-q", "-q", "-ff", "-y", "--config", &config];
    tool(
        "pvcreate",
        &[&quiet[..], &placed, &[device.text()]].concat(),
    );
    drop(device);
    let plan = document(&[text(image.path())]);
    let to = plan["plan"]["moves"][0]["to_bytes"].as_u64().unwrap();
    assert_eq!((to + 192 * 1024 + 512) % 4096, 0, "{plan:#}");
}
