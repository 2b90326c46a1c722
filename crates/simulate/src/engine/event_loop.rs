//! The loop: one event after the other until every request is complete.

use super::MOST_IN_FLIGHT;
use super::cache::CacheState;
use super::calendar::{CalendarEvent, QueuedPart};
use super::queues::DiskQueues;
use super::slot::{RequestSlot, SlotRole};
use super::system::{SimulatedSystem, SystemOutcome, SystemRun};
use super::tenant::TenantState;
use crate::geometry::ArrayGeometry;

/// Everything that is under way.
pub struct EventLoop<'a> {
    pub(super) system: &'a SimulatedSystem<'a>,
    pub(super) geometry: &'a ArrayGeometry,
    pub(super) queues: DiskQueues,
    pub(super) cache: Option<CacheState>,
    pub(super) tenants: Vec<TenantState<'a>>,
    pub(super) slots: Vec<RequestSlot>,
    free: Vec<usize>,
    pub(super) warm_up_left: u64,
    pub(super) left: u64,
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
        all.happens(event);
        all.queues.settle();
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
            queues: DiskQueues::new(
                geometry,
                system.groups,
                (system.disk, system.scheduler),
                run.seed,
            ),
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
            self.queues.settle();
        }
        for tenant in 0..self.tenants.len() {
            if self.tenants[tenant].is_open() {
                self.next_arrival(tenant);
            }
        }
        Ok(())
    }

    #[inline]
    fn happens(&mut self, event: CalendarEvent) {
        match event {
            CalendarEvent::Part(part) => self.finished(part),
            CalendarEvent::Answered { slot } => self.advance(slot as usize),
            CalendarEvent::Arrival { tenant } => self.arrive(tenant as usize),
            // The queues see to it themselves.
            CalendarEvent::Disk { .. } => {}
        }
    }

    /// I/Os of a group are complete: maybe all of them, and then the request.
    #[inline]
    fn finished(&mut self, part: QueuedPart) {
        let index = part.slot as usize;
        let slot = &mut self.slots[index];
        if !slot.progress.finished(&mut self.queues, part, slot.counts) {
            return;
        }
        if slot.stages.is_empty() {
            self.complete(index);
        } else {
            self.advance(index);
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
                .later(ns, CalendarEvent::Arrival { tenant: number });
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
