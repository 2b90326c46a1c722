//! Chains of clusters, each cluster in one of them at most.

use super::refused;
use super::table::{FatTable, Next};
use crate::Result;
use crate::content::fat::FatGeometry;

/// Follows chains, and remembers which clusters they have.
#[derive(Debug)]
pub struct Chains<'a> {
    geometry: &'a FatGeometry,
    table: &'a FatTable,
    taken: Vec<bool>,
    count: u32,
}

impl<'a> Chains<'a> {
    /// None followed yet.
    pub fn new(geometry: &'a FatGeometry, table: &'a FatTable) -> Self {
        let clusters = usize::try_from(geometry.clusters() + 2).unwrap_or(0);
        Self {
            geometry,
            table,
            taken: vec![false; clusters],
            count: 0,
        }
    }

    /// Clusters of all chains so far.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The clusters of a chain in order.
    pub fn follow(&mut self, first: u32, whose: &str) -> Result<Vec<u32>> {
        let mut chain = Vec::new();
        let mut cluster = first;
        loop {
            self.take(cluster, whose)?;
            chain.push(cluster);
            match self.table.next(cluster) {
                Next::Cluster(next) => cluster = next,
                Next::End => return Ok(chain),
                Next::Free | Next::Bad => {
                    return Err(damaged(whose, "leads to a cluster that does not exist"));
                }
            }
        }
    }

    fn take(&mut self, cluster: u32, whose: &str) -> Result<()> {
        let index = usize::try_from(cluster).unwrap_or(usize::MAX);
        let place = self.taken.get_mut(index);
        let place = place.filter(|_| self.geometry.holds(cluster));
        let place = place.ok_or_else(|| damaged(whose, "leads out of the file system"))?;
        if *place {
            return Err(damaged(whose, "shares a cluster with another"));
        }
        *place = true;
        self.count += 1;
        Ok(())
    }
}

fn damaged(whose: &str, what: &str) -> crate::Error {
    refused(format!(
        "the chain of {whose} {what}; run `fsck.fat` on it first"
    ))
}
