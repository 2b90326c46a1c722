//! A grid: equally spaced boundaries in one layer's address space.

use serde::Serialize;

use crate::layer::LayerId;
use crate::units::{Bytes, gcd, lcm};

/// What happens to I/O that is off the grid.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Logical sector: off it, I/O fails, or nothing boots, mounts or joins.
    Validity,
    /// Physical block, indirection unit, volume block: a partial write is read-modify-write.
    Rmw,
    /// Stripe element, full stripe, optimal I/O size, erase block: crossing costs more.
    Preference,
}

/// How far a grid is to be believed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// A guess, or a hint that many devices get wrong.
    Low,
    /// Usual, or reported by a device of a kind that mostly tells the truth.
    Medium,
    /// Written on disk, declared by the operator, or measured.
    High,
}

/// Where a grid comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Nothing said so: the default set for targets without a topology.
    Assumed,
    /// The operator said so (`--grid`, `--profile-grid`).
    Declared,
    /// The device or kernel reports it.
    Reported,
    /// Read from metadata on disk (md chunk, thin chunk, cluster size).
    OnDisk,
    /// From a table of known devices.
    Table,
}

/// Equally spaced boundaries at `phase`, `phase + size`, `phase + 2 × size`, …
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// The layer in whose address space the boundaries lie.
    pub layer: LayerId,
    /// Distance between boundaries; never zero. Need not be a power of two.
    pub size: Bytes,
    /// The first boundary at or after address 0; less than `size`.
    pub phase: Bytes,
    /// What being off it costs.
    pub tier: Tier,
    /// What the cells are: `physical-block`, `stripe`, `raid-chunk`, `thin-chunk`, …
    pub kind: String,
    /// Who says so.
    pub origin: Origin,
    /// The same in words: `sysfs physical_block_size`, `md superblock`, `--grid`.
    pub source: String,
    /// How far it is believed.
    pub confidence: Confidence,
    /// Why it is judged bogus; `None` for a trusted grid. An untrusted one judges nothing.
    pub distrust: Option<String>,
}

impl Grid {
    /// A trusted grid; `None` when `size` is zero. The phase is reduced modulo the size.
    pub fn new(
        layer: LayerId,
        size: Bytes,
        phase: Bytes,
        tier: Tier,
        kind: impl Into<String>,
    ) -> Option<Self> {
        if size.is_zero() {
            return None;
        }
        Some(Self {
            layer,
            size,
            phase: Bytes::new(phase.get() % size.get()),
            tier,
            kind: kind.into(),
            origin: Origin::OnDisk,
            source: String::new(),
            confidence: Confidence::High,
            distrust: None,
        })
    }

    /// Sets where it comes from and how far it is believed.
    #[must_use]
    pub fn from(
        mut self,
        origin: Origin,
        source: impl Into<String>,
        confidence: Confidence,
    ) -> Self {
        self.origin = origin;
        self.source = source.into();
        self.confidence = confidence;
        self
    }

    /// Marks it as not believed.
    #[must_use]
    pub fn distrusted(mut self, why: impl Into<String>) -> Self {
        self.distrust = Some(why.into());
        self
    }

    /// Whether it may judge anything.
    pub const fn trusted(&self) -> bool {
        self.distrust.is_none()
    }

    /// How far `address` lies past the boundary at or before it.
    pub fn offset_of(&self, address: Bytes) -> Bytes {
        Bytes::new(residue(address.get(), self.phase.get(), self.size.get()))
    }
}

/// `(address − phase) mod size`, right for every 64-bit value; `phase < size`.
pub const fn residue(address: u64, phase: u64, size: u64) -> u64 {
    let (a, p) = (address % size, phase % size);
    if a >= p { a - p } else { size - (p - a) }
}

/// The grid of the boundaries that two grids share, as `(size, phase)`.
///
/// `None` when they share none (512-byte drive jumpered to start at 7 against 1 MiB), or
/// when the common period does not fit in 64 bits. Chinese remainder theorem.
pub fn meet(a: (u64, u64), b: (u64, u64)) -> Option<(u64, u64)> {
    let ((m, p), (n, q)) = (a, b);
    let period = lcm(m, n)?;
    let common = gcd(m, n);
    let gap = residue(q, p % n, n);
    if !gap.is_multiple_of(common) {
        return None;
    }
    // p + m·t ≡ q (mod n)  ⇒  t ≡ (gap / common) · (m / common)⁻¹ (mod n / common)
    let modulus = n / common;
    let inverse = inverse(m / common % modulus.max(1), modulus)?;
    let t = u128::from(gap / common) * u128::from(inverse) % u128::from(modulus.max(1));
    let phase = (u128::from(p % m) + u128::from(m) * t) % u128::from(period);
    u64::try_from(phase).ok().map(|phase| (period, phase))
}

/// Multiplicative inverse of `a` modulo `n`, for coprime `a` and `n`.
fn inverse(a: u64, n: u64) -> Option<u64> {
    if n == 1 {
        return Some(0);
    }
    let (mut r0, mut r1) = (i128::from(n), i128::from(a % n));
    let (mut t0, mut t1) = (0_i128, 1_i128);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (t0, t1) = (t1, t0 - q * t1);
    }
    (r0 == 1).then(|| u64::try_from(t0.rem_euclid(i128::from(n))).ok())?
}
