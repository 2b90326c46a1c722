//! LVM2 volumes of the real pvcreate and vgcreate. They want a block device, so these tests need
//! root and a free loop device, which they give back.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use ioalign_inspect::volumes::SegmentKind;
use ioalign_testkit::Loop;

use super::lvm::{HIDDEN, VISIBLE, group, header_field, headers, lvm, rules};
use super::{probe, scratch};
use crate::tools::run;
use ioalign_testkit::lvm::{Pv, lv, text};

/// Options with which LVM sees `device` only, and writes nothing outside of it.
fn quiet(device: &str) -> Vec<String> {
    let config = format!(
        "devices{{dir=\"/dev\" scan=[\"/dev\"] global_filter=[\"a|^{device}$|\",\"r|.*|\"]}} \
         backup{{backup=0 archive=0}}"
    );
    ["--devicesfile", "", "--config", &config]
        .map(str::to_owned)
        .to_vec()
}

/// A device that pvcreate and vgcreate made with `options`.
fn created(options: &[&str], size: usize) -> (tempfile::TempDir, std::path::PathBuf) {
    let (folder, path) = scratch(&vec![0; size]);
    let device = Loop::new(&path, &[]);
    run(Command::new("pvcreate")
        .args(quiet(device.text()))
        .args(["-ff", "-y"])
        .args(options)
        .arg(device.path()));
    let name = format!("ioalign_test_{}", std::process::id());
    run(Command::new("vgcreate")
        .args(quiet(device.text()))
        .args(["-y", &name])
        .arg(device.path()));
    drop(device);
    (folder, path)
}

#[test]
fn volumes_of_pvcreate_start_where_pvck_says() {
    needs!(Packages, Root);
    for (options, start) in [
        (vec![], 1 << 20),
        (
            vec!["--dataalignment", "192k", "--metadatasize", "100k"],
            192 << 10,
        ),
        (vec!["--dataalignment", "192k"], 1152 << 10),
        (vec!["--dataalignmentoffset", "3584b"], (1 << 20) + 3584),
        (vec!["--metadatacopies", "2"], 1 << 20),
    ] {
        let (_folder, path) = created(&options, 16 << 20);
        let bytes = std::fs::read(&path).unwrap();
        let stated = headers(&path);
        let member = probe(&bytes).unwrap();
        assert_eq!(rules(&member), Vec::<&str>::new(), "{stated}");
        assert_eq!(member.data_start.get(), start, "{stated}");
        assert_eq!(
            start.to_string(),
            header_field(&stated, "pv_header.disk_locn[0].offset")
        );
        assert_eq!(
            lvm(&member).pv.replace('-', ""),
            header_field(&stated, "pv_header.pv_uuid")
        );
        let copies = stated.matches("# metadata area").count();
        assert_eq!(
            member.facts["metadata-areas"],
            copies.to_string(),
            "{stated}"
        );
        let group = group(&member);
        assert_eq!(
            (group.seqno, group.extent.get(), group.lvs.len()),
            (1, 4 << 20, 0)
        );
    }
}

/// A group with a volume of every kind that is followed, in the words of LVM's own text.
fn everything() -> String {
    let (shown, hidden) = (VISIBLE, HIDDEN);
    let linear = |extent: u64| {
        format!("type = \"striped\"\nstripe_count = 1\nstripes = [\"pv0\", {extent}]")
    };
    [
        lv("lin", shown, 2, &linear(3)),
        lv(
            "strip",
            shown,
            4,
            "type = \"striped\"\nstripe_count = 2\nstripe_size = 64\nstripes = [\"pv0\", 5, \"pv1\", 1]",
        ),
        lv(
            "pool",
            shown,
            4,
            "type = \"thin-pool\"\nmetadata = \"pool_tmeta\"\npool = \"pool_tdata\"\ntransaction_id = 1\nchunk_size = 384\ndiscards = \"passdown\"\nzero_new_blocks = 1",
        ),
        lv("pool_tmeta", hidden, 1, &linear(7)),
        lv("pool_tdata", hidden, 4, &linear(8)),
        lv(
            "thin",
            shown,
            100,
            "type = \"thin\"\nthin_pool = \"pool\"\ntransaction_id = 0\ndevice_id = 1",
        ),
        lv(
            "raid",
            shown,
            4,
            "type = \"raid1\"\ndevice_count = 2\nregion_size = 1024\nraids = [\"raid_rmeta_0\", \"raid_rimage_0\", \"raid_rmeta_1\", \"raid_rimage_1\"]",
        ),
        lv("raid_rmeta_0", hidden, 1, &linear(12)),
        lv("raid_rimage_0", hidden, 4, &linear(13)),
        lv("raid_rmeta_1", hidden, 1, &linear(17)),
        lv("raid_rimage_1", hidden, 4, &linear(18)),
        lv(
            "zero",
            shown,
            4,
            "type = \"raid0\"\nstripe_count = 2\nstripe_size = 128\nraid0_lvs = [\"zero_rimage_0\", \"zero_rimage_1\"]",
        ),
        lv("zero_rimage_0", hidden, 2, &linear(22)),
        lv("zero_rimage_1", hidden, 2, &linear(24)),
        lv(
            "fast",
            shown,
            3,
            "type = \"cache\"\ncache_pool = \"cpool\"\norigin = \"fast_corig\"",
        ),
        lv("fast_corig", hidden, 3, &linear(26)),
        lv(
            "cpool",
            hidden,
            2,
            "type = \"cache-pool\"\ndata = \"cpool_cdata\"\nmetadata = \"cpool_cmeta\"\nmetadata_format = 2\nchunk_size = 192\ncache_mode = \"writethrough\"\npolicy = \"smq\"",
        ),
        lv("cpool_cdata", hidden, 2, &linear(30)),
        lv("cpool_cmeta", hidden, 1, &linear(32)),
    ]
    .concat()
}

/// What `lvs` says of every volume of the group on `path`, by name.
fn listed(path: &Path) -> BTreeMap<String, serde_json::Value> {
    let device = Loop::new(path, &[]);
    let stated = run(Command::new("lvs")
        .args(quiet(device.text()))
        .args(["--driverloaded", "n", "--all", "--reportformat", "json"])
        .args(["--units", "b", "--nosuffix", "-o"])
        .arg("lv_name,segtype,stripe_size,chunk_size,region_size,devices,metadata_devices,pool_lv,origin")
        .arg("vg_test"));
    drop(device);
    let report: serde_json::Value = serde_json::from_str(&stated).unwrap();
    let rows = report["report"][0]["lv"].as_array().unwrap().clone();
    let name = |row: &serde_json::Value| {
        row["lv_name"]
            .as_str()
            .unwrap()
            .trim_matches(['[', ']'])
            .to_owned()
    };
    rows.into_iter().map(|row| (name(&row), row)).collect()
}

/// The same in the words of `lvs`: type, stripe, chunk, region, devices, pool.
fn ours(kind: &SegmentKind) -> (String, u64, u64, String) {
    let zeroth = |names: &[String]| {
        let each: Vec<_> = names.iter().map(|name| format!("{name}(0)")).collect();
        each.join(",")
    };
    match kind {
        SegmentKind::Striped { stripe, targets } => {
            let name = if targets.len() == 1 {
                "linear"
            } else {
                "striped"
            };
            let each: Vec<_> = targets
                .iter()
                .map(|(pv, at)| format!("{pv}({at})"))
                .collect();
            (name.to_owned(), stripe.get(), 0, each.join(","))
        }
        SegmentKind::Raid {
            level,
            stripe,
            images,
            ..
        } => (level.clone(), stripe.get(), 0, zeroth(images)),
        SegmentKind::ThinPool { data, chunk, .. } => (
            "thin-pool".to_owned(),
            0,
            chunk.get(),
            zeroth(std::slice::from_ref(data)),
        ),
        SegmentKind::Thin { .. } => ("thin".to_owned(), 0, 0, String::new()),
        SegmentKind::Cache { origin, chunk, .. } => {
            let chunk = chunk.map_or(0, ioalign_core::Bytes::get);
            (
                "cache".to_owned(),
                0,
                chunk,
                zeroth(std::slice::from_ref(origin)),
            )
        }
        SegmentKind::Mirror { .. } => ("mirror".to_owned(), 0, 0, String::new()),
        SegmentKind::Other { kind, refers } => {
            (kind.clone(), 0, 98304, format!("{}(0)", refers[0]))
        }
    }
}

#[test]
fn every_kind_of_segment_reads_as_lvs_reads_it() {
    needs!(Packages, Root);
    let bytes = Pv::with(&text(1, 2048, &everything())).device();
    let (_folder, path) = scratch(&bytes);
    let theirs = listed(&path);
    let member = probe(&bytes).unwrap();
    let group = group(&member);
    assert_eq!(theirs.len(), group.lvs.len());
    for lv in &group.lvs {
        let row = &theirs[&lv.name];
        let (kind, stripe, chunk, devices) = ours(&lv.segments[0].kind);
        let at = |name: &str| row[name].as_str().unwrap().to_owned();
        let number = |name: &str| at(name).parse::<u64>().unwrap_or(0);
        assert_eq!(lv.visible, !at("lv_name").starts_with('['), "{row}");
        assert_eq!(
            (at("segtype"), number("stripe_size"), number("chunk_size")),
            (kind, stripe, chunk),
            "{row}"
        );
        let stated = at("devices").replace("[unknown]", "pv1");
        let stated: Vec<_> = stated
            .split(',')
            .map(|device| match device.strip_prefix("/dev/") {
                Some(path) => format!("pv0({}", path.split_once('(').unwrap().1),
                None => device.trim_matches(['[', ']']).to_owned(),
            })
            .collect();
        assert_eq!(stated.join(","), devices, "{row}");
    }
}
