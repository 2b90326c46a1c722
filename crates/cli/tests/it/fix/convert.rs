//! Images for disks of other logical sectors.

use super::*;

/// A GPT with an ESP that holds a file, and an ext4; sectors of 512 bytes.
pub fn image() -> Image {
    let script = "label: gpt\nstart=2048,size=20480,type=U,name=\"EFI\"\nstart=22528,size=40960,type=L,name=\"root\"\n";
    let mut image = Image::new(40, script);
    image.parts.clear();
    let make = "truncate --size 10M \"$1.fat\"; mkfs.fat -F 16 -s 4 -n ESP \"$1.fat\" >&2; seq 1 30000 > \"$1.efi\"; \
        mcopy -i \"$1.fat\" \"$1.efi\" ::/BOOTX64.EFI; truncate --size 20M \"$1.ext\"; mkfs.ext4 -q -b 4096 \"$1.ext\"; \
        dd if=\"$1.fat\" of=\"$1\" bs=1M seek=1 conv=notrunc status=none; dd if=\"$1.ext\" of=\"$1\" bs=1M seek=11 conv=notrunc status=none";
    tool("sh", &["-ec", make, "-", text(image.path())]);
    image
}

const TO: &str = "--convert-sector-size";

/// The file of the ESP, as mtools reads it.
fn file_is_there(path: &Path) {
    let read =
        "MTOOLS_SKIP_CHECK=1 mcopy -i \"$1@@1M\" ::/BOOTX64.EFI - | cmp - \"$2.efi\" && echo same";
    let first = path.with_file_name("disk.img");
    let same = tool("sh", &["-ec", read, "-", text(path), text(&first)]);
    assert!(same.contains("same"), "{}", path.display());
}

#[test]
fn in_place_and_to_a_new_image_are_the_same() {
    needs!(Packages);
    let image = image();
    let path = text(image.path());
    let before = image.whole();
    let rows = image.table();
    let plan = document(&[path, TO, "4096"]);
    let conversion = &plan["conversion"];
    assert_eq!(conversion["needed"], true);
    assert_eq!(
        conversion["partitions"][0]["rebuilt"]["new_cluster_bytes"],
        4096
    );
    let new = image.disk.folder().join("new.img");
    let copied = document(&[path, TO, "4k", "--output", text(&new)]);
    assert_eq!(copied["result"], "copied");
    assert!(image.whole() == before, "the original stays");
    let shown = String::from_utf8(fix(&[path, TO, "4096"]).stdout).unwrap();
    let name = conversion["name"].as_str().unwrap();
    assert!(
        shown.contains(&format!("--apply --expect {name}")),
        "{shown}"
    );
    let done = document(&[path, TO, "4096", "--apply", "--expect", name]);
    assert_eq!(done["result"], "converted");
    assert!(image.whole() == std::fs::read(&new).unwrap());
    assert!(!image.journal().exists());
    file_is_there(image.path());
    // Now check sees an image for disks of 4096.
    let judged = check_image(image.path(), &["--target-logical", "4096"]);
    assert_eq!(judged.verdict(), "ok", "{:#}", judged.json);
    assert_eq!(fix(&[path, TO, "4096"]).status.code(), Some(0));
    let nothing = document(&[path, TO, "4096"]);
    assert_eq!(nothing["conversion"]["needed"], false);
    let back = document(&[path, TO, "512", "--apply"]);
    assert_eq!(back["result"], "converted");
    assert_eq!(image.table(), rows);
    file_is_there(image.path());
}

#[test]
fn other_formats_are_read_and_written() {
    needs!(Packages);
    let image = image();
    let folder = image.disk.folder();
    let (qcow2, raw) = (folder.join("new.qcow2"), folder.join("raw.img"));
    done(&[text(image.path()), TO, "4096", "--output", text(&qcow2)]);
    tool(
        "qemu-img",
        &["convert", "-O", "raw", text(&qcow2), text(&raw)],
    );
    file_is_there(&raw);
    // A VHDX says how long its sectors are.
    let vhdx = folder.join("new.vhdx");
    done(&[text(image.path()), TO, "4096", "--output", text(&vhdx)]);
    assert_eq!(check_image(&vhdx, &[]).verdict(), "ok");
    let words = [
        "its sectors have 4096 bytes",
        "--output",
        "nothing was written",
    ];
    refused(&[text(&vhdx), TO, "512", "--apply"], 65, &words);
    let plan = document(&[text(&vhdx), TO, "512"]);
    assert_eq!(plan["conversion"]["in_place"], false);
    let back = folder.join("back.vhdx");
    done(&[text(&qcow2), TO, "512", "--output", text(&back)]);
    tool(
        "qemu-img",
        &["convert", "-O", "raw", text(&back), text(&raw)],
    );
    assert_eq!(table(&raw, 512).len(), 2);
    file_is_there(&raw);
}

#[test]
fn what_cannot_follow_is_refused() {
    needs!(Packages);
    let image = image();
    let path = text(image.path());
    let make = "truncate --size 20M \"$1.ext\"; mkfs.ext4 -q -F -b 1024 \"$1.ext\"; dd if=\"$1.ext\" of=\"$1\" bs=1M seek=11 conv=notrunc status=none";
    tool("sh", &["-ec", make, "-", path]);
    let before = image.whole();
    let words = [
        "partition 2",
        "block of 1024 bytes",
        "mkfs.ext4 -b 4096",
        "nothing was written",
    ];
    refused(&[path, TO, "4096", "--apply"], 64, &words);
    let new = image.disk.folder().join("new.img");
    refused(&[path, TO, "4096", "--output", text(&new)], 64, &words);
    assert!(image.whole() == before && !new.exists());
    refused(&[path, TO, "2048"], 64, &["512 or 4096"]);
    refused(&[path, TO, "4096", "--grow"], 64, &["cannot be used with"]);
    let dos = Image::old();
    refused(
        &[text(dos.path()), TO, "4096"],
        65,
        &["sector size is unknown"],
    );
}
