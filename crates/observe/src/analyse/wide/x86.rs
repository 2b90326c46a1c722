//! The level of x86-64 processors. A value of it is the proof that it runs here: it is made nowhere else.

use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_cmpeq_epi64_mask, _mm512_cmpgt_epu64_mask, _mm512_loadu_epi8,
    _mm512_loadu_epi64, _mm512_maskz_compress_epi8, _mm512_maskz_compress_epi64, _mm512_set1_epi8,
    _mm512_set1_epi64, _mm512_storeu_epi8, _mm512_storeu_epi64, _mm512_test_epi8_mask,
};

use super::level::{Vectors, Work};

/// AVX-512 as all processors with `vpcompressb` have it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Avx512(());

impl Avx512 {
    /// Where it runs.
    pub fn new() -> Option<Self> {
        let words = has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq");
        let bits = has!("avx512cd") && has!("avx512vpopcntdq") && has!("avx512vbmi2");
        let counts = has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
        (words && bits && counts && has!("avx2")).then_some(Self(()))
    }

    /// Does work by it.
    #[inline]
    pub fn run(self, work: impl Work) {
        // SAFETY: `new` has found all features that are enabled there.
        unsafe { avx512(self, work) }
    }
}

#[target_feature(
    enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512cd,avx512vpopcntdq,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt"
)]
fn avx512(vectors: Avx512, work: impl Work) {
    work.run(vectors);
}

/// 0 to 63.
const PLACES: [u8; 64] = {
    let mut places = [0; 64];
    let mut at = 0_u8;
    while at < 64 {
        places[at as usize] = at;
        at += 1;
    }
    places
};

impl Vectors for Avx512 {
    #[inline(always)]
    fn pick(self, flags: &[u8; 64], first: u8, to: &mut [u8; 64]) -> usize {
        // SAFETY: there is a value of this type only where the instructions run.
        unsafe { pick(flags, first, to) }
    }

    #[inline(always)]
    fn same(self, all: &[u64; 16], wanted: u64) -> u64 {
        // SAFETY: as in `pick`.
        unsafe { same(all, wanted) }
    }

    #[inline(always)]
    fn keep_above(self, all: &mut [u64], least: u64) -> usize {
        // SAFETY: as in `pick`.
        unsafe { keep_above(all, least) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn pick(flags: &[u8; 64], first: u8, to: &mut [u8; 64]) -> usize {
    // SAFETY: both read 64 bytes, which are there.
    let (flags, places): (__m512i, __m512i) = unsafe {
        (
            _mm512_loadu_epi8(flags.as_ptr().cast()),
            _mm512_loadu_epi8(PLACES.as_ptr().cast()),
        )
    };
    let places = _mm512_add_epi8(places, _mm512_set1_epi8(first.cast_signed()));
    let mask = _mm512_test_epi8_mask(flags, flags);
    let picked = _mm512_maskz_compress_epi8(mask, places);
    // SAFETY: it writes 64 bytes, which are there.
    unsafe { _mm512_storeu_epi8(to.as_mut_ptr().cast(), picked) };
    mask.count_ones() as usize
}

#[inline]
#[target_feature(enable = "avx512f")]
fn eight(all: &[u64; 8]) -> __m512i {
    // SAFETY: it reads 64 bytes, which are there.
    unsafe { _mm512_loadu_epi64(all.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn same(all: &[u64; 16], wanted: u64) -> u64 {
    let wanted = _mm512_set1_epi64(wanted.cast_signed());
    let mut same = 0;
    for (some, at) in all.as_chunks().0.iter().zip([0, 8]) {
        same |= u64::from(_mm512_cmpeq_epi64_mask(eight(some), wanted)) << at;
    }
    same
}

#[inline]
#[target_feature(enable = "avx512f,popcnt")]
fn keep_above(all: &mut [u64], least: u64) -> usize {
    let limit = _mm512_set1_epi64(least.cast_signed());
    let (mut kept, mut at) = (0, 0);
    while let Some(some) = all.get(at..).and_then(|rest| rest.first_chunk()) {
        let some = eight(some);
        let above = _mm512_cmpgt_epu64_mask(some, limit);
        let packed = _mm512_maskz_compress_epi64(above, some);
        // No more are kept than were read: these eight places have been read.
        if let Some(to) = all
            .get_mut(kept..)
            .and_then(|rest| rest.first_chunk_mut::<8>())
        {
            // SAFETY: it writes 64 bytes, which are there.
            unsafe { _mm512_storeu_epi64(to.as_mut_ptr().cast(), packed) };
        }
        kept += above.count_ones() as usize;
        at += 8;
    }
    for at in at..all.len() {
        let one = all.get(at).copied().unwrap_or(0);
        if let Some(slot) = all.get_mut(kept) {
            *slot = one;
        }
        kept += usize::from(one > least);
    }
    kept
}
