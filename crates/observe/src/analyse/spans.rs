//! Spans of time joined where less than a gap lies between them: the same in any order of adding.

use ioalign_core::profile::part::BurstSpan;

/// Spans kept of one device. Past them, merged profiles lack what follows from each.
pub const MOST_KEPT: usize = 1 << 16;

/// Whether a span that starts at `start` is another one than that which ended at `end`.
fn is_apart(end: i64, start: i64, gap: u64) -> bool {
    start > end && start.abs_diff(end) >= gap
}

/// Adds a span to the one that it belongs to.
fn absorb(to: &mut BurstSpan, more: &BurstSpan) {
    to.end_ns = to.end_ns.max(more.end_ns);
    for (to, more) in [
        (&mut to.ios, more.ios),
        (&mut to.bytes, more.bytes),
        (&mut to.known, more.known),
        (&mut to.latency_ns, more.latency_ns),
    ] {
        *to = to.saturating_add(more);
    }
}

/// Sorts them, and joins those that belong together.
pub fn joined(mut all: Vec<BurstSpan>, gap: u64) -> Vec<BurstSpan> {
    all.sort_unstable();
    let mut out: Vec<BurstSpan> = Vec::new();
    for span in all {
        match out.last_mut() {
            Some(last) if !is_apart(last.end_ns, span.start_ns, gap) => absorb(last, &span),
            _ => out.push(span),
        }
    }
    out
}

/// The same without sums.
pub fn joined_times(all: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    let spans = all.into_iter().map(|(start_ns, end_ns)| BurstSpan {
        start_ns,
        end_ns,
        ..BurstSpan::default()
    });
    let spans = joined(spans.collect(), 0).into_iter();
    spans.map(|span| (span.start_ns, span.end_ns)).collect()
}

/// Spans that are added one by one, nearly in order.
pub struct SpanList {
    gap: u64,
    all: Vec<BurstSpan>,
    lost: bool,
}

impl SpanList {
    /// Spans with less than `gap` nanoseconds between them are one.
    pub const fn new(gap: u64) -> Self {
        Self {
            gap,
            all: Vec::new(),
            lost: false,
        }
    }

    #[inline]
    pub fn add(&mut self, span: &BurstSpan) {
        match self.all.last_mut() {
            Some(last)
                if span.start_ns >= last.start_ns
                    && !is_apart(last.end_ns, span.start_ns, self.gap) =>
            {
                absorb(last, span);
            }
            _ => self.push(span),
        }
    }

    fn push(&mut self, span: &BurstSpan) {
        if self.all.len() > 2 * MOST_KEPT {
            self.all = joined(std::mem::take(&mut self.all), self.gap);
            self.lost |= self.all.len() > MOST_KEPT;
        }
        if !self.lost {
            self.all.push(*span);
        }
    }

    /// All of them; `None` if there were too many.
    pub fn finish(&self) -> Option<Vec<BurstSpan>> {
        let all = joined(self.all.clone(), self.gap);
        (!self.lost && all.len() <= MOST_KEPT).then_some(all)
    }
}
