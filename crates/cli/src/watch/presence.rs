//! Devices that go while they are watched: unplugged, or a loop device that was detached.

use std::path::Path;

use ioalign_observe::live::WatchedDevice;

/// Which of the devices have gone.
pub struct Presence {
    gone: Vec<bool>,
}

impl Presence {
    /// All are there.
    pub fn new(devices: &[WatchedDevice]) -> Self {
        Self {
            gone: vec![false; devices.len()],
        }
    }

    /// Looks again: what to say of those that have gone since the last time.
    pub fn look(&mut self, sys: &Path, devices: &[WatchedDevice], seconds: f64) -> Vec<String> {
        let mut said = Vec::new();
        for (device, gone) in devices.iter().zip(&mut self.gone) {
            if !*gone && !is_there(sys, &device.name) {
                *gone = true;
                let name = &device.name;
                said.push(format!(
                    "{name} was detached or removed after {seconds:.0} s: its figures end there, and what has its \
                     number later is another device"
                ));
            }
        }
        said
    }
}

/// A loop device without a file keeps its name, and has no size.
fn is_there(sys: &Path, name: &str) -> bool {
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
        for name in ["loop5", "sda", "sdb"] {
            put(sys.path(), &format!("block/{name}/size"), "2048\n");
            put(sys.path(), &format!("block/{name}/dev"), "7:5\n");
        }
        let devices = ioalign_observe::live::devices(sys.path(), &[]).unwrap();
        let mut presence = Presence::new(&devices);
        assert!(presence.look(sys.path(), &devices, 1.0).is_empty());
        put(sys.path(), "block/loop5/size", "0\n");
        std::fs::remove_dir_all(sys.path().join("block/sdb")).unwrap();
        let said = presence.look(sys.path(), &devices, 2.0);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("loop5 was detached or removed after 2 s"));
        assert!(presence.look(sys.path(), &devices, 3.0).is_empty());
    }
}
