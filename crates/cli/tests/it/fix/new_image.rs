//! `--output`: a new image, and an original that nobody wrote to.

use super::*;

#[test]
fn a_new_raw_image_holds_everything_in_its_new_place() {
    needs!(Packages);
    let image = Image::old();
    let before = image.whole();
    let new = image.disk.folder().join("new.img");
    let answer = document(&[text(image.path()), "--output", text(&new)]);
    assert_eq!(answer["result"], "copied");
    assert!(image.whole() == before);
    let bytes = std::fs::read(&new).unwrap();
    for (line, part) in table(&new, 512).iter().zip(&image.parts) {
        assert_eq!(line.start % MIB, 0);
        let start = usize::try_from(line.start).unwrap();
        assert!(bytes[start..start + part.bytes.len()] == part.bytes);
    }
    refused(
        &[text(image.path()), "--output", text(&new)],
        65,
        &["there already"],
    );
    // Nothing to do: nothing is made.
    let again = image.disk.folder().join("again.img");
    done(&[text(&new), "--output", text(&again)]);
    assert!(!again.exists());
}

#[test]
fn an_old_format_becomes_a_new_one() {
    needs!(Packages);
    let image = Image::old();
    let vhd = image.disk.folder().join("old.vhd");
    tool(
        "qemu-img",
        &[
            "convert",
            "-O",
            "vpc",
            "-o",
            "force_size=on",
            text(image.path()),
            text(&vhd),
        ],
    );
    let before = std::fs::read(&vhd).unwrap();
    let (new, raw) = (
        image.disk.folder().join("new.qcow2"),
        image.disk.folder().join("new.raw"),
    );
    done(&[text(&vhd), "--output", text(&new)]);
    assert!(std::fs::read(&vhd).unwrap() == before);
    tool("qemu-img", &["check", "-q", text(&new)]);
    tool(
        "qemu-img",
        &["convert", "-O", "raw", text(&new), text(&raw)],
    );
    let bytes = std::fs::read(&raw).unwrap();
    for (line, part) in table(&raw, 512).iter().zip(&image.parts) {
        let start = usize::try_from(line.start).unwrap();
        assert!(
            line.start.is_multiple_of(MIB) && bytes[start..start + part.bytes.len()] == part.bytes
        );
    }
}

#[test]
fn images_of_all_formats_are_fixed_in_place() {
    needs!(Packages);
    let image = Image::old();
    let folder = image.disk.folder();
    for (format, ending) in [
        ("qcow2", "qcow2"),
        ("vpc", "vhd"),
        ("vhdx", "vhdx"),
        ("vmdk", "vmdk"),
        ("vdi", "vdi"),
    ] {
        let one = folder.join(format!("disk.{ending}"));
        let arguments = ["convert", "-O", format, text(image.path()), text(&one)];
        tool("qemu-img", &arguments);
        done(&[text(&one), "--apply", "--chunk", "4M"]);
        if matches!(format, "qcow2" | "vhdx" | "vdi") {
            tool("qemu-img", &["check", "-q", text(&one)]);
        }
        let raw = folder.join("raw.img");
        let back = ["convert", "-f", format, "-O", "raw", text(&one), text(&raw)];
        tool("qemu-img", &back);
        let bytes = std::fs::read(&raw).unwrap();
        for (line, part) in table(&raw, 512).iter().zip(&image.parts) {
            let start = usize::try_from(line.start).unwrap();
            let there = &bytes[start..start + part.bytes.len()];
            assert!(
                line.start.is_multiple_of(MIB) && there == part.bytes,
                "{format} {line:?}"
            );
        }
    }
}

/// Only what this run has made is removed when a copy fails.
#[test]
fn a_name_that_is_taken_meanwhile_is_left_alone() {
    needs!(Packages);
    let image = Image::old();
    let folder = image.disk.folder();
    // To a look at what is there it does not exist, and a file of the name cannot be made.
    let link = folder.join("link.img");
    std::os::unix::fs::symlink(folder.join("nowhere"), &link).unwrap();
    let arguments = [text(image.path()), "--output", text(&link)];
    refused(&arguments, 65, &["link.img", "symbolic link"]);
    assert!(link.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_copy_that_is_stopped_leaves_nothing() {
    needs!(Packages);
    let image = Image::old();
    let before = image.whole();
    let new = image.disk.folder().join("new.img");
    let child = started(&[text(image.path()), "--output", text(&new), "--limit", "2M"]);
    until("the new image is made", || {
        let names = ioalign_testkit::files::names(image.disk.folder());
        let is_part = |name: &String| name.starts_with(".new.img.ioalign-PARTIAL-");
        names.iter().any(is_part)
    });
    assert!(!new.exists());
    tool("kill", &["-INT", &child.id().to_string()]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("new.img was removed"));
    assert!(!new.exists() && image.whole() == before);
}
