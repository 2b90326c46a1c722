//! Image files that put data off the grid, wherever partitions start.

use super::*;

fn converted(from: &Path, to: &Path, format: &str, options: &[&str]) {
    let arguments = [&["convert", "-O", format], options, &[text(from), text(to)]].concat();
    tool("qemu-img", &arguments);
}

#[test]
fn a_file_that_is_off_the_grid_is_converted() {
    needs!(Packages);
    let image = Image::new(16, "label: dos\n2048,20000,83\n");
    let folder = image.disk.folder();
    let old: [(&str, &str, &[&str]); 3] = [
        ("old.vhd", "vpc", &["-o", "force_size=on"]),
        ("old.vdi", "vdi", &[]),
        ("old.qcow2", "qcow2", &["-o", "cluster_size=512"]),
    ];
    for (name, format, options) in old {
        let path = folder.join(name);
        converted(image.path(), &path, format, options);
        let judged = check_image(&path, &[]);
        assert_eq!(judged.verdict(), "misaligned", "{name}");
        let before = std::fs::read(&path).unwrap();
        // Nothing moves, and that is not the end of it.
        let plan = document(&[text(&path)]);
        assert_eq!(plan["needed"], false);
        assert_eq!(plan["plan"]["container"]["grid_bytes"], 4096, "{plan:#}");
        let next = plan["next"][0].as_str().unwrap().to_owned();
        assert!(next.contains("--output"), "{next}");
        let finding = judged.finding("start-misaligned", "p1")["do"].to_string();
        assert!(finding.contains(&next), "{next} is not in {finding}");
        let new = PathBuf::from(next.rsplit(' ').next().unwrap());
        assert!(!new.exists() && new != path);
        let copied = document(&[text(&path), "--output", text(&new)]);
        assert_eq!(copied["result"], "copied");
        assert_eq!(check_image(&new, &[]).verdict(), "ok");
        assert!(std::fs::read(&path).unwrap() == before);
        tool("qemu-img", &["compare", text(&path), text(&new)]);
    }
}

#[test]
fn moves_within_such_a_file_are_not_said_to_help() {
    needs!(Packages);
    let image = Image::old();
    let path = image.disk.folder().join("old.vdi");
    converted(image.path(), &path, "vdi", &[]);
    let plan = document(&[text(&path)]);
    let warned = plan["plan"]["consequences"][0]["what"].as_str().unwrap();
    assert!(warned.contains("does not help"), "{plan:#}");
    let new = path.with_file_name("old.qcow2");
    done(&[text(&path), "--output", text(&new)]);
    assert_eq!(check_image(&new, &[]).verdict(), "ok");
    assert!(
        table(&new_raw(&new), 512)
            .iter()
            .all(|line| line.start % MIB == 0)
    );
}

#[test]
fn a_file_that_is_not_written_in_place_is_copied() {
    needs!(Packages);
    let image = Image::old();
    let kinds: [(&str, &str, &[&str]); 3] = [
        ("stream.vmdk", "vmdk", &["-o", "subformat=streamOptimized"]),
        (
            "split.vmdk",
            "vmdk",
            &["-o", "subformat=twoGbMaxExtentSparse"],
        ),
        ("external.qcow2", "qcow2", &["-o", "data_file=external.raw"]),
    ];
    for (name, format, options) in kinds {
        let path = image.disk.folder().join(name);
        let options: Vec<_> = options.iter().map(|option| within(option, &path)).collect();
        let options: Vec<_> = options.iter().map(String::as_str).collect();
        converted(image.path(), &path, format, &options);
        let output = fix(&[text(&path), "--apply"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(65), "{name}: {errors}");
        let command = errors.split("fix ").last().unwrap_or_default();
        assert!(command.contains("--output"), "{name}: {errors}");
        let new = path.with_extension("copy.qcow2");
        done(&[text(&path), "--output", text(&new)]);
        assert_eq!(check_image(&new, &[]).verdict(), "ok", "{name}");
    }
}

/// An option that names another file names one beside the image.
fn within(option: &str, image: &Path) -> String {
    let folder = image.parent().unwrap().display();
    option.replace("data_file=", &format!("data_file={folder}/"))
}

fn new_raw(image: &Path) -> PathBuf {
    let raw = image.with_extension("raw");
    converted(image, &raw, "raw", &[]);
    raw
}

#[test]
fn a_backup_gpt_inside_is_moved_by_grow() {
    needs!(Packages);
    // qemu-img rounds the size of a VHD up to its cylinders.
    let image = Image::new(16, "label: gpt\n2048,20000,L\n");
    let path = image.disk.folder().join("old.vhd");
    converted(image.path(), &path, "vpc", &[]);
    let output = fix(&[text(&path)]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(65), "{errors}");
    assert!(
        errors.contains("--grow") && !errors.contains("sgdisk"),
        "{errors}"
    );
    done(&[text(&path), "--grow", "--apply"]);
    assert_eq!(fix(&[text(&path)]).status.code(), Some(0));
}
