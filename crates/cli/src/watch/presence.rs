//! Devices that go while they are watched: unplugged, or a loop device that was detached.

use std::path::Path;

use ioalign_observe::live::WatchedDevice;

/// Which of the devices have gone.
pub struct Presence {
    /// As they were at the beginning; `None`: gone.
    there: Vec<Option<String>>,
}

impl Presence {
    /// All are there.
    pub fn new(sys: &Path, devices: &[WatchedDevice]) -> Self {
        let there = devices
            .iter()
            .map(|device| Some(sequence(sys, &device.name)));
        Self {
            there: there.collect(),
        }
    }

    /// Looks again: what to say of those that have gone since the last time.
    pub fn look(&mut self, sys: &Path, devices: &[WatchedDevice], seconds: f64) -> Vec<String> {
        let mut said = Vec::new();
        for (device, there) in devices.iter().zip(&mut self.there) {
            let name = &device.name;
            let Some(first) = there else { continue };
            if has_size(sys, name) && *first == sequence(sys, name) {
                continue;
            }
            *there = None;
            said.push(format!(
                "{name} was detached or removed after {seconds:.0} s: its figures end there, and what has its \
                 number later is another device"
            ));
        }
        said
    }
}

/// The kernel's number of the medium (since Linux 5.15), which changes where a loop device gets another file between two
/// looks; empty where there is none.
fn sequence(sys: &Path, name: &str) -> String {
    let path = sys.join("block").join(name).join("diskseq");
    std::fs::read_to_string(path).unwrap_or_default()
}

/// A loop device without a file keeps its name, and has no size.
fn has_size(sys: &Path, name: &str) -> bool {
    let size = std::fs::read_to_string(sys.join("block").join(name).join("size"));
    match size {
        Ok(text) => text.trim() != "0",
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use ioalign_testkit::files::put;

    use super::*;

    #[test]
    fn what_goes_is_said_once() {
        let sys = tempfile::tempdir().unwrap();
        for name in ["loop5", "loop6", "sda", "sdb"] {
            put(sys.path(), &format!("block/{name}/diskseq"), "7\n");
            put(sys.path(), &format!("block/{name}/size"), "2048\n");
            put(sys.path(), &format!("block/{name}/dev"), "7:5\n");
        }
        let devices = ioalign_observe::live::devices(sys.path(), &[]).unwrap();
        let mut presence = Presence::new(sys.path(), &devices);
        assert!(presence.look(sys.path(), &devices, 1.0).is_empty());
        put(sys.path(), "block/loop5/size", "0\n");
        put(sys.path(), "block/loop6/diskseq", "9\n");
        std::fs::remove_dir_all(sys.path().join("block/sdb")).unwrap();
        let said = presence.look(sys.path(), &devices, 2.0);
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].starts_with("loop5 was detached or removed after 2 s"));
        assert!(presence.look(sys.path(), &devices, 3.0).is_empty());
    }
}
