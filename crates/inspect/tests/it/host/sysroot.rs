//! The fake machine of the test kit, read by this crate.

use ioalign_inspect::host::{self, Host, Root};
pub use ioalign_testkit::sysroot::{Sysroot, SysrootDisk};

/// What a test of the readers asks of a tree.
pub trait Read {
    /// The tree as a captured host.
    fn root(&self) -> Root;

    /// Reads the whole tree.
    fn read(&self) -> Host;
}

impl Read for Sysroot {
    fn root(&self) -> Root {
        Root::captured(self.path()).expect("the tree opens")
    }

    fn read(&self) -> Host {
        host::read(&self.root(), &[]).expect("the tree is read")
    }
}
