//! Overlays over an image that is to be moved: they would become garbage.

use super::*;

#[test]
fn an_image_below_an_overlay_is_not_moved() {
    needs!(Packages);
    let image = Image::old();
    let before = image.whole();
    let overlay = image.disk.folder().join("ov.qcow2");
    let path = text(image.path());
    let name = [
        "create",
        "-q",
        "-f",
        "qcow2",
        "-b",
        path,
        "-F",
        "raw",
        text(&overlay),
    ];
    tool("qemu-img", &name);
    refused(&[path, "--apply"], 64, &["ov.qcow2", "--accept-overlays"]);
    assert!(image.whole() == before);
    // Of another image beside it nothing is said.
    let other = image.disk.folder().join("other.img");
    std::fs::copy(image.path(), &other).unwrap();
    done(&[text(&other), "--apply"]);
    done(&[path, "--apply", "--accept-overlays"]);
    image.is_fixed(MIB);
}

#[test]
fn a_parent_of_the_same_format_is_not_moved() {
    needs!(Packages);
    for format in ["qcow2", "vmdk"] {
        let image = Image::old();
        let folder = image.disk.folder();
        let (base, overlay) = (folder.join("base"), folder.join("overlay"));
        let (base, overlay) = (text(&base), text(&overlay));
        tool(
            "qemu-img",
            &["convert", "-O", format, text(image.path()), base],
        );
        let call = [
            "create", "-q", "-f", format, "-b", base, "-F", format, overlay,
        ];
        tool("qemu-img", &call);
        refused(&[base, "--apply"], 64, &["overlay", "--accept-overlays"]);
    }
}
