//! `ioalign simulate published`: published figures beside those of the model.
//!
//! No parameter comes from the figure that it is compared with: `simulate list` has all of them with their sources.

mod clusters;
mod model;
mod mysql;
mod negative;
mod pools;
mod vmfs;

use anyhow::Result;
use ioalign_core::simulation_document::{PUBLISHED_SCHEMA, PublishedFigures};
use ioalign_core::units::ratio;

use crate::args::SimulatePublishedArgs;
use crate::exit::Exit;
use crate::look;
use model::PublishedModel;

/// Runs the verb.
pub fn run(arguments: &SimulatePublishedArgs) -> Result<Exit> {
    let model = PublishedModel {
        ios: arguments.ios,
        seed: arguments.seed,
    };
    let mut rows = Vec::new();
    mysql::rows(&model, &mut rows)?;
    vmfs::rows(&model, &mut rows)?;
    clusters::rows(&model, &mut rows)?;
    pools::rows(&model, &mut rows)?;
    negative::rows(&model, &mut rows)?;
    let counted = rows.iter().filter(|row| {
        let is_gain = row.unit == "%" && row.published.abs() > 0.0;
        row.mechanical && is_gain
    });
    let errors: Vec<f64> = counted
        .map(|row| (row.simulated - row.published).abs())
        .collect();
    let document = PublishedFigures {
        schema: PUBLISHED_SCHEMA.to_owned(),
        tool: crate::check::tool(),
        seed: arguments.seed,
        mean_error_points: errors.iter().sum::<f64>() / ratio(errors.len().max(1) as u64, 1),
        rows,
    };
    if arguments.look.json {
        look::json(&document)?;
    } else {
        let options = look::options(&arguments.look);
        look::write(&ioalign_report::simulation::published(&document, &options))?;
    }
    Ok(Exit::Done)
}
