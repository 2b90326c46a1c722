//! Overlays over an image that is to be moved: they would become garbage.

use super::*;
use ioalign_testkit::Loop;

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

/// An overlay over `base.img`, made by a shell script in the folder of both.
const MADE: &[(&str, &str)] = &[
    (
        "encrypted",
        "qemu-img create -q -u -f qcow2 -b base.img -F raw ov 40M; printf '\\2' | dd of=ov bs=1 seek=35 conv=notrunc status=none",
    ),
    (
        "json, absolute",
        "qemu-img create -q -u -f qcow2 -b \"json:{\\\"driver\\\":\\\"raw\\\",\\\"file\\\":{\\\"driver\\\":\\\"file\\\",\\\"filename\\\":\\\"$PWD/base.img\\\"}}\" -F raw ov 40M",
    ),
    (
        "json, relative",
        "qemu-img create -q -u -f qcow2 -b 'json:{\"driver\":\"raw\",\"file.filename\":\"base.img\"}' -F raw ov 40M",
    ),
    (
        "json that is none",
        "qemu-img create -q -u -f qcow2 -F raw -b base.img x 40M; sed 's/base.img/json:{{{/' x > ov; rm x",
    ),
    (
        "by way of a folder",
        "mkdir sub; qemu-img create -q -u -f qcow2 -b sub/../base.img -F raw ov 40M",
    ),
    (
        "file:",
        "qemu-img create -q -u -f qcow2 -b file:base.img -F raw ov 40M",
    ),
    (
        "QED",
        "qemu-img create -q -u -f qed -b base.img -F raw ov 40M",
    ),
    (
        "version 1",
        "qemu-img create -q -u -f qcow -b base.img -F raw ov 40M",
    ),
    (
        "version 2",
        "qemu-img create -q -u -f qcow2 -o compat=0.10 -b base.img -F raw ov 40M",
    ),
    (
        "elsewhere",
        "mkdir far; (cd far; qemu-img create -q -u -f qcow2 -b ../base.img -F raw ov 40M); ln -s far/ov ov",
    ),
    (
        "elsewhere, by the folder of its link",
        "mkdir far; (cd far; qemu-img create -q -u -f qcow2 -b base.img -F raw ov 40M); ln -s far/ov ov",
    ),
    (
        "moved together",
        "qemu-img create -q -u -f qcow2 -b /nowhere/at/all/base.img -F raw ov 40M",
    ),
    (
        "cut off",
        "qemu-img create -q -u -f qcow2 -b base.img -F raw ov 40M; truncate -s 300 ov; printf '\\377\\377\\377\\377' | dd of=ov bs=1 seek=16 conv=notrunc status=none",
    ),
    (
        "VMDK",
        "qemu-img create -q -u -f vmdk -b base.img -F raw ov 40M || { qemu-img create -q -f vmdk ov 40M; sed -i 's/parentCID=ffffffff/parentCID=12345678/; s/^#DDB/parentFileNameHint=\"base.img\"/' ov; }",
    ),
    (
        "VHD",
        "qemu-img create -q -f vpc ov 40M; truncate -s 600 ov",
    ),
    (
        "data file",
        "cp base.img kept; qemu-img create -q -u -f qcow2 -o data_file=base.img ov 40M; mv kept base.img",
    ),
];

/// Images beside it that have nothing to do with it.
const UNRELATED: &[(&str, &str)] = &[
    (
        "encrypted",
        "qemu-img create -q -f qcow2 ov 40M; printf '\\2' | dd of=ov bs=1 seek=35 conv=notrunc status=none",
    ),
    (
        "of another",
        "cp base.img other.img; qemu-img create -q -u -f qcow2 -b other.img -F raw ov 40M",
    ),
    (
        "of one that is not there",
        "qemu-img create -q -u -f qcow2 -b gone.img -F raw ov 40M",
    ),
    (
        "of a network",
        "qemu-img create -q -u -f qcow2 -b nbd://localhost/base.img -F raw ov 40M",
    ),
    ("VDI", "qemu-img create -q -f vdi ov 40M"),
    ("VMDK", "qemu-img create -q -f vmdk ov 40M"),
    ("VHD", "qemu-img create -q -f vpc ov 40M"),
    ("VHDX", "qemu-img create -q -f vhdx ov 40M"),
    ("QED", "qemu-img create -q -f qed ov 40M"),
    (
        "raw data file",
        "cp base.img kept; qemu-img create -q -u -f qcow2 -o data_file=base.img,data_file_raw=on ov 40M; mv kept base.img",
    ),
];

fn beside(script: &str, name: &str) -> (Image, PathBuf) {
    let image = Image::old();
    let base = image.disk.folder().join("base.img");
    std::fs::copy(image.path(), &base).unwrap();
    super::owners::run_on(script, &base, name);
    (image, base)
}

#[test]
fn what_lies_on_it_is_found_by_what_it_is() {
    needs!(Packages);
    for (name, script) in MADE {
        let (_image, base) = beside(script, name);
        let before = std::fs::read(&base).unwrap();
        for more in [&["--apply"][..], &[]] {
            let output = fix(&[&[text(&base)], more].concat());
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(64),
                "{name} {more:?}: {output:?}"
            );
            assert!(
                errors.contains("ov") && errors.contains("--accept-overlays"),
                "{name}: {errors}"
            );
        }
        assert!(before == std::fs::read(&base).unwrap(), "{name}");
        // A copy leaves it as it is.
        done(&[
            text(&base),
            "--output",
            text(&base.with_file_name("new.img")),
        ]);
    }
}

#[test]
fn what_does_not_lie_on_it_is_no_reason() {
    needs!(Packages);
    for (name, script) in UNRELATED {
        let (_image, base) = beside(script, name);
        let output = fix(&[text(&base)]);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
    }
}

#[test]
fn a_child_of_a_vdi_names_it_by_its_id() {
    needs!(Packages);
    let script = "qemu-img convert -O vdi base.img parent; cp parent ov; rm base.img; \
                  dd if=parent of=ov bs=1 skip=392 seek=424 count=16 conv=notrunc status=none; \
                  printf '\\4' | dd of=ov bs=1 seek=76 conv=notrunc status=none";
    let (_image, base) = beside(script, "VDI");
    refused(
        &[text(&base.with_file_name("parent"))],
        64,
        &["ov", "--accept-overlays"],
    );
}

#[test]
fn a_snapshot_of_a_description_lies_on_its_data() {
    needs!(Packages);
    let script = "printf '# Disk DescriptorFile\\nCID=1\\nparentCID=ffffffff\\nRW 81920 FLAT \"base.img\" 0\\n' > disk.vmdk; \
                  printf '# Disk DescriptorFile\\nCID=2\\nparentCID=1\\nparentFileNameHint=\"disk.vmdk\"\\nRW 81920 SPARSE \"delta\"\\n' > ov";
    let (_image, base) = beside(script, "VMDK");
    refused(&[text(&base)], 64, &["ov", "--accept-overlays"]);
    std::fs::remove_file(base.with_file_name("ov")).unwrap();
    done(&[text(&base)]);
}

#[test]
fn other_names_of_the_image_are_looked_for() {
    needs!(Packages, Root);
    let script = "qemu-img create -q -u -f qcow2 -b base.img -F raw ov 40M";
    let (image, base) = beside(script, "names");
    // The loop device of the image.
    let device = Loop::new(&base, &[]);
    refused(&[device.text()], 64, &["ov", "--accept-overlays"]);
    refused(
        &[device.text(), "--apply"],
        64,
        &["ov", "--accept-overlays"],
    );
    drop(device);
    // A hard link in another folder nearby, and one that is far away.
    let folder = image.disk.folder();
    std::fs::create_dir(folder.join("near")).unwrap();
    let near = folder.join("near/other.img");
    std::fs::hard_link(&base, &near).unwrap();
    refused(&[text(&near)], 64, &["ov", "--accept-overlays"]);
    std::fs::remove_file(folder.join("ov")).unwrap();
    done(&[text(&near)]);
    let deep = folder.join("1/2/3/4/5/6");
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::hard_link(&base, deep.join("base.img")).unwrap();
    refused(&[text(&near)], 64, &["1 further name", "-samefile"]);
}
