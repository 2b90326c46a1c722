//! The metrics by name, with their help.

/// A metric: name and HELP.
pub struct Family {
    /// As it is exposed.
    pub name: &'static str,
    /// One line; no backslash or line feed.
    pub help: &'static str,
}

pub const OFFSET: Family = Family {
    name: "ioalign_partition_offset_bytes",
    help: "How far a partition starts past a boundary of the unit below it; 0 is aligned.",
};

pub const ALIGNED: Family = Family {
    name: "ioalign_partition_aligned",
    help: "1 when no data lie off a grid because of this partition, 0 when some do.",
};

pub const FINDING: Family = Family {
    name: "ioalign_finding",
    help: "Findings that count, by rule, severity and the device to blame.",
};

pub const WAIVED: Family = Family {
    name: "ioalign_finding_waived",
    help: "Findings that a policy waives, by rule, severity and the device to blame.",
};

pub const DEVICE: Family = Family {
    name: "ioalign_device_info",
    help: "What a device says of itself; sizes in bytes, empty when it does not say.",
};

pub const BOGUS: Family = Family {
    name: "ioalign_hint_bogus",
    help: "1 for every hint of a device that is not believed.",
};

pub const VERDICT: Family = Family {
    name: "ioalign_target_verdict",
    help: "1 for the verdict of a target, as the label says it.",
};

pub const READABLE: Family = Family {
    name: "ioalign_target_readable",
    help: "1 when a target could be read to the end, 0 when not.",
};

pub const DURATION: Family = Family {
    name: "ioalign_target_scan_duration_seconds",
    help: "Time that reading and judging a target took.",
};

pub const LAST_SCAN: Family = Family {
    name: "ioalign_last_scan_timestamp_seconds",
    help: "When the last scan was made, in seconds since 1970 UTC.",
};

pub const BUILD: Family = Family {
    name: "ioalign_build_info",
    help: "Name and version of the program that made the scan.",
};
