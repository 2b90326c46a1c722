//! qcow2 against qemu-img, in many of its options.

use ioalign_core::Bytes;

use super::qemu::{Lab, patterned};

/// Planted data: at clusters, off clusters, zeroed, at the very end of an odd size.
const WRITES: &[&str] = &[
    "write -P 1 64k 100k",
    "write -P 2 1M 4k",
    "write -P 3 1310720 1M",
    "write -z 2M 128k",
    "write -P 4 3148288 1536",
    "discard 1500k 64k",
    "write -P 5 6M 512",
];
const SIZE: &str = "6291968";

fn same_as_qemu(options: &str) {
    let lab = Lab::new();
    lab.create("a.qcow2", "qcow2", options, SIZE);
    lab.io("a.qcow2", "qcow2", WRITES);
    let image = lab.compare("a.qcow2", "qcow2");
    assert_eq!(image.detail.format.name(), "qcow2");
    assert!(image.remarks.is_empty(), "{options}: {:?}", image.remarks);
}

#[test]
fn both_versions() {
    needs!(Packages);
    same_as_qemu("compat=0.10");
    same_as_qemu("compat=1.1");
}

#[test]
fn cluster_sizes() {
    needs!(Packages);
    for size in ["512", "1k", "4k", "32k", "256k", "2M"] {
        same_as_qemu(&format!("cluster_size={size}"));
    }
}

#[test]
fn extended_l2_entries() {
    needs!(Packages);
    for size in ["16k", "64k", "128k", "2M"] {
        same_as_qemu(&format!("extended_l2=on,cluster_size={size}"));
    }
}

#[test]
fn preallocation() {
    needs!(Packages);
    for kind in ["metadata", "falloc", "full"] {
        same_as_qemu(&format!("preallocation={kind}"));
    }
    same_as_qemu("preallocation=metadata,extended_l2=on");
}

#[test]
fn refcounts_do_not_matter() {
    needs!(Packages);
    same_as_qemu("refcount_bits=1");
    same_as_qemu("refcount_bits=64,lazy_refcounts=on");
}

#[test]
fn an_external_data_file() {
    needs!(Packages);
    for raw in ["off", "on"] {
        let lab = Lab::new();
        let options = format!("data_file=data.raw,data_file_raw={raw}");
        lab.create("a.qcow2", "qcow2", &options, SIZE);
        lab.io("a.qcow2", "qcow2", WRITES);
        let image = lab.compare("a.qcow2", "qcow2");
        assert_eq!(image.detail.facts()["data-file"], "data.raw");
        let place = &image.places[0];
        assert!(place.path.ends_with("data.raw"));
        assert_eq!(place.runs.resolve(65536).unwrap().0, 65536);
    }
}

#[test]
fn compressed_clusters() {
    needs!(Packages);
    for (method, cluster) in [
        ("zlib", "64k"),
        ("zlib", "512"),
        ("zlib", "2M"),
        ("zstd", "64k"),
    ] {
        let lab = Lab::new();
        std::fs::write(lab.path("plain.raw"), patterned((3 << 20) + 512)).unwrap();
        let options = format!("compression_type={method},cluster_size={cluster}");
        let convert = ["convert", "-c", "-f", "raw", "-O", "qcow2", "-o", &options];
        lab.img(&[&convert[..], &["plain.raw", "a.qcow2"]].concat());
        let image = lab.compare("a.qcow2", "qcow2");
        assert_eq!(image.detail.facts()["compression"], method);
        assert_eq!(image.detail.compressed, Bytes::new((3 << 20) + 512));
        assert!(image.places[0].runs.is_empty());
        lab.io("a.qcow2", "qcow2", &["write -P 9 1M 64k"]);
        let image = lab.compare("a.qcow2", "qcow2");
        assert!(!image.places[0].runs.is_empty());
    }
}

#[test]
fn zstd_with_subclusters_and_large_clusters() {
    needs!(Packages);
    for options in [
        "compression_type=zstd,extended_l2=on",
        "compression_type=zstd,cluster_size=2M",
    ] {
        let lab = Lab::new();
        std::fs::write(lab.path("plain.raw"), patterned(5 << 20)).unwrap();
        let convert = ["convert", "-c", "-f", "raw", "-O", "qcow2", "-o", options];
        lab.img(&[&convert[..], &["plain.raw", "a.qcow2"]].concat());
        lab.compare("a.qcow2", "qcow2");
    }
}

#[test]
fn facts_of_the_header() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a.qcow2", "qcow2", "extended_l2=on", SIZE);
    lab.img(&["snapshot", "-c", "one", "a.qcow2"]);
    let image = lab.compare("a.qcow2", "qcow2");
    assert_eq!(image.detail.variant.name(), "v3");
    assert_eq!(image.detail.cluster, Some(Bytes::new(65536)));
    assert_eq!(image.detail.facts()["snapshots"], "1");
    assert_eq!(image.detail.facts()["subcluster"], "2 KiB");
    assert_eq!(image.detail.facts()["compression"], "zlib");
}

/// 10 TiB, of which almost nothing is there: the map must be as small.
#[test]
fn a_huge_empty_image_opens_at_once() {
    needs!(Packages);
    let lab = Lab::new();
    lab.create("a.qcow2", "qcow2", "", "10T");
    lab.io("a.qcow2", "qcow2", &["write -P 1 9T 64k"]);
    let image = lab.open("a.qcow2");
    assert_eq!(image.places[0].runs.iter().count(), 1);
    let mut bytes = [0; 2];
    image.guest.read_at((9 << 40) - 1, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 1]);
}

#[test]
fn marks_of_damage_are_remarked() {
    needs!(Packages);
    for (bit, rule) in [(1, "qcow2-dirty"), (2, "qcow2-corrupt")] {
        let lab = Lab::new();
        lab.create("a.qcow2", "qcow2", "", "1M");
        let mut bytes = std::fs::read(lab.path("a.qcow2")).unwrap();
        bytes[79] |= bit;
        std::fs::write(lab.path("a.qcow2"), bytes).unwrap();
        assert_eq!(lab.open("a.qcow2").remarks[0].rule, rule);
    }
}
