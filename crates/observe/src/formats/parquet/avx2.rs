//! [`super::unpack`] with AVX2: eight numbers of up to 25 bits at a time, or the sums of four of up to 57.
//!
//! The number of bits is data, not code: blocks of differences have some width or other each, and a jump
//! by it would be mispredicted.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_blend_epi32,
    _mm256_loadu_si256, _mm256_permute4x64_epi64, _mm256_set_m128i, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_si256,
    _mm256_srlv_epi32, _mm256_srlv_epi64, _mm256_storeu_si256,
};

use super::unpack::{self as portable, Kernel, Narrow, ROOM, Step, Sums};

/// Where eight numbers of one width are in their bytes, as many as one number has bits. A vector takes all of
/// them, or each of two takes four; the halves of a vector are loaded by themselves.
struct Plan<const VECTORS: usize> {
    vectors: [Vector; VECTORS],
    mask: u64,
}

/// What one vector takes.
#[derive(Copy, Clone)]
struct Vector {
    /// Where its halves begin.
    halves: [usize; 2],
    /// Which bytes of its half each number has.
    bytes: [u8; 32],
    /// By how many bits each number is to be shifted down.
    shifts: [u8; 32],
}

/// Numbers of up to 25 bits, wherever they begin, are in four bytes, those of up to 57 in eight.
static EIGHTS: [Plan<1>; 26] = plans();
static FOURS: [Plan<2>; 58] = plans();

const fn plans<const V: usize, const N: usize>() -> [Plan<V>; N] {
    let mut plans = [const { plan(0) }; N];
    let mut width = 0;
    while width < N {
        plans[width] = plan(width);
        width += 1;
    }
    plans
}

const fn plan<const V: usize>(width: usize) -> Plan<V> {
    let none = Vector {
        halves: [0; 2],
        bytes: [0; 32],
        shifts: [0; 32],
    };
    let mask = if width == 0 {
        0
    } else {
        u64::MAX >> (64 - width)
    };
    let mut vectors = [none; V];
    let (count, size) = (8 / V, 4 * V);
    let mut index = 0;
    while index < 8 {
        let (lane, half) = (index % count, index % count / (count / 2));
        let vector = &mut vectors[index / count];
        vector.halves[half] = (index - lane % (count / 2)) * width / 8;
        assert!(vector.halves[half] + 3 * width + 16 <= ROOM);
        let mut byte = 0;
        while byte < size {
            vector.bytes[lane * size + byte] = low(index * width / 8 - vector.halves[half] + byte);
            byte += 1;
        }
        vector.shifts[lane * size] = low(index * width % 8);
        index += 1;
    }
    Plan { vectors, mask }
}

#[allow(clippy::cast_possible_truncation)] // below 16
const fn low(number: usize) -> u8 {
    number as u8
}

/// Where the processor has it.
pub fn kernel() -> Option<Kernel> {
    let has = std::arch::is_x86_feature_detected!("avx2");
    has.then_some(Kernel { numbers, sums })
}

fn numbers(width: u32, packed: &[u8; ROOM], out: &mut Narrow) {
    match EIGHTS.get(width as usize) {
        // SAFETY: only `kernel` hands this function out, where there is AVX2.
        Some(plan) => unsafe { eights(plan, width, packed, out) },
        None => portable::numbers(width, packed, out),
    }
}

fn sums(width: u32, packed: &[u8; ROOM], from: Sums, out: &mut Step) {
    match FOURS.get(width as usize) {
        // SAFETY: only `kernel` hands this function out, where there is AVX2.
        Some(plan) => unsafe { fours(plan, width, packed, from, out) },
        None => portable::sums(width, packed, from, out),
    }
}

#[target_feature(enable = "avx2")]
fn eights(plan: &Plan<1>, width: u32, packed: &[u8; ROOM], out: &mut Narrow) {
    let [vector] = plan.vectors.each_ref();
    let (bytes, shifts) = (load(&vector.bytes), load(&vector.shifts));
    #[allow(clippy::cast_possible_truncation)] // of 25 bits
    let mask = _mm256_set1_epi32((plan.mask as u32).cast_signed());
    let mut at = 0;
    for slot in out.as_chunks_mut::<8>().0 {
        let moved = _mm256_shuffle_epi8(halves(packed, at, vector.halves), bytes);
        let eight = _mm256_and_si256(_mm256_srlv_epi32(moved, shifts), mask);
        // SAFETY: it has 32 bytes.
        unsafe { _mm256_storeu_si256(slot.as_mut_ptr().cast(), eight) };
        at += width as usize;
    }
}

#[target_feature(enable = "avx2")]
fn fours(plan: &Plan<2>, width: u32, packed: &[u8; ROOM], from: Sums, out: &mut Step) {
    let [a, b] = plan.vectors.each_ref();
    let (a_bytes, a_shifts) = (load(&a.bytes), load(&a.shifts));
    let (b_bytes, b_shifts) = (load(&b.bytes), load(&b.shifts));
    let mask = _mm256_set1_epi64x(plan.mask.cast_signed());
    let least = _mm256_set1_epi64x(from.least.cast_signed());
    let mut last = _mm256_set1_epi64x(from.last.cast_signed());
    let mut at = 0;
    for eight in out.as_chunks_mut::<8>().0 {
        let moved = [
            _mm256_shuffle_epi8(halves(packed, at, a.halves), a_bytes),
            _mm256_shuffle_epi8(halves(packed, at, b.halves), b_bytes),
        ];
        let shifts = [a_shifts, b_shifts];
        let slots = eight.as_chunks_mut::<4>().0;
        for ((moved, shifts), slot) in moved.into_iter().zip(shifts).zip(slots) {
            let four = _mm256_and_si256(_mm256_srlv_epi64(moved, shifts), mask);
            let sums = added(_mm256_add_epi64(four, least));
            // SAFETY: it has 32 bytes.
            unsafe {
                _mm256_storeu_si256(slot.as_mut_ptr().cast(), _mm256_add_epi64(sums, last));
            }
            last = _mm256_add_epi64(_mm256_permute4x64_epi64::<0xff>(sums), last);
        }
        at += width as usize;
    }
}

/// Each with all before it.
#[inline]
#[target_feature(enable = "avx2")]
fn added(four: __m256i) -> __m256i {
    let pairs = _mm256_add_epi64(four, _mm256_slli_si256::<8>(four));
    let first = _mm256_permute4x64_epi64::<0x55>(pairs);
    _mm256_add_epi64(
        pairs,
        _mm256_blend_epi32::<0xf0>(_mm256_setzero_si256(), first),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: they are 32 bytes.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn halves(packed: &[u8; ROOM], at: usize, [low, high]: [usize; 2]) -> __m256i {
    // SAFETY: 24 numbers and the place of a half take less than 256 bytes whatever the width, as `plan` makes
    // sure, and sixteen more are within `ROOM`.
    unsafe {
        let from = packed.as_ptr().add(at);
        _mm256_set_m128i(
            _mm_loadu_si128(from.add(high).cast()),
            _mm_loadu_si128(from.add(low).cast()),
        )
    }
}
