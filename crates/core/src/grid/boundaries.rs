//! Boundaries without a claim, and those that several have in common.

use crate::units::{gcd, lcm};

/// Addresses at `phase`, `phase + period`, …, in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Boundaries {
    /// Their distance; not zero.
    pub period: u64,
    /// The first.
    pub phase: u64,
}

impl Boundaries {
    /// Every byte.
    pub const ANY: Self = Self {
        period: 1,
        phase: 0,
    };

    /// How far an address lies past the boundary at or before it.
    pub const fn past(self, at: u64) -> u64 {
        residue(at, self.phase, self.period)
    }

    /// Whether this is one of them.
    pub const fn holds(self, at: u64) -> bool {
        self.past(at) == 0
    }

    /// The last one at or before an address; `None` before the first.
    pub const fn at_or_before(self, at: u64) -> Option<u64> {
        at.checked_sub(self.past(at))
    }

    /// The first one at or after an address; `None` past 64 bits.
    pub const fn at_or_after(self, at: u64) -> Option<u64> {
        match self.past(at) {
            0 => Some(at),
            past => at.checked_add(self.period - past),
        }
    }

    /// Those that are also among others: the Chinese remainder theorem.
    ///
    /// `None` where there are none (a drive jumpered to start at sector 7 against 1 MiB), or where their period does
    /// not fit in 64 bits.
    pub fn shared(self, other: Self) -> Option<Self> {
        let (m, p) = (self.period, self.phase);
        let (n, q) = (other.period, other.phase);
        let period = lcm(m, n)?;
        let common = gcd(m, n);
        let gap = residue(q, p, n);
        if !gap.is_multiple_of(common) {
            return None;
        }
        // p + m·t ≡ q (mod n)  ⇒  t ≡ (gap / common) · (m / common)⁻¹ (mod n / common)
        let modulus = n / common;
        let inverse = inverse(m / common, modulus)?;
        let t = u128::from(gap / common) * u128::from(inverse);
        let phase = (u128::from(p) + u128::from(m) * t) % u128::from(period);
        let phase = u64::try_from(phase).ok()?;
        Some(Self { period, phase })
    }
}

/// `(address − phase) mod size`, right for every 64-bit value; a size of 0 counts as 1.
pub const fn residue(address: u64, phase: u64, size: u64) -> u64 {
    let size = if size == 0 { 1 } else { size };
    let (a, p) = (address % size, phase % size);
    if a >= p { a - p } else { size - (p - a) }
}

/// Multiplicative inverse of `a` modulo `n`, for coprime `a` and `n`.
fn inverse(a: u64, n: u64) -> Option<u64> {
    if n == 1 {
        return Some(0);
    }
    let (mut r0, mut r1) = (i128::from(n), i128::from(a));
    let (mut t0, mut t1) = (0_i128, 1_i128);
    while r1 != 0 {
        let q = r0 / r1;
        (r0, r1) = (r1, r0 - q * r1);
        (t0, t1) = (t1, t0 - q * t1);
    }
    (r0 == 1).then(|| u64::try_from(t0.rem_euclid(i128::from(n))).ok())?
}
