//! Support bundles through the program: what is said about them, and what is not.

mod hostile;
mod layouts;
mod several;

use std::path::Path;

use ioalign_testkit::{BundleBuilder, CheckRun, check};

use super::PROGRAM;

/// lsblk of util-linux 2.37 with `-O -P`: `MIN_IO`, and no START.
const LSBLK_237: &str = r#"NAME="sda" KNAME="sda" PATH="/dev/sda" MAJ_MIN="8:0" FSTYPE="" MOUNTPOINT="" LABEL="" UUID="" PTTYPE="dos" PARTTYPE="" SIZE="931.5G" ALIGNMENT="0" MIN_IO="4096" OPT_IO="0" PHY_SEC="4096" LOG_SEC="512" ROTA="1" TYPE="disk" MODEL="WDC_WD10EZEX-08W" TRAN="sata" PKNAME=""
NAME="sda1" KNAME="sda1" PATH="/dev/sda1" MAJ_MIN="8:1" FSTYPE="ext4" MOUNTPOINT="/" LABEL="" UUID="" PTTYPE="dos" PARTTYPE="0x83" SIZE="914.3G" ALIGNMENT="512" MIN_IO="4096" OPT_IO="0" PHY_SEC="4096" LOG_SEC="512" ROTA="1" TYPE="part" MODEL="" TRAN="" PKNAME="sda"
NAME="sda2" KNAME="sda2" PATH="/dev/sda2" MAJ_MIN="8:2" FSTYPE="swap" MOUNTPOINT="[SWAP]" LABEL="" UUID="" PTTYPE="dos" PARTTYPE="0x82" SIZE="17.2G" ALIGNMENT="0" MIN_IO="4096" OPT_IO="0" PHY_SEC="4096" LOG_SEC="512" ROTA="1" TYPE="part" MODEL="" TRAN="" PKNAME="sda"
"#;

/// `blockdev --report` of the same disk.
const BLOCKDEV: &str = "\
RO    RA   SSZ   BSZ   StartSec            Size   Device
rw   256   512  4096          0   1000204886016   /dev/sda
rw   256   512  4096         63    981706810880   /dev/sda1
rw   256   512  4096 1917398016     18498068480   /dev/sda2
";

const PARTITIONS: &str = "\
major minor  #blocks  name

   8        0  976762584 sda
   8        1  958698057 sda1
   8        2   18064520 sda2
  11        0    1048575 sr0
 253        0    8388608 dm-0
   7        0          4 loop0
";

/// What a sosreport of the last years has at least, without any start.
fn sos(top: &str) -> BundleBuilder {
    BundleBuilder::new(top)
        .file("version.txt", "sosreport: 4.7.0\n")
        .file("sos_logs/sos.log", "2026-11-21 ...\n")
        .file("sos_commands/block/lsblk_-O_-P", LSBLK_237)
        .file("sos_commands/networking/ip_-s_-d_link", "1: lo: ...\n")
        .file("proc/partitions", PARTITIONS)
        .file("etc/os-release", "NAME=x\n")
        .queue("sda", (512, 4096, 4096, 0))
}

fn judged(path: &Path) -> CheckRun {
    check(PROGRAM, [path])
}
