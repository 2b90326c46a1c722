//! File systems, with the geometry that they only learn when they are made, and databases.

use ioalign_core::Bytes;

use super::super::{PlanStep, StepLines};
use crate::planner::DiskPlan;
use crate::planner::filesystems::{self, BLOCK, MkfsStripe};
use crate::planner::want::{Filesystem, PlannedDatabase};

/// Makes it on `at`, a word of the shell.
pub fn make(plan: &DiskPlan, filesystem: Filesystem, at: &str) -> PlanStep {
    let want = &plan.want;
    let stripe = MkfsStripe::of(want);
    let (line, fixed) = match filesystem {
        Filesystem::Xfs => (xfs(want.universal, stripe, at), "su, sw"),
        Filesystem::Ext4 => (ext4(plan, stripe, at), "the cluster size"),
        Filesystem::Btrfs => (
            format!("mkfs.btrfs --sectorsize 4096 --nodesize 16384 {at}"),
            "the sector size",
        ),
        Filesystem::Zfs => (
            format!(
                "zpool create -o ashift={} tank {at}",
                filesystems::ashift(want)
            ),
            "ashift",
        ),
        Filesystem::Ntfs => (
            format!(
                "mkfs.ntfs --fast --cluster-size {} {at}",
                filesystems::allocation_unit(want).get()
            ),
            "the cluster size",
        ),
        Filesystem::Ufs => (format!("mkfs.ufs -O2 {at}"), "the block size"),
        Filesystem::Vmfs => ("vmkfstools -C vmfs6".to_owned(), "the block size"),
        Filesystem::Swap => (format!("mkswap {at}"), ""),
    };
    let mut step = PlanStep::new("Make the file system", vec![line]).destroys();
    if filesystem == Filesystem::Ext4 && filesystems::cluster(want).is_some() {
        step = step.note(
            "clusters keep every allocation on whole units; a program that overwrites less than a unit in place \
             still causes a read-modify-write",
        );
    }
    if fixed.is_empty() {
        step
    } else {
        step.fixed(fixed)
    }
}

fn xfs(universal: bool, stripe: Option<MkfsStripe>, at: &str) -> String {
    // mkfs.xfs takes the sector of the disk that it runs on.
    let sector = if universal { " -s size=4k" } else { "" };
    let Some(stripe) = stripe else {
        return format!("mkfs.xfs -b size=4k{sector} {at}");
    };
    let kib = |size: Bytes| size.get() >> 10;
    // A log stripe unit above 256 KiB is refused; the log then takes 32 KiB, as mkfs itself does.
    let log = if stripe.unit > filesystems::XFS_LOG_MOST {
        " -l su=32k"
    } else {
        ""
    };
    format!(
        "mkfs.xfs -b size=4k{sector} -d su={}k,sw={}{log} {at}",
        kib(stripe.unit),
        stripe.width
    )
}

/// mke2fs on a word of the shell.
pub fn ext4(plan: &DiskPlan, stripe: Option<MkfsStripe>, at: &str) -> String {
    let cluster = filesystems::cluster(&plan.want).map_or_else(String::new, |cluster| {
        // With an inode for each 16 KiB, the default, mke2fs 1.47 refuses sizes with a short last group.
        format!(" -O bigalloc -C {} -i {}", cluster.get(), cluster.get() * 2)
    });
    let stripe = stripe.map_or_else(String::new, |stripe| {
        format!(
            " -E stride={},stripe-width={}",
            stripe.stride(),
            stripe.blocks()
        )
    });
    format!("mke2fs -t ext4 -b {}{cluster}{stripe} {at}", BLOCK.get())
}

/// What the database has to be set to.
pub fn database(database: PlannedDatabase) -> PlanStep {
    let page = database.page().get();
    let (title, lines) = match database {
        PlannedDatabase::InnoDb { .. } => (
            "Set InnoDB's page, before the first start",
            vec![
                "[mysqld]".to_owned(),
                format!("innodb_page_size = {page}"),
                "innodb_flush_method = O_DIRECT".to_owned(),
            ],
        ),
        PlannedDatabase::Postgres => (
            "PostgreSQL's page is fixed when it is built",
            vec![format!("postgres -C block_size   # {page}")],
        ),
        PlannedDatabase::SqlServer => (
            "SQL Server writes 8 KiB pages in extents of 64 KiB",
            vec![
                "# physical blocks above 4 KiB are refused: see the disk's block first".to_owned(),
            ],
        ),
        PlannedDatabase::Oracle { .. } => (
            "Set Oracle's block, before the database is made",
            vec![format!("db_block_size={page}")],
        ),
    };
    PlanStep::new(title, lines)
        .of_kind(StepLines::Settings)
        .fixed("the page size")
}
