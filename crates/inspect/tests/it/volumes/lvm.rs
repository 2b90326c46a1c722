//! LVM2: PVs written here and PVs written by pvcreate, read by pvck and by us.

use std::process::Command;

use ioalign_inspect::volumes::{Detail, PhysicalVolume, SegmentKind, VolumeGroup, VolumeMember};

use super::{probe, scratch};
use crate::tools::run;
use ioalign_testkit::lvm::{MetadataArea, Pv, lv, seal, text};

pub const VISIBLE: &str = r#""READ", "WRITE", "VISIBLE""#;
pub const HIDDEN: &str = r#""READ", "WRITE""#;

pub fn lvm(member: &VolumeMember) -> &PhysicalVolume {
    match &member.detail {
        Detail::Lvm(lvm) => lvm,
        other => panic!("not LVM: {other:?}"),
    }
}

pub fn group(member: &VolumeMember) -> &VolumeGroup {
    lvm(member).group.as_ref().expect("metadata")
}

pub fn rules(member: &VolumeMember) -> Vec<&str> {
    member.remarks.iter().map(|remark| remark.rule).collect()
}

/// `pvck --dump headers`, and the value of a field of it.
pub fn headers(path: &std::path::Path) -> String {
    run(Command::new("pvck").args(["--dump", "headers"]).arg(path))
}

pub fn header_field(stated: &str, name: &str) -> String {
    let line = stated
        .lines()
        .find_map(|line| line.trim().strip_prefix(name));
    let value = line.unwrap_or_else(|| panic!("no `{name}` in:\n{stated}"));
    value
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn kind_of(keys: &str) -> SegmentKind {
    let text = text(1, 2048, &lv("lvol", VISIBLE, 4, keys));
    let member = probe(&Pv::with(&text).device()).unwrap();
    assert_eq!(rules(&member), Vec::<&str>::new(), "{keys}");
    group(&member).lvs[0].segments[0].kind.clone()
}

#[test]
fn pvck_accepts_and_reads_what_we_build_and_read() {
    needs!(Packages);
    let keys = "type = \"striped\"\nstripe_count = 1\nstripes = [\"pv0\", 3]";
    let bytes = Pv::with(&text(7, 2048, &lv("root", VISIBLE, 4, keys))).device();
    let (_folder, path) = scratch(&bytes);
    let stated = headers(&path);
    assert!(!stated.contains("CHECK"), "{stated}");
    let member = probe(&bytes).unwrap();
    let lvm = lvm(&member);
    assert_eq!(
        lvm.pv.replace('-', ""),
        header_field(&stated, "pv_header.pv_uuid")
    );
    let data = header_field(&stated, "pv_header.disk_locn[0].offset");
    assert_eq!(member.data_start.get().to_string(), data);
    let dumped = run(Command::new("pvck").args(["--dump", "metadata"]).arg(&path));
    assert!(dumped.contains("vgname vg_test seqno 7"), "{dumped}");
    let group = group(&member);
    assert_eq!(
        (group.name.as_str(), group.seqno, group.extent.get()),
        ("vg_test", 7, 65536)
    );
    assert_eq!(member.set, "LZksNh-N2uL-tZzN-V7YU-2AUf-uDIB-3mw6Zz");
    assert_eq!(group.pvs[0].device, "/dev/sdz\"1");
    assert_eq!(member.data_size.unwrap().get(), 40 * 65536);
    assert_eq!(rules(&member), Vec::<&str>::new());
}

#[test]
fn old_volumes_start_at_192_kib() {
    let mut pv = Pv::with(&text(1, 384, ""));
    pv.data = 192 << 10;
    pv.areas[0].size = (192 << 10) - 4096;
    let member = probe(&pv.device()).unwrap();
    assert_eq!(member.data_start.get(), 192 << 10);
    assert_eq!(rules(&member), Vec::<&str>::new());
}

#[test]
fn a_data_area_that_disagrees_is_remarked() {
    let member = probe(&Pv::with(&text(1, 2056, "")).device()).unwrap();
    assert_eq!(member.data_start.get(), 2056 * 512, "the text wins");
    assert_eq!(rules(&member), ["lvm-pe-start-differs"]);
}

#[test]
fn linear_and_striped_segments_name_their_extents() {
    let SegmentKind::Striped { stripe, targets } =
        kind_of("type = \"striped\"\nstripe_count = 1\t# linear\nstripes = [\n\"pv0\", 17\n]")
    else {
        panic!("striped");
    };
    assert_eq!((stripe.get(), targets), (0, vec![("pv0".to_owned(), 17)]));
    let SegmentKind::Striped { stripe, targets } = kind_of(
        "type = \"striped\"\nstripe_count = 2\nstripe_size = 128\t# 64 Kilobytes\nstripes = [\"pv0\", 0, \"pv1\", 5]",
    ) else {
        panic!("striped");
    };
    let wanted = vec![("pv0".to_owned(), 0), ("pv1".to_owned(), 5)];
    assert_eq!((stripe.get(), targets), (65536, wanted));
}

#[test]
fn raids_have_pairs_and_raid0_may_have_images_alone() {
    for (level, keys) in [
        ("raid1", "device_count = 2\nregion_size = 4096\n"),
        (
            "raid5_ls",
            "device_count = 2\nstripe_size = 128\nregion_size = 4096\n",
        ),
        ("raid0_meta", "stripe_count = 2\nstripe_size = 128\n"),
    ] {
        let keys = format!(
            "type = \"{level}\"\n{keys}raids = [\n\"a_rmeta_0\", \"a_rimage_0\",\n\"a_rmeta_1\", \"a_rimage_1\"\n]"
        );
        let SegmentKind::Raid {
            level: read,
            stripe,
            images,
            metas,
            region,
        } = kind_of(&keys)
        else {
            panic!("{level}");
        };
        assert_eq!(read, level);
        assert_eq!(
            stripe.get(),
            if keys.contains("stripe_size") {
                65536
            } else {
                0
            }
        );
        assert_eq!(images, ["a_rimage_0", "a_rimage_1"]);
        assert_eq!(metas, ["a_rmeta_0", "a_rmeta_1"]);
        assert_eq!(region.is_some(), keys.contains("region_size"));
    }
    let keys = "type = \"raid0\"\nstripe_count = 2\nstripe_size = 16\nraid0_lvs = [\"a_rimage_0\", \"a_rimage_1\"]";
    let SegmentKind::Raid { images, metas, .. } = kind_of(keys) else {
        panic!("raid0");
    };
    assert_eq!((images.len(), metas.len()), (2, 0));
}

#[test]
fn mirrors_thin_pools_and_caches_name_what_they_use() {
    let mirror = kind_of(
        "type = \"mirror\"\nmirror_count = 2\nmirror_log = \"l_mlog\"\nregion_size = 1024\nmirrors = [\"l_mimage_0\", 0, \"l_mimage_1\", 0]",
    );
    assert!(matches!(mirror, SegmentKind::Mirror { legs } if legs.len() == 2));
    let pool = kind_of(
        "type = \"thin-pool\"\nmetadata = \"p_tmeta\"\npool = \"p_tdata\"\ntransaction_id = 1\nchunk_size = 384\t# 192 Kilobytes\ndiscards = \"passdown\"",
    );
    let SegmentKind::ThinPool {
        data,
        metadata,
        chunk,
    } = pool
    else {
        panic!("thin pool");
    };
    assert_eq!(
        (data.as_str(), metadata.as_str(), chunk.get()),
        ("p_tdata", "p_tmeta", 192 << 10)
    );
    let thin = kind_of("type = \"thin\"\nthin_pool = \"p\"\ntransaction_id = 0\ndevice_id = 1");
    assert!(matches!(thin, SegmentKind::Thin { pool } if pool == "p"));
    let cachevol = kind_of(
        "type = \"cache+CACHE_USES_CACHEVOL\"\ncache_pool = \"fast\"\norigin = \"slow\"\nchunk_size = 128",
    );
    let SegmentKind::Cache {
        origin,
        pool,
        chunk,
    } = cachevol
    else {
        panic!("cache");
    };
    assert_eq!((origin.as_str(), pool.as_str()), ("slow", "fast"));
    assert_eq!(chunk.unwrap().get(), 65536);
}

#[test]
fn a_cache_takes_the_chunk_of_its_pool_wherever_it_stands() {
    let cache = lv(
        "data",
        VISIBLE,
        4,
        "type = \"cache\"\ncache_pool = \"cp\"\norigin = \"data_corig\"",
    );
    let pool = lv(
        "cp",
        HIDDEN,
        2,
        "type = \"cache-pool\"\ndata = \"cp_cdata\"\nmetadata = \"cp_cmeta\"\nchunk_size = 192",
    );
    let member = probe(&Pv::with(&text(1, 2048, &(cache + &pool))).device()).unwrap();
    let lvs = &group(&member).lvs;
    let SegmentKind::Cache { chunk, .. } = &lvs[0].segments[0].kind else {
        panic!("cache");
    };
    assert_eq!(chunk.unwrap().get(), 96 << 10);
    assert_eq!((lvs[0].visible, lvs[1].visible), (true, false));
    assert!(matches!(&lvs[1].segments[0].kind,
        SegmentKind::Other { kind, refers } if kind == "cache-pool" && *refers == ["cp_cdata", "cp_cmeta"]));
}

#[test]
fn other_types_are_named_with_what_they_refer_to() {
    for (kind, keys, wanted) in [
        (
            "snapshot",
            "chunk_size = 8\norigin = \"root\"\ncow_store = \"snap\"",
            vec!["root", "snap"],
        ),
        ("vdo", "vdo_pool = \"vp\"\nvdo_offset = 0", vec!["vp"]),
        (
            "vdo-pool",
            "data = \"vp_vdata\"\nheader_size = 1024",
            vec!["vp_vdata"],
        ),
        (
            "writecache",
            "origin = \"o\"\nwritecache = \"w\"\nwritecache_block_size = 4096",
            vec!["o", "w"],
        ),
        (
            "integrity",
            "origin = \"o\"\ndata_sectors = 8\nmeta_dev = \"m\"",
            vec!["o", "m"],
        ),
        ("error", "", vec![]),
    ] {
        let read = kind_of(&format!("type = \"{kind}\"\n{keys}"));
        let SegmentKind::Other { kind: name, refers } = read else {
            panic!("{kind}");
        };
        assert_eq!(
            (name.as_str(), refers),
            (kind, wanted.into_iter().map(str::to_owned).collect())
        );
    }
}

#[test]
fn text_wraps_around_its_buffer() {
    needs!(Packages);
    let text = text(3, 2048, "");
    let mut pv = Pv::with(&text);
    pv.areas[0].size = 4096;
    pv.areas[0].offset = 3000;
    let bytes = pv.device();
    let (_folder, path) = scratch(&bytes);
    let dumped = run(Command::new("pvck").args(["--dump", "metadata"]).arg(&path));
    assert!(dumped.contains("seqno 3"), "{dumped}");
    assert_eq!(group(&probe(&bytes).unwrap()).seqno, 3);
}

#[test]
fn the_newer_of_two_copies_wins_and_a_damaged_one_loses() {
    let mut pv = Pv::with(&text(4, 2048, ""));
    pv.areas
        .push(MetadataArea::new(3 << 20, 1 << 20, &text(5, 2048, "")));
    let mut bytes = pv.device();
    // 40 extents of 64 KiB end at 3.5 MiB; what matters here are the texts.
    let member = probe(&bytes).unwrap();
    assert_eq!(group(&member).seqno, 5);
    assert_eq!(rules(&member), ["lvm-metadata-differs"]);
    bytes[(3 << 20) + 600] ^= 1;
    let member = probe(&bytes).unwrap();
    assert_eq!(group(&member).seqno, 4);
    assert_eq!(rules(&member), ["lvm-metadata"]);
    assert!(
        member.remarks[0].sentence().contains("raw_locn.checksum"),
        "{:?}",
        member.remarks
    );
}

#[test]
fn volumes_without_metadata_still_have_a_data_area() {
    let mut pv = Pv::with("");
    pv.areas.clear();
    pv.data = 192 << 10;
    let member = probe(&pv.device()).unwrap();
    assert!(lvm(&member).group.is_none());
    assert_eq!(
        (member.set.as_str(), member.data_start.get()),
        ("", 192 << 10)
    );
    assert_eq!(rules(&member), Vec::<&str>::new());
}

#[test]
fn an_ignored_copy_is_not_read() {
    let mut bytes = Pv::with(&text(4, 2048, "")).device();
    bytes[4096 + 60] = 1;
    seal(&mut bytes[4096..4096 + 512]);
    let member = probe(&bytes).unwrap();
    assert!(lvm(&member).group.is_none());
    assert_eq!(rules(&member), Vec::<&str>::new());
}

#[test]
fn a_label_of_a_partition_is_not_the_disks() {
    let mut bytes = Pv::with(&text(4, 2048, "")).device();
    bytes.copy_within(512..1024, 1024);
    bytes[512..1024].fill(0);
    assert!(probe(&bytes).is_none());
}

#[test]
fn a_shrunk_device_and_a_wrong_label_crc_are_broken() {
    let bytes = Pv::with(&text(4, 2048, "")).device();
    let member = probe(&bytes[..3 << 20]).unwrap();
    assert_eq!(rules(&member), ["lvm-pv-too-small"]);
    let mut bytes = bytes;
    bytes[512 + 300] = 1;
    assert_eq!(rules(&probe(&bytes).unwrap()), ["lvm-label-crc"]);
}
