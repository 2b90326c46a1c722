//! A profile for a terminal: the verdict first, then what it rests on, device by device.
//!
//! Like the text of `check`: never wider than the page, colour never the only sign, names made harmless.

mod grids;
mod head;
mod intervals;
pub mod law;
mod ops;
mod starts;
pub(crate) mod table;
mod time;
mod verdict;
mod who;

use ioalign_core::profile::{DeviceProfile, Profile};

use crate::machine;
use crate::options::RenderOptions;
use crate::text::page::{Style, TextPage, TextSpan};

/// Devices that are shown in full, unless everything is wanted.
const IN_FULL: usize = 3;

/// The whole text.
pub fn render(profile: &Profile, options: &RenderOptions) -> String {
    let mut page = TextPage::new(options);
    if options.quiet() {
        verdict::quiet(&mut page, profile);
        return page.finish();
    }
    machine::put(&mut page, profile.machine.as_ref());
    head::files(&mut page, profile);
    head::summary(&mut page, profile);
    let devices = by_ios(profile);
    if devices.len() > 1 {
        page.blank();
        verdict::table(&mut page, &devices);
    }
    let shown = if options.verbose() {
        devices.len()
    } else {
        IN_FULL
    };
    for one in devices.iter().take(shown) {
        page.blank();
        device(&mut page, one, profile);
    }
    if devices.len() > shown {
        page.blank();
        let more = devices.len() - shown;
        let text = format!("{more} more devices in full with -v.");
        page.line(&[TextSpan::new(Style::Dim, text)]);
    }
    page.finish()
}

/// The busiest first.
fn by_ios(profile: &Profile) -> Vec<&DeviceProfile> {
    let mut devices: Vec<_> = profile.devices.iter().collect();
    let ios = |device: &DeviceProfile| device.by_op.values().map(|op| op.ios).sum::<u64>();
    devices.sort_by_key(|device| std::cmp::Reverse(ios(device)));
    devices
}

fn device(page: &mut TextPage, device: &DeviceProfile, profile: &Profile) {
    verdict::device(page, device);
    ops::table(page, device);
    starts::bars(page, device);
    grids::table(page, device);
    grids::latency(page, device);
    grids::read_before_write(page, device);
    grids::discards(page, device);
    who::sizes(page, device);
    who::processes(page, device);
    time::all(page, device, profile);
    intervals::table(page, device);
}

/// A heading inside a device.
fn heading(page: &mut TextPage, text: &str) {
    page.blank();
    page.line(&[TextSpan::new(Style::Strong, text)]);
}
