//! RAID groups against pools.

use anyhow::Result;
use ioalign_core::simulation_document::PublishedFigure;
use ioalign_simulate::provision::{ProvisionRun, Provisioning, provision, tiles};

use super::model::{PublishedModel, filled, preset, row};
use crate::exit::UsageError;

const POOLS: &str = "RAID groups versus storage pools";

/// The mean latency of a mail server in its group over that in the pool.
pub fn rows(model: &PublishedModel, rows: &mut Vec<PublishedFigure>) -> Result<()> {
    for (name, published, tolerance, note) in [
        (
            "ssd-group",
            0.0,
            5.0,
            "no difference was found; the charts have no numbers",
        ),
        (
            "hdd-group",
            f64::NAN,
            0.0,
            "no figure is published: it has to be 10 % or more",
        ),
    ] {
        let array = preset(name)?;
        let mail = |provisioning| -> Result<f64> {
            let outcome = provision(&ProvisionRun {
                array: &array,
                tenants: &tiles(13),
                groups: 4,
                provisioning,
                allocated: 0.5,
                ios: model.ios.max(20_000),
                seed: model.seed,
            });
            let outcome = outcome.map_err(UsageError)?;
            Ok(outcome.tenants.first().map_or(0.0, |one| one.latency.mean))
        };
        let gain = (mail(Provisioning::Groups)? / mail(Provisioning::Pool)? - 1.0) * 100.0;
        let what = "latency of mail at 13 tiles: its own RAID group over the pool";
        let mut one = filled(row(name, what, published, POOLS), "%", gain, tolerance);
        one.note = note.to_owned();
        if published.is_nan() {
            (one.published, one.tolerance, one.hit) = (0.0, 0.0, gain >= 10.0);
            one.mechanical = false;
        }
        rows.push(one);
    }
    Ok(())
}
