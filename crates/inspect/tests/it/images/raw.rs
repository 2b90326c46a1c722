//! Raw images, and formats that are recognised and not read.

use ioalign_core::Bytes;
use ioalign_inspect::ErrorKind;

use super::qemu::Lab;

#[test]
fn a_raw_image_is_its_file() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a.raw", "raw", "", "1049088");
    lab.io("a.raw", "raw", &["write -P 1 1M 512"]);
    let image = lab.compare("a.raw", "raw");
    assert_eq!(image.detail.format.name(), "raw");
    assert_eq!(image.virtual_size, Bytes::new(1_049_088));
    assert_eq!(image.places[0].runs.resolve(5000), Some((5000, 1_044_088)));
}

#[test]
fn the_name_does_not_decide() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a.raw", "qcow2", "", "1M");
    lab.create("b.qcow2", "raw", "", "1M");
    assert_eq!(lab.open("a.raw").detail.format.name(), "qcow2");
    assert_eq!(lab.open("b.qcow2").detail.format.name(), "raw");
}

#[test]
fn an_empty_file_is_raw() {
    let lab = Lab::new();
    std::fs::write(lab.path("a"), b"").unwrap();
    let image = lab.open("a");
    assert_eq!(
        (image.detail.format.name(), image.virtual_size),
        ("raw", Bytes::ZERO)
    );
    assert!(image.places[0].runs.is_empty());
}

#[test]
fn other_formats_are_named() {
    needs!(Packages);
    let lab = Lab::new();
    for (format, name) in [
        ("qed", "QED"),
        ("parallels", "Parallels"),
        ("qcow", "qcow (version 1)"),
    ] {
        lab.create("a", format, "", "1M");
        assert_named(&lab, name);
    }
    let mut dmg = vec![0; 2048];
    dmg[1536..1540].copy_from_slice(b"koly");
    std::fs::write(lab.path("a"), dmg).unwrap();
    assert_named(&lab, "DMG");
}

fn assert_named(lab: &Lab, name: &str) {
    let error = lab.try_open("a").err().expect("it is not read");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(
        text.contains(name) && text.contains("qemu-img convert"),
        "{text}"
    );
}
