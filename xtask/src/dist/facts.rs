//! What all packages say of themselves, in one place.

use anyhow::{Result, bail};

use crate::run;

pub const SUMMARY: &str = "finds, explains and proves storage I/O misalignment";
pub const DESCRIPTION: &[&str] = &[
    "ioalign reads the whole storage stack, from database page and file system",
    "through LVM, LUKS, partitions and virtual disks to RAID and flash, and says",
    "which layer starts off the boundaries of the layer below, what that costs,",
    "and what to type. It reads disks, images of any format, captures of other",
    "hosts, traces and live I/O, plans layouts, and moves data so that no crash",
    "loses a byte.",
];
pub const HOMEPAGE: &str = env!("CARGO_PKG_REPOSITORY");
pub const LICENSE: &str = env!("CARGO_PKG_LICENSE");
pub const MAINTAINER: &str = "ioalign developers <ioalign@users.noreply.github.com>";

/// Version and time of the commit that is packaged.
pub struct ReleaseFacts {
    pub version: &'static str,
    /// Of the last commit, abbreviated; `-dirty` when the tree has changes.
    pub commit: String,
    /// Of the commit, since 1970: the time of every file.
    pub seconds: u64,
}

impl ReleaseFacts {
    pub fn read() -> Result<Self> {
        let commit = run::output(run::command("git").args(["describe", "--always", "--dirty"]))?;
        let seconds = run::output(run::command("git").args(["log", "-1", "--format=%ct"]))?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            commit: commit.trim().to_owned(),
            seconds: seconds.trim().parse()?,
        })
    }
}

/// A processor that packages are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    X86,
    Arm,
}

impl Architecture {
    pub const ALL: [Self; 2] = [Self::X86, Self::Arm];

    pub fn named(name: &str) -> Result<Self> {
        match Self::ALL.into_iter().find(|one| one.rust() == name) {
            Some(one) => Ok(one),
            None => bail!("there are packages for x86_64 and aarch64, not for {name}"),
        }
    }

    /// As Rust, RPM and the kernel call it.
    pub const fn rust(self) -> &'static str {
        match self {
            Self::X86 => "x86_64",
            Self::Arm => "aarch64",
        }
    }

    /// As Debian and OCI call it.
    pub const fn debian(self) -> &'static str {
        match self {
            Self::X86 => "amd64",
            Self::Arm => "arm64",
        }
    }

    /// Of the static program.
    pub const fn target(self) -> &'static str {
        match self {
            Self::X86 => "x86_64-unknown-linux-musl",
            Self::Arm => "aarch64-unknown-linux-musl",
        }
    }

    /// Of what Python loads.
    pub const fn glibc_target(self) -> &'static str {
        match self {
            Self::X86 => "x86_64-unknown-linux-gnu",
            Self::Arm => "aarch64-unknown-linux-gnu",
        }
    }
}
