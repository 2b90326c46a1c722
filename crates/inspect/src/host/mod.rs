//! The live machine, or a captured one: sysfs, superblocks, mounts.
