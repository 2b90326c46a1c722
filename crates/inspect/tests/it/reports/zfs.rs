//! ZFS: the block sizes that `zpool status` complains about, ashift of vdevs and properties.

use ioalign_core::{Bytes, Kind, Severity};

use super::{fact, only, pasted, rules, said};

fn status(complaint: &str) -> String {
    format!(
        "  pool: tank\n state: ONLINE\nstatus: One or more devices are configured to use a non-native block size.\n\
         \tExpect reduced performance.\naction: Replace affected devices with devices that support the\n\
         \tconfigured block size, or migrate data to a properly configured\n\tpool.\nconfig:\n\n\
         \tNAME        STATE     READ WRITE CKSUM\n\
         \ttank        ONLINE       0     0     0\n\
         \t  raidz1-0  ONLINE       0     0     0\n\
         \t    ada0p2  ONLINE       0     0     0  block size: {complaint}\n\
         \t    ada1p2  ONLINE       0     0     0\n\
         \tlogs\n\
         \t  nvd0p1    ONLINE       0     0     0\n\nerrors: No known data errors\n"
    )
}

/// Scenario A23: real (zfs pull request 11088), a preference (zfs#13917), a stale hint (zfs#17327).
#[test]
fn complaints_about_block_sizes_are_weighed() {
    for (complaint, rule, severity, ashift) in [
        (
            "512B configured, 4096B native",
            "ashift-below-physical-block",
            Severity::Misaligned,
            "9",
        ),
        (
            "65536B configured, 262144B native",
            "zfs-native-hint",
            Severity::Note,
            "16",
        ),
        (
            "4096B configured, 16384B native",
            "zfs-native-hint",
            Severity::Note,
            "12",
        ),
    ] {
        let evidence = said(&pasted("zpool status", &status(complaint)));
        let found = only(&evidence, "ada0p2", |_| true);
        assert_eq!(rules(found), [rule], "{complaint}");
        let remark = &found.remarks[0];
        assert_eq!(remark.severity, severity);
        let all = format!("{} {}", remark.why, remark.advice.join(" "));
        assert!(!all.contains("18") && !all.contains("ashift=14"), "{all}");
        let filesystem = found.filesystem.as_ref().unwrap();
        assert_eq!(
            (filesystem.kind, filesystem.label.as_str()),
            ("zfs", "tank")
        );
        assert_eq!(filesystem.ashift.unwrap().to_string(), ashift);
        assert_eq!(
            filesystem.block,
            Some(Bytes::new(1 << ashift.parse::<u32>().unwrap()))
        );
        let silent = only(&evidence, "ada1p2", |_| true);
        assert!(silent.remarks.is_empty() && silent.filesystem.as_ref().unwrap().block.is_none());
        assert!(evidence.devices.iter().any(|said| said.name == "nvd0p1"));
        assert_eq!(
            evidence.devices.len(),
            3,
            "neither the pool nor raidz1-0 is a device"
        );
    }
}

#[test]
fn a_rebuild_is_advised_where_it_is_real() {
    let evidence = said(&status("512B configured, 4096B native"));
    let remark = &only(&evidence, "ada0p2", |_| true).remarks[0];
    assert!(remark.advice[0].contains("Not fixable in place"));
    assert!(remark.why.contains("ashift 9"));
}

const ZDB: &str = "
MOS Configuration:
        version: 5000
        name: 'tank'
        state: 0
        txg: 1234
        vdev_children: 2
        vdev_tree:
            type: 'root'
            id: 0
            guid: 42
            create_txg: 4
            children[0]:
                type: 'raidz'
                id: 0
                nparity: 1
                metaslab_array: 256
                ashift: 9
                asize: 1000
                children[0]:
                    type: 'disk'
                    id: 0
                    path: '/dev/sda1'
                    whole_disk: 1
                children[1]:
                    type: 'disk'
                    id: 1
                    path: '/dev/sdb1'
            children[1]:
                type: 'disk'
                id: 1
                path: '/dev/nvme0n1p1'
                ashift: 12
        features_for_read:
            com.delphix:hole_birth
";

#[test]
fn zdb_tells_ashift_by_vdev() {
    let evidence = said(&pasted("zdb -C tank", ZDB));
    assert_eq!(evidence.devices.len(), 3);
    for (name, ashift, kind) in [
        ("sda1", "9", "raidz"),
        ("sdb1", "9", "raidz"),
        ("nvme0n1p1", "12", "disk"),
    ] {
        let found = only(&evidence, name, |_| true).filesystem.clone().unwrap();
        assert_eq!(
            (
                found.ashift.unwrap().to_string().as_str(),
                found.facts["vdev-type"].as_str()
            ),
            (ashift, kind)
        );
        assert_eq!(
            (found.label.as_str(), found.data_start),
            ("tank", Bytes::new(4 << 20))
        );
        assert_eq!(
            found.block,
            Some(Bytes::new(1 << ashift.parse::<u32>().unwrap()))
        );
    }
}

#[test]
fn properties_have_units() {
    let text = "NAME       PROPERTY      VALUE     SOURCE\ntank       ashift        0         default\n\
                tank/vol   volblocksize  16K       default\ntank/raw   volblocksize  8192      -\n\
                tank/bad   volblocksize  17        -\n";
    let evidence = said(text);
    let pool = only(&evidence, "tank", |_| true);
    assert_eq!(
        (pool.kind, rules(pool)),
        (Some(Kind::Filesystem), vec!["zfs-ashift-unknown"])
    );
    let block = |name| only(&evidence, name, |_| true).block.map(Bytes::get);
    assert_eq!(
        (block("zvol/tank/vol"), block("zvol/tank/raw")),
        (Some(16 << 10), Some(8192))
    );
    assert!(
        evidence
            .devices
            .iter()
            .all(|said| said.name != "zvol/tank/bad")
    );
    let evidence = said("tank\tashift\t12\tlocal\n");
    assert_eq!(
        fact(only(&evidence, "tank", |_| true), "ashift-of-new-vdevs"),
        Some("12")
    );
}
