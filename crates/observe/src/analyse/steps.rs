//! Time in flight by steps of the clock: their width doubles until all fit, the same in any order of adding.

use ioalign_core::profile::part::InFlightSteps;

/// Steps begin at a millisecond.
pub const FIRST_STEP: u64 = 1_000_000;
/// Steps of one device, at most.
const MOST: i64 = 128;

fn width(steps: &InFlightSteps) -> i64 {
    i64::try_from(steps.step_ns).unwrap_or(i64::MAX).max(1)
}

/// One past the last step.
fn end(steps: &InFlightSteps) -> i64 {
    let len = i64::try_from(steps.area_ns.len()).unwrap_or(0);
    steps.first.saturating_add(len)
}

fn double(steps: &mut InFlightSteps) {
    let first = steps.first.div_euclid(2);
    let mut folded = Vec::with_capacity(steps.area_ns.len() / 2 + 1);
    for (index, area) in (steps.first..).zip(&steps.area_ns) {
        let place = usize::try_from(index.div_euclid(2) - first).unwrap_or(0);
        if place >= folded.len() {
            folded.resize(place + 1, 0);
        }
        if let Some(sum) = folded.get_mut(place) {
            *sum = u64::saturating_add(*sum, *area);
        }
    }
    steps.first = first;
    steps.area_ns = folded;
    steps.step_ns = steps.step_ns.saturating_mul(2);
}

/// Makes room for the steps from that of one time until that of another.
pub fn reach(steps: &mut InFlightSteps, from: i64, until: i64) {
    if steps.step_ns == 0 {
        steps.step_ns = FIRST_STEP;
    }
    loop {
        let (mut first, last) = (
            from.div_euclid(width(steps)),
            until.div_euclid(width(steps)),
        );
        let mut past = last.saturating_add(1);
        if !steps.area_ns.is_empty() {
            (first, past) = (first.min(steps.first), past.max(end(steps)));
        }
        if past.saturating_sub(first) > MOST && steps.step_ns < 1 << 62 {
            double(steps);
            continue;
        }
        let len = usize::try_from(past.saturating_sub(first).min(MOST)).unwrap_or(0);
        let before = usize::try_from(steps.first.saturating_sub(first)).unwrap_or(0);
        if !steps.area_ns.is_empty() && before > 0 {
            steps.area_ns.splice(0..0, std::iter::repeat_n(0, before));
        }
        steps.first = first;
        steps.area_ns.resize(len, 0);
        return;
    }
}

/// Adds the time of `[start, end)`.
pub fn spread(steps: &mut InFlightSteps, start: i64, end: i64) {
    if end <= start {
        return;
    }
    reach(steps, start, end - 1);
    let width = width(steps);
    let mut from = start;
    while from < end {
        let index = from.div_euclid(width);
        let until = index.saturating_add(1).saturating_mul(width).min(end);
        let place = usize::try_from(index - steps.first).ok();
        if let Some(area) = place.and_then(|place| steps.area_ns.get_mut(place)) {
            *area = area.saturating_add(until.abs_diff(from));
        }
        if until <= from {
            return;
        }
        from = until;
    }
}

/// Adds those of another part.
pub fn add(to: &mut InFlightSteps, from: &InFlightSteps) {
    if from.area_ns.is_empty() {
        return;
    }
    let mut from = from.clone();
    loop {
        let (start, last) = (
            from.first.saturating_mul(width(&from)),
            (end(&from) - 1).saturating_mul(width(&from)),
        );
        reach(to, start, last);
        if to.step_ns == from.step_ns {
            break;
        }
        if to.step_ns > from.step_ns {
            double(&mut from);
        } else {
            double(to);
        }
    }
    for (index, area) in (from.first..).zip(&from.area_ns) {
        let place = usize::try_from(index - to.first).ok();
        if let Some(sum) = place.and_then(|place| to.area_ns.get_mut(place)) {
            *sum = sum.saturating_add(*area);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_add_up_to_the_whole(spans in proptest::collection::vec((-2_000_000_000..3_000_000_000_i64, 0..90_000_000_i64, 0..3_usize), 1..60)) {
            let mut whole = InFlightSteps::default();
            let mut parts = [const { None::<InFlightSteps> }; 3].map(Option::unwrap_or_default);
            for (start, len, part) in &spans {
                spread(&mut whole, *start, start + len);
                spread(&mut parts[*part], *start, start + len);
            }
            let mut sum = InFlightSteps::default();
            parts.iter().for_each(|part| add(&mut sum, part));
            prop_assert_eq!(&sum, &whole);
            let all: u64 = spans.iter().map(|(_, len, _)| len.unsigned_abs()).sum();
            prop_assert_eq!(whole.area_ns.iter().sum::<u64>(), all);
        }
    }
}
