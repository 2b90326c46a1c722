//! The loop: one event after the other until every request is complete.

use super::MOST_IN_FLIGHT;
use super::cache::CacheState;
use super::progress::DonePart;
use super::queues::{DiskQueues, NextEvent};
use super::slot::{RequestSlot, SlotRole};
use super::system::{SimulatedSystem, SystemOutcome, SystemRun};
use super::tenant::TenantState;
use super::timers::TimedEvent;
use crate::geometry::{ArrayGeometry, DiskSteps};

/// Everything that is under way.
pub struct EventLoop<'a> {
    pub(super) system: &'a SimulatedSystem<'a>,
    pub(super) geometry: &'a ArrayGeometry,
    pub(super) queues: DiskQueues,
    pub(super) cache: Option<CacheState>,
    pub(super) tenants: Vec<TenantState<'a>>,
    pub(super) slots: Vec<RequestSlot>,
    free: Vec<usize>,
    warm_up_left: u64,
    left: u64,
    /// When the first request that counts was sent.
    pub(super) began: Option<u64>,
    ended: u64,
    failed: Option<String>,
}

/// Runs to the end.
pub fn run_system(run: &SystemRun<'_>) -> Result<SystemOutcome, String> {
    let mut all = EventLoop::new(run)?;
    all.begin_tenants()?;
    while let Some(event) = all.queues.next_event() {
        match event {
            NextEvent::Disk(mut done) => {
                while let Some(pending) = all.queues.take(&mut done) {
                    if let Some(slot) = pending.slot() {
                        all.finished(slot, pending.part());
                    }
                }
            }
            NextEvent::Time(event) => all.at_time(event),
        }
        all.queues.start_touched();
    }
    if let Some(why) = all.failed {
        return Err(why);
    }
    Ok(SystemOutcome {
        tenants: all.tenants.iter().map(TenantState::outcome).collect(),
        elapsed_ns: all.ended - all.began.unwrap_or(0),
        disks: all.queues.counts(),
    })
}

impl<'a> EventLoop<'a> {
    fn new(run: &SystemRun<'a>) -> Result<Self, String> {
        let system = run.system;
        let geometry = system.geometry;
        let each = |(number, tenant)| TenantState::new(tenant, number, run.seed);
        let mut tenants = (0..)
            .zip(run.tenants)
            .map(each)
            .collect::<Result<Vec<_>, _>>()?;
        let plain = system.cache.is_none() && system.unit_bytes == 0;
        for tenant in &mut tenants {
            tenant.is_plain &= plain;
        }
        let stripe = geometry.element() * geometry.bearing();
        let cache = |how| CacheState::new(how, stripe, system.capacity());
        Ok(Self {
            system,
            geometry,
            queues: DiskQueues::new(geometry, system.groups, system.disk, run.seed),
            cache: system.cache.map(cache),
            tenants,
            slots: Vec::new(),
            free: Vec::new(),
            warm_up_left: run.warm_up,
            left: run.ios,
            began: None,
            ended: 0,
            failed: None,
        })
    }

    fn begin_tenants(&mut self) -> Result<(), String> {
        for tenant in 0..self.tenants.len() {
            for worker in self.tenants[tenant].workers()? {
                self.slots.push(RequestSlot {
                    tenant,
                    worker,
                    ..RequestSlot::default()
                });
            }
        }
        for slot in 0..self.slots.len() {
            self.send(slot);
            self.queues.start_touched();
        }
        for tenant in 0..self.tenants.len() {
            if self.tenants[tenant].is_open() {
                self.next_arrival(tenant);
            }
        }
        Ok(())
    }

    /// The next request of a slot, if there is one.
    #[inline]
    fn send(&mut self, index: usize) -> bool {
        let counts = self.warm_up_left == 0;
        let left = if counts {
            &mut self.left
        } else {
            &mut self.warm_up_left
        };
        if *left == 0 {
            return false;
        }
        let slot = &mut self.slots[index];
        let tenant = &mut self.tenants[slot.tenant];
        let Some(request) = tenant.next(slot.worker, counts) else {
            return false;
        };
        *left -= 1;
        slot.counts = counts;
        let now = self.queues.now();
        if counts {
            self.began.get_or_insert(now);
            tenant.ios += 1;
            tenant.bytes += request.len;
        }
        slot.sent_at = now;
        if !tenant.is_plain {
            self.begin(index, request);
            return true;
        }
        slot.progress.steps.clear();
        let place = tenant.about.place;
        if let (Some(at), 1) = (place.shifted(request.at), self.system.groups) {
            self.geometry
                .add_steps(at, request.len, request.write, &mut slot.progress.steps);
        } else {
            let mut steps = std::mem::take(&mut slot.progress.steps);
            place.each_piece(request.at, request.len, |at, len| {
                self.lay(at, len, request.write, &mut steps);
            });
            self.slots[index].progress.steps = steps;
        }
        self.start_groups(index);
        true
    }

    /// What a range of the arrays becomes.
    pub(super) fn lay(&self, at: u64, len: u64, write: bool, steps: &mut DiskSteps) {
        if self.system.groups == 1 {
            // Rounding may go past the end of the last stripe.
            let len = len.min(self.geometry.capacity().saturating_sub(at));
            return self.geometry.add_steps(at, len, write, steps);
        }
        let capacity = self.geometry.capacity();
        let (mut at, end) = (at, (at + len).min(self.system.capacity()));
        while at < end {
            let (group, within) = (at / capacity, at % capacity);
            let part = (capacity - within).min(end - at);
            let first = steps.ios.len();
            self.geometry.add_steps(within, part, write, steps);
            let disks = u32::try_from(group).unwrap_or(0) * self.geometry.disks();
            for io in steps.ios.iter_mut().skip(first) {
                io.disk += disks;
            }
            at += part;
        }
    }

    /// Sends the I/Os of all groups: reads, or where there are none, writes.
    #[inline]
    pub(super) fn start_groups(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        slot.progress.start(&mut self.queues, index, slot.counts);
        if slot.progress.is_complete() {
            let slot = u32::try_from(index).unwrap_or(0);
            self.queues.later(0, TimedEvent::Answered { slot });
        }
    }

    /// An I/O of a disk is complete: maybe its group, then its request.
    #[inline]
    fn finished(&mut self, index: usize, part: DonePart) {
        let slot = &mut self.slots[index];
        let counts = slot.counts;
        if !slot
            .progress
            .finished(&mut self.queues, part, index, counts)
        {
            return;
        }
        if slot.stages.is_empty() {
            self.complete(index);
        } else {
            self.advance(index);
        }
    }

    fn at_time(&mut self, event: TimedEvent) {
        match event {
            TimedEvent::Part { slot, group } => {
                let part = DonePart {
                    group: group as usize,
                    write: true,
                };
                self.finished(slot as usize, part);
            }
            TimedEvent::Answered { slot } => self.advance(slot as usize),
            TimedEvent::Arrival { tenant } => self.arrive(tenant as usize),
        }
    }

    /// A request is complete.
    #[inline]
    pub(super) fn complete(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        if let SlotRole::Load = slot.role {
            let now = self.queues.now();
            let tenant = &mut self.tenants[slot.tenant];
            if slot.counts {
                tenant.latencies.add(now - slot.sent_at);
                self.ended = now;
            }
            if !slot.kept.is_empty() {
                let kept = std::mem::take(&mut slot.kept);
                self.cache.iter_mut().for_each(|cache| cache.keep(&kept));
            }
            if tenant.is_open() {
                self.free.push(index);
            } else {
                self.send(index);
            }
            return;
        }
        self.free.push(index);
        match slot.role {
            SlotRole::Destage(at) => self.destaged(at),
            SlotRole::ReadAhead(ahead) => self.arrived(ahead),
            SlotRole::Load => {}
        }
    }

    fn arrive(&mut self, tenant: usize) {
        let index = self.take_slot();
        let slot = &mut self.slots[index];
        (slot.role, slot.tenant) = (SlotRole::Load, tenant);
        if self.send(index) {
            self.next_arrival(tenant);
        }
    }

    fn next_arrival(&mut self, tenant: usize) {
        let now = self.queues.now();
        let number = u32::try_from(tenant).unwrap_or(0);
        if let Some(ns) = self.tenants[tenant].wait(now) {
            self.queues
                .later(ns, TimedEvent::Arrival { tenant: number });
        }
    }

    /// A place for a request that no queue depth holds.
    pub(super) fn take_slot(&mut self) -> usize {
        if let Some(index) = self.free.pop() {
            return index;
        }
        if self.slots.len() as u64 > 2 * MOST_IN_FLIGHT && self.failed.is_none() {
            self.failed = Some(format!(
                "the disks cannot keep up: more than {MOST_IN_FLIGHT} requests wait"
            ));
            (self.left, self.warm_up_left) = (0, 0);
        }
        self.slots.push(RequestSlot::default());
        self.slots.len() - 1
    }
}
