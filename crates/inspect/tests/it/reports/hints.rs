//! Disks, controllers and the kernel's log.

use ioalign_core::{Bytes, Kind, LayerId, Severity};
use ioalign_inspect::captures::{Text, TextEvidence};
use ioalign_inspect::host::DevNo;
use ioalign_inspect::host::hints::{Transport, judge};

use super::{fact, only, pasted, rules, said, said_of};

const ID_NS: &str = "\
NVME Identify Namespace 1:
nsze    : 0x1bf1f72b0
ncap    : 0x1bf1f72b0
nuse    : 0x1bf1f72b0
nsfeat  : 0x1a
nlbaf   : 1
flbas   : 0x1
nabo    : 2
nabspf  : 7
noiob   : 256
npwg    : 15
npwa    : 15
nows    : 31
lbaf  0 : ms:0   lbads:9  rp:0x2
lbaf  1 : ms:0   lbads:12 rp:0x1 (in use)
";

const ID_NS_H: &str = "\
NVME Identify Namespace 1:
nsze    : 0x1bf1f72b0
nsfeat  : 0x1a
  [4:4] : 0x1\tNPWG, NPWA, NPDG, NPDA, and NOWS are Supported
  [2:2] : 0\tDeallocated or Unwritten Logical Block error Not Supported
nlbaf   : 1
flbas   : 0x1
  [3:0] : 0x1\tCurrent LBA Format Selected
nabo    : 2
nabspf  : 7
noiob   : 256
npwg    : 15
npwa    : 15
nows    : 31
LBA Format  0 : Metadata Size: 0   bytes - Data Size: 512 bytes - Relative Performance: 0x2 Good
LBA Format  1 : Metadata Size: 0   bytes - Data Size: 4096 bytes - Relative Performance: 0x1 Better (in use)
";

const ID_NS_JSON: &str = r#"{
  "nsze":7501476528, "nsfeat":26, "nlbaf":1, "flbas":1, "nabo":2, "nabspf":7, "noiob":256,
  "npwg":15, "npwa":15, "nows":31,
  "lbafs":[ {"ms":0, "ds":9, "rp":2}, {"ms":0, "ds":12, "rp":1} ]
}"#;

#[test]
fn id_ns_counts_blocks_from_zero() {
    for text in [ID_NS, ID_NS_H, ID_NS_JSON] {
        let text = pasted("nvme id-ns /dev/nvme0n1", text);
        let evidence = said(&text);
        let found = only(&evidence, "nvme0n1", |_| true);
        let claims = found.claims.as_ref().unwrap();
        let ns = claims.nvme.as_ref().unwrap();
        assert_eq!(
            (claims.logical, claims.transport),
            (Some(4096), Transport::Nvme)
        );
        assert_eq!(
            (ns.write_granularity(), ns.write_alignment()),
            (Some(65536), Some(65536))
        );
        assert_eq!(
            (ns.optimal_write(), ns.io_boundary()),
            (Some(131_072), Some(1 << 20))
        );
        assert_eq!(ns.atomic_boundary(), Some((32768, 8192)));
        assert_eq!((ns.formats.len(), ns.current), (2, 1));
        assert_eq!(ns.formats[0].performance, 2);
        assert_eq!(found.size.unwrap().low, 0x1_bf1f_72b0 * 4096);
        let judged = judge(claims, LayerId(0));
        assert!(
            judged
                .grids
                .iter()
                .any(|grid| grid.kind.name() == "indirection-unit" && grid.size.get() == 65536)
        );
    }
}

/// OPTPERF has two bits since NVMe 2.1 (TP4090): NPWG and NOWS count with either. What `-H` decodes
/// below the line is skipped.
#[test]
fn id_ns_of_nvme_2_1() {
    for (bits, decoded) in [
        (
            "0x1a",
            "  [5:4] : 0x1\tNPWG, NPWA, NPDG, NPDA, and NOWS are Supported\n",
        ),
        (
            "0x2a",
            "  [5:4] : 0x2\tNPWG, NPWA, NPDGL, NPDAL, and NOWS are Supported\n",
        ),
        (
            "0x3a",
            "  [5:4] : 0x3\tNPWG, NPWA, NPDG, NPDA, NPDGL, NPDAL, and NOWS are Supported\n",
        ),
    ] {
        let text = ID_NS.replace("nsfeat  : 0x1a\n", &format!("nsfeat  : {bits}\n{decoded}"));
        let evidence = said(&pasted("nvme id-ns -H /dev/nvme0n1", &text));
        let claims = only(&evidence, "nvme0n1", |_| true)
            .claims
            .as_ref()
            .unwrap();
        let ns = claims.nvme.as_ref().unwrap();
        assert_eq!(ns.write_granularity(), Some(65536), "{bits}");
        assert_eq!(ns.optimal_write(), Some(131_072), "{bits}");
    }
}

#[test]
fn id_ns_without_the_feature_bit_says_nothing() {
    let text = ID_NS.replace("0x1a", "0");
    let about = Text::new(text.as_bytes()).about("nvme1n1");
    let evidence = said_of(&about);
    let claims = only(&evidence, "nvme1n1", |_| true).claims.clone().unwrap();
    let ns = claims.nvme.unwrap();
    assert_eq!((ns.npwg, ns.npwa, ns.nows), (None, None, None));
    // `nvme id-ns /dev/nvme0 -n 1`, and two namespaces in one text.
    let text =
        format!("# nvme id-ns /dev/nvme0 -n 1\n{ID_NS}# nvme id-ns /dev/nvme0 -n 2\n{ID_NS}");
    let evidence = said(&text);
    only(&evidence, "nvme0n1", |_| true);
    only(&evidence, "nvme0n2", |_| true);
}

#[test]
fn nvme_lists() {
    let text = "\
Node                  Generic               SN                   Model                                    Namespace  Usage                      Format           FW Rev
--------------------- --------------------- -------------------- ---------------------------------------- ---------- -------------------------- ---------------- --------
/dev/nvme0n1          /dev/ng0n1            S1234                INTEL SSDPFWNV153TZ                      0x1         15.36  TB /  15.36  TB      4 KiB +  0 B   1.0
/dev/nvme1n1          /dev/ng1n1            S1235                Samsung SSD 970 PRO 512GB                0x1        500.11  GB / 512.11  GB    512   B +  0 B   1B2QEXP7
";
    let old = r#"{"Devices":[{"NameSpace":1,"DevicePath":"/dev/nvme0n1","ModelNumber":"INTEL SSDPFWNV153TZ","PhysicalSize":15360950534144,"SectorSize":4096}]}"#;
    let new = r#"{"Devices":[{"HostNQN":"x","Subsystems":[{"Subsystem":"nvme-subsys0","Controllers":[
        {"Controller":"nvme0","ModelNumber":"INTEL SSDPFWNV153TZ","Namespaces":[
        {"NameSpace":"nvme0n1","NSID":1,"PhysicalSize":15360950534144,"SectorSize":4096}]}],"Namespaces":[]}]}]}"#;
    for text in [text, old, new] {
        let evidence = said(&pasted("nvme list", text));
        let found = only(&evidence, "nvme0n1", |_| true);
        let claims = found.claims.as_ref().unwrap();
        assert_eq!(claims.logical, Some(4096), "{text}");
        assert_eq!(claims.model, "INTEL SSDPFWNV153TZ");
        assert_eq!(
            found.size.map(|size| size.low),
            text.contains("15360950534144")
                .then_some(15_360_950_534_144)
        );
    }
    let evidence = said(text);
    assert_eq!(
        only(&evidence, "nvme1n1", |_| true)
            .claims
            .as_ref()
            .unwrap()
            .logical,
        Some(512)
    );
}

#[test]
fn smartctl_in_three_dialects() {
    let ata = "=== START OF INFORMATION SECTION ===\nDevice Model:     WDC WD40EFRX-68WT0N0\n\
               User Capacity:    4,000,787,030,016 bytes [4.00 TB]\n\
               Sector Sizes:     512 bytes logical, 4096 bytes physical\nRotation Rate:    5400 rpm\n\n\
               === START OF READ SMART DATA SECTION ===\nModel Number: no\n";
    let scsi = "=== START OF INFORMATION SECTION ===\nVendor:               SEAGATE\nProduct:              ST4000NM0023\n\
                User Capacity:        4,000,787,030,016 bytes [4.00 TB]\nLogical block size:   512 bytes\n\
                Physical block size:  4096 bytes\nLowest aligned LBA:   7\nRotation Rate:        7200 rpm\n";
    let json = r#"{"json_format_version":[1,0],"smartctl":{"version":[7,3]},
        "device":{"name":"/dev/sda","type":"sat","protocol":"ATA"},"model_name":"WDC WD40EFRX-68WT0N0",
        "user_capacity":{"blocks":7814037168,"bytes":4000787030016},"logical_block_size":512,
        "physical_block_size":4096,"rotation_rate":5400}"#;
    for (text, offset) in [(ata, 0), (scsi, 3584), (json, 0)] {
        let evidence = said(&pasted("smartctl -a /dev/sda", text));
        let found = only(&evidence, "sda", |_| true);
        let claims = found.claims.as_ref().unwrap();
        assert_eq!(
            (claims.logical, claims.physical),
            (Some(512), Some(4096)),
            "{text}"
        );
        assert_eq!(
            (claims.rotational, claims.alignment_offset),
            (Some(true), offset)
        );
        assert_eq!(found.size.unwrap().low, 4_000_787_030_016);
        assert!(!claims.model.is_empty() && claims.transport == Transport::Scsi);
    }
    let same = said(
        "# smartctl -i /dev/sdb\n=== START OF INFORMATION SECTION ===\nDevice Model: X\nSector Size:      512 bytes logical/physical\nRotation Rate:    Solid State Device\n",
    );
    let claims = only(&same, "sdb", |_| true).claims.clone().unwrap();
    assert_eq!(
        (claims.physical, claims.rotational),
        (Some(512), Some(false))
    );
    let nvme = said(
        "# smartctl -i /dev/nvme0n1\n=== START OF INFORMATION SECTION ===\nModel Number: Q\nNamespace 1 Size/Capacity: 512,110,190,592 [512 GB]\nNamespace 1 Formatted LBA Size: 512\n",
    );
    let claims = only(&nvme, "nvme0n1", |_| true).claims.clone().unwrap();
    assert_eq!(
        (claims.logical, claims.transport),
        (Some(512), Transport::Nvme)
    );
}

#[test]
fn block_limits_need_a_block() {
    let limits = "Block limits VPD page (SBC):\n  Write same non-zero (WSNZ): 0\n  Optimal transfer length granularity: 8 blocks\n  Maximum transfer length: 65535 blocks\n  Optimal transfer length: 65535 blocks\n";
    let evidence = said(&pasted("sg_vpd -p bl /dev/sdb", limits));
    let found = only(&evidence, "sdb", |_| true);
    assert_eq!(
        (rules(found), found.claims.is_none()),
        (vec!["bogus-hint"], true)
    );
    assert_eq!(fact(found, "optimal-transfer-blocks"), Some("65535"));
    let capacity = "Read Capacity results:\n   Last LBA=1953525167 (0x7470c06f), Number of logical blocks=1953525168\n   Logical block length=512 bytes\n   Logical blocks per physical block exponent=3\n   Lowest aligned LBA=0\n";
    let text = format!("# sg_vpd -p bl /dev/sdb\n{limits}# sg_readcap -l /dev/sdb\n{capacity}");
    let evidence = said(&text);
    let found = only(&evidence, "sdb", |_| true);
    let claims = found.claims.as_ref().unwrap();
    assert_eq!((claims.logical, claims.physical), (Some(512), Some(4096)));
    assert_eq!(
        (claims.minimum, claims.optimal),
        (Some(4096), Some(33_553_920))
    );
    assert_eq!(found.size.unwrap().low, 1_953_525_168 * 512);
    assert!(
        judge(claims, LayerId(0))
            .grids
            .iter()
            .any(|grid| !grid.trusted())
    );
}

#[test]
fn multipath_maps_have_their_paths() {
    let text = "mpatha (3600508b400105e210000900000490000) dm-2 HP,HSV300\nsize=100G features='1 queue_if_no_path' hwhandler='0' wp=rw\n|-+- policy='service-time 0' prio=50 status=active\n| `- 1:0:0:1 sdb 8:16 active ready running\n`-+- policy='service-time 0' prio=10 status=enabled\n  `- 2:0:0:1 sdc 8:32 active ready running\n";
    // As multipath-tools 0.4 printed it.
    let old = "mpatha (3600508b400105e210000900000490000) dm-2 HP,HSV300\n[size=100G][features=1 queue_if_no_path][hwhandler=0][rw]\n\\_ round-robin 0 [prio=50][active]\n \\_ 1:0:0:1 sdb 8:16  [active][ready]\n\\_ round-robin 0 [prio=10][enabled]\n \\_ 2:0:0:1 sdc 8:32  [active][ready]\n";
    for text in [text, old] {
        paths_of_a_map(&said(&pasted("multipath -ll", text)));
    }
}

fn paths_of_a_map(evidence: &TextEvidence) {
    let found = only(evidence, "mapper/mpatha", |_| true);
    assert_eq!(
        (found.kind, &found.parents),
        (
            Some(Kind::Volume),
            &vec!["sdb".to_owned(), "sdc".to_owned()]
        )
    );
    let path = only(evidence, "sdc", |_| true);
    assert_eq!(path.devno, DevNo::parse("8:32"));
    assert_eq!(path.claims.as_ref().unwrap().model, "HSV300");
}

#[test]
fn hardware_raid_tells_strips_and_stripes() {
    let storcli = r#"{"Controllers":[{"Command Status":{"Status":"Success"},"Response Data":{
        "/c0/v0":[{"DG/VD":"0/0","TYPE":"RAID5","State":"Optl","Size":"1.089 TB"}],
        "PDs for VD 0":[{"EID:Slt":"252:0"}],
        "VD0 Properties":{"Strip Size":"256 KB","Number of Blocks":1,"Span Depth":1,"Number of Drives Per Span":4,
        "VD has Emulated PD":"No","OS Drive Name":"/dev/sda"}}}]}"#;
    let evidence = said(&pasted("storcli /c0/vall show all J", storcli));
    let found = only(&evidence, "sda", |_| true);
    let array = found.array.as_ref().unwrap();
    assert_eq!(
        (array.level, array.chunk, array.raid_disks),
        (5, Some(Bytes::new(256 << 10)), 4)
    );
    assert_eq!(fact(found, "full-stripe"), Some("768 KiB"));

    let megacli = "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nName                :\nRAID Level          : Primary-6, Secondary-0, RAID Level Qualifier-3\nSize                : 7.276 TB\nStrip Size          : 64 KB\nNumber Of Drives    : 6\nSpan Depth          : 1\n";
    let evidence = said(megacli);
    let found = only(&evidence, "vd0", |_| true);
    assert_eq!(fact(found, "full-stripe"), Some("256 KiB"));
    assert_eq!(found.array.as_ref().unwrap().level, 6);

    let ssacli = "Smart Array P440ar in Slot 0\n\n   Array: A\n\n      Logical Drive: 1\n         Size: 1.6 TB\n         Fault Tolerance: 5\n         Strip Size: 256 KB\n         Full Stripe Size: 768 KB\n         Disk Name: /dev/sda \n";
    let evidence = said(ssacli);
    assert_eq!(
        fact(only(&evidence, "sda", |_| true), "full-stripe"),
        Some("768 KiB")
    );
}

/// Scenario A09 (VeraCrypt#552): the kernel refused the size, so that sysfs shows 0; the log has it.
#[test]
fn the_log_keeps_a_hint_that_sysfs_forgot() {
    let line =
        "Optimal transfer size 33553920 bytes not a multiple of physical block size (4096 bytes)";
    for text in [
        format!("[    4.123456] sd 6:0:0:0: [sdb] {line}\n"),
        format!("sd 6:0:0:0: [sdb] {line}\r\n"),
        format!("> Nov 21 11:00:00 host kernel: sd 6:0:0:0: [sdb] {line}\n"),
    ] {
        let evidence = said(&text);
        let found = only(&evidence, "sdb", |_| true);
        assert_eq!(rules(found), ["bogus-hint"]);
        let why = &found.remarks[0].why;
        assert!(why.contains(line) && why.contains("0xFFFF × 512"), "{why}");
        assert!(found.claims.is_none(), "no claim: sysfs rules");
    }
}

#[test]
fn the_log_tells_misalignment_and_sectors() {
    let text = "\
[    1.0] sd 0:0:0:0: [sda] 976773168 512-byte logical blocks: (500 GB/466 GiB)
[    1.1] sd 0:0:0:0: [sda] 4096-byte physical blocks
[    1.2] sd 1:0:0:0: [sdb] 1953506646 4096-byte logical blocks: (8.00 TB/7.28 TiB)
[    2.0] device-mapper: table: 253:3: adding target device sdc1 caused an alignment inconsistency: physical_block_size=4096, logical_block_size=512, alignment_offset=0, start=33553920
[    2.1] device-mapper: table: 253:3: adding target device sdc1 caused an alignment inconsistency: physical_block_size=4096, logical_block_size=512, alignment_offset=0, start=33553920
[    3.0] sd 0:0:0:0: [sdd] tag#12 request not aligned to the logical block size
[    3.1] XFS (sde1): device supports 4096 byte sectors (not 512)
[    3.2] md0: Warning: Device sdf1 is misaligned
warning: device is not properly aligned /dev/sdg1
/dev/sdh1 alignment is offset by 3584 bytes.
[    4.0] usb 1-1: new high-speed USB device
";
    let evidence = said(text);
    let sda: Vec<_> = evidence
        .devices
        .iter()
        .filter(|said| said.name == "sda")
        .collect();
    assert_eq!(sda[0].claims.as_ref().unwrap().logical, Some(512));
    assert_eq!(sda[0].size.unwrap().low, 976_773_168 * 512);
    assert_eq!(sda[1].claims.as_ref().unwrap().physical, Some(4096));
    assert_eq!(only(&evidence, "sdb", |_| true).sector.unwrap().get(), 4096);
    for (name, rule, severity) in [
        ("sdc1", "kernel-misaligned-stack", Severity::Misaligned),
        ("sdd", "request-below-logical-block", Severity::Broken),
        ("sde1", "log-sector-mismatch", Severity::Broken),
        ("sdf1", "kernel-misaligned-stack", Severity::Misaligned),
        ("sdg1", "mkfs-misaligned", Severity::Misaligned),
        ("sdh1", "mkfs-misaligned", Severity::Misaligned),
    ] {
        let found = only(&evidence, name, |_| true);
        assert_eq!(rules(found), [rule], "{name}");
        assert_eq!(found.remarks[0].severity, severity);
    }
    assert_eq!(
        only(&evidence, "sdh1", |_| true).alignment_offset,
        Some(3584)
    );
}
