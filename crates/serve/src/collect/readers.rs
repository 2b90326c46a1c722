//! Connections to the store for those who read.

use std::sync::{Mutex, PoisonError};

use ioalign_fleet::{FleetError, FleetResult, FleetStore, StorePlace, collector};

/// Connections that are kept open.
const KEPT: usize = 4;

/// Connections, one a question.
pub(super) struct StoreReaders {
    place: StorePlace,
    idle: Mutex<Vec<FleetStore>>,
}

impl StoreReaders {
    pub(super) fn new(place: &StorePlace) -> Self {
        Self {
            place: place.clone(),
            idle: Mutex::default(),
        }
    }

    /// Asks, in a thread for such work. Waivers that ran out are taken back before.
    pub(super) fn ask<T>(
        &self,
        question: impl FnOnce(&mut FleetStore) -> FleetResult<T>,
    ) -> FleetResult<T> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut store = idle.map_or_else(|| FleetStore::open(&self.place), Ok)?;
        store.settle(&collector::today())?;
        let answer = question(&mut store);
        // A connection that failed is not kept.
        if !matches!(answer, Err(FleetError::Unavailable(_))) {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < KEPT {
                idle.push(store);
            }
        }
        answer
    }
}
