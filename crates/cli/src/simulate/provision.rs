//! `ioalign simulate provision`: RAID groups against one pool.

use anyhow::Result;
use ioalign_core::simulation_document::{
    PROVISIONING_SCHEMA, ProvisionedTenant, ProvisioningDocument, TenantRate,
};
use ioalign_core::units::ratio;
use ioalign_simulate::description::{self, DescribedArray};
use ioalign_simulate::provision::{
    ProvisionRun, Provisioning, TileTenant, blender, provision, tiles,
};

use crate::args::SimulateProvisionArgs;
use crate::exit::{Exit, UsageError};
use crate::look;

/// Runs the verb.
pub fn run(arguments: &SimulateProvisionArgs) -> Result<Exit> {
    let mut document = ProvisioningDocument {
        schema: PROVISIONING_SCHEMA.to_owned(),
        tool: crate::check::tool(),
        seed: arguments.seed,
        ..ProvisioningDocument::default()
    };
    for name in &arguments.disk {
        let array = description::named(name).map_err(UsageError)?;
        for filled in &arguments.filled {
            let allocated = ratio(u64::from(*filled), 100);
            for count in &arguments.tiles {
                let load = LoadPoint {
                    name,
                    array: &array,
                    allocated,
                    groups: 4,
                    tiles: *count,
                };
                load.rows(&tiles(*count), arguments, &mut document)?;
            }
            let load = LoadPoint {
                name,
                array: &nine(&array),
                allocated,
                groups: 1,
                tiles: 0,
            };
            load.rows(&[blender()], arguments, &mut document)?;
        }
    }
    if arguments.look.json {
        look::json(&document)?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&ioalign_report::simulation::provisioning(
            &document, &options,
        ))?;
    }
    Ok(Exit::Done)
}

/// The nine disks of the test with one load.
fn nine(array: &DescribedArray) -> DescribedArray {
    let mut nine = array.clone();
    nine.shape.array.disks = 9;
    nine
}

/// One load on groups of one kind.
struct LoadPoint<'a> {
    name: &'a str,
    array: &'a DescribedArray,
    allocated: f64,
    groups: u32,
    tiles: u32,
}

impl LoadPoint<'_> {
    fn rows(
        &self,
        tenants: &[TileTenant],
        arguments: &SimulateProvisionArgs,
        document: &mut ProvisioningDocument,
    ) -> Result<()> {
        let mut sides = Vec::new();
        for provisioning in [Provisioning::Groups, Provisioning::Pool] {
            let outcome = provision(&ProvisionRun {
                array: self.array,
                tenants,
                groups: self.groups,
                provisioning,
                allocated: self.allocated,
                ios: arguments.ios,
                seed: arguments.seed,
            });
            sides.push(match outcome {
                Ok(outcome) => Some(outcome),
                Err(why) if why.contains("keep up") => {
                    document
                        .notes
                        .push(format!("{}, {} tiles: {why}", self.name, self.tiles));
                    None
                }
                Err(why) => return Err(UsageError(format!("{}: {why}", self.name)).into()),
            });
        }
        for (number, tenant) in tenants.iter().enumerate() {
            let mut rates = sides.iter().map(|side| {
                let side = side.as_ref()?;
                let one = side.tenants.get(number)?;
                Some(TenantRate {
                    iops: side.iops(one),
                    mean_us: one.latency.mean,
                    p99_us: one.latency.p99,
                })
            });
            document.rows.push(ProvisionedTenant {
                array: self.name.to_owned(),
                groups: self.groups,
                allocated_ratio: self.allocated,
                tiles: self.tiles,
                tenant: tenant.name.to_owned(),
                in_group: rates.next().flatten(),
                in_pool: rates.next().flatten(),
            });
        }
        Ok(())
    }
}
