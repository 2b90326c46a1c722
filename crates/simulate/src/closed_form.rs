//! The I/Os of disks that a request makes on average, by a formula and without the layout of the model.
//!
//! Requests of one size at multiples of it meet an element of the array at every place that a period has equally
//! often ([`ioalign_core::cost::count`]). What the formula does not cover has none: `None`.

use ioalign_core::cost::count;
use ioalign_core::units::{gcd, ratio};
use ioalign_core::workload::{Pattern, Workload};

use crate::geometry::{ArrayGeometry, SmallWrite};

/// The page of md's stripe cache.
const PAGE: u64 = 4096;

/// The mean of a workload that starts at `start`; of an array without failed disks.
pub fn disk_ios_per_io(array: &ArrayGeometry, workload: &Workload, start: u64) -> Option<f64> {
    let mut weights = 0;
    let mut sum = 0.0;
    let uneven = matches!(workload.pattern, Pattern::Zipf { .. });
    for share in &workload.sizes {
        let step = workload.align_bytes.unwrap_or(share.bytes);
        if !array.is_whole() || uneven || step != share.bytes || share.bytes == 0 {
            return None;
        }
        let at = start + workload.offset_bytes;
        let reads = workload.read_ratio.clamp(0.0, 1.0);
        let mut mean = 0.0;
        if reads > 0.0 {
            mean += reads * of_reads(array, share.bytes, at)?;
        }
        if reads < 1.0 {
            mean += (1.0 - reads) * of_writes(array, share.bytes, at)?;
        }
        weights += u64::from(share.weight);
        sum += mean * f64::from(share.weight);
    }
    (weights > 0).then(|| sum / ratio(weights, 1))
}

/// One I/O a disk that is touched: elements of a disk that follow each other are one. Parity moves: as many
/// elements as there are disks, or of two parities one less, are on disks of their own.
fn of_reads(array: &ArrayGeometry, size: u64, at: u64) -> Option<f64> {
    let disks = u64::from(array.disks());
    if !array.has_parity() {
        return Some(touched(array, size, at, array.bearing()));
    }
    let least = size.div_ceil(array.element());
    let apart = least + (disks - array.bearing()) <= disks;
    apart.then(|| touched(array, size, at, disks))
}

/// The disks that hold the elements of a request; more elements than disks are the disks.
fn touched(array: &ArrayGeometry, size: u64, at: u64, disks: u64) -> f64 {
    let n = count(size, array.element(), at % array.element());
    let crossing = ratio(n.extra_cell, n.ios);
    let few = ratio(n.minimum.min(disks), 1);
    let many = ratio((n.minimum + 1).min(disks), 1);
    few + (many - few) * crossing
}

fn of_writes(array: &ArrayGeometry, size: u64, at: u64) -> Option<f64> {
    if !array.has_parity() {
        let copies = ratio(array.copies(), 1);
        let odd = array.copies() == 2 && array.bearing() == u64::from(array.disks());
        return (!odd || size <= array.element())
            .then(|| touched(array, size, at, array.bearing()) * copies);
    }
    let width = array.element() * array.bearing();
    if size.is_multiple_of(width) && at.is_multiple_of(width) {
        return (size == width).then(|| f64::from(array.disks()));
    }
    if size > array.element() || array.shape().small_write != SmallWrite::Fewest {
        return None;
    }
    let small = SmallCosts::of(array);
    if array.is_md() {
        md(array, size, at, &small)
    } else {
        Some(controller(array, size, at, &small))
    }
}

/// Reads and writes of a small write: in one element, in a part of an element's page, in two elements.
struct SmallCosts {
    one: f64,
    part: f64,
    two: f64,
}

impl SmallCosts {
    /// The way with fewer reads; between equals the number is the same.
    fn of(array: &ArrayGeometry) -> Self {
        let data = array.bearing();
        let parity = u64::from(array.disks()) - data;
        let cost =
            |written: u64, others: u64| ratio((written + parity).min(others) + written + parity, 1);
        Self {
            one: cost(1, data - 1),
            part: cost(1, data),
            two: cost(2, data),
        }
    }
}

/// In one element, over the end of an element, over the end of a stripe.
fn controller(array: &ArrayGeometry, size: u64, at: u64, small: &SmallCosts) -> f64 {
    let width = array.element() * array.bearing();
    let (by_element, by_stripe) = (
        count(size, array.element(), at % array.element()),
        count(size, width, at % width),
    );
    let crossing = ratio(by_element.extra_cell, by_element.ios);
    let stripes = ratio(by_stripe.extra_cell, by_stripe.ios);
    let inside = crossing - stripes;
    // Two elements that a request of a whole element fills between them share no gap.
    (1.0 - crossing) * small.one + inside * small.two + stripes * 2.0 * small.one
}

/// Whole pages cost as one element; a page in part at each end, and the whole pages between them, are groups of
/// their own.
fn md(array: &ArrayGeometry, size: u64, at: u64, small: &SmallCosts) -> Option<f64> {
    let element = array.element();
    if !size.is_multiple_of(PAGE) || size + PAGE > element {
        return None;
    }
    let off_page = !at.is_multiple_of(PAGE);
    let step = gcd(size, element);
    let places = element / step;
    let mut sum = 0.0;
    for place in 0..places {
        let within = at % step + place * step;
        let first = size.min(element - within);
        let second = size - first;
        sum += match (off_page, second) {
            (false, 0) => small.one,
            (false, _) => 2.0 * small.one,
            (true, 0) if size == PAGE => small.part,
            (true, 0) => 2.0 * small.part + small.one,
            (true, _) => {
                let whole = u32::from(first > PAGE) + u32::from(second > PAGE);
                2.0 * small.part + f64::from(whole) * small.one
            }
        };
    }
    Some(sum / ratio(places, 1))
}
