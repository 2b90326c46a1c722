//! Kinds of partition table.

/// A kind of partition table.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum TableKind {
    /// The partition table of an MBR, with its chains of logical partitions.
    #[default]
    Dos,
    /// GUID partition table.
    Gpt,
    /// Apple partition map.
    Apple,
    /// BSD disklabel.
    Bsd,
    /// Volume header of SGI.
    Sgi,
    /// Sun label.
    VtocSparc,
    /// VTOC of Solaris on x86.
    VtocX86,
    /// Volumes of Windows' logical disk manager.
    LogicalDiskManager,
    /// Label of a DASD volume; not read.
    Dasd,
    /// Root sector of Atari; not read.
    Atari,
}

impl TableKind {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dos => "dos",
            Self::Gpt => "gpt",
            Self::Apple => "apm",
            Self::Bsd => "bsd",
            Self::Sgi => "sgi",
            Self::VtocSparc => "vtoc-sparc",
            Self::VtocX86 => "vtoc-x86",
            Self::LogicalDiskManager => "ldm",
            Self::Dasd => "dasd",
            Self::Atari => "atari",
        }
    }
}
