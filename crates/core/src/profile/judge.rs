//! The verdicts of a profile, from its counters.

use super::alignment::{Alignment, judge};
use super::on_grid::DeclaredGrids;
use super::{DeviceProfile, OpProfile, Profile};

impl DeviceProfile {
    /// Fills in the verdicts on the device and on each operation, from their counters.
    pub fn judge(&mut self) {
        let decided = |device: &Self, only: Option<&str>, found: Alignment| {
            let mut declared = DeclaredGrids::default();
            declared.add(device, only);
            declared.decide(found)
        };
        let of = |(name, op): (&String, &OpProfile)| decided(self, Some(name), judge([op]));
        let found: Vec<_> = self.by_op.iter().map(of).collect();
        for (op, found) in self.by_op.values_mut().zip(found) {
            op.alignment = found;
        }
        self.alignment = decided(self, None, judge(self.by_op.values()));
    }
}

impl Profile {
    /// Fills in the verdicts on everything, each device and each operation, from their counters.
    pub fn judge(&mut self) {
        self.devices.iter_mut().for_each(DeviceProfile::judge);
        let mut declared = DeclaredGrids::default();
        self.devices
            .iter()
            .for_each(|device| declared.add(device, None));
        let assumed = judge(self.devices.iter().flat_map(|device| device.by_op.values()));
        self.alignment = declared.decide(assumed);
    }
}
