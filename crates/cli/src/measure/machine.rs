//! The machine that a report opens with.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ioalign_core::comparison::Machine;
use ioalign_device::Target;
use ioalign_inspect::host::{self, Root};
use ioalign_report::words::time::date;

/// Of this machine, now.
pub fn read(_targets: &[Arc<Target>]) -> Machine {
    let Ok(root) = Root::live() else {
        return Machine::default();
    };
    let found = host::machine::read(&root);
    let or_empty = Option::unwrap_or_default;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Machine {
        host: or_empty(found.name),
        platform: or_empty(found.hypervisor.or(found.product)),
        kernel: or_empty(found.kernel),
        system: or_empty(found.system),
        cpu_model: or_empty(found.cpu),
        cpus: u32::try_from(found.cpus).unwrap_or(0),
        memory_bytes: found.memory.map(|bytes| bytes.get()),
        time: time(),
        load_average: load.split(' ').next().and_then(|load| load.parse().ok()),
        ..Machine::default()
    }
}

/// RFC 3339, in UTC.
fn time() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
