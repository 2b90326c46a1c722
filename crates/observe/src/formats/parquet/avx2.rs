//! [`super::unpack`] with AVX2: four numbers of up to 57 bits at a time, and their sums.
//!
//! The number of bits is data, not code: blocks of differences have some width or other each, and a jump
//! by it would be mispredicted.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_blend_epi32,
    _mm256_loadu_si256, _mm256_permute4x64_epi64, _mm256_set_m128i, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_si256, _mm256_srlv_epi64,
    _mm256_storeu_si256,
};

use super::unpack::{self as portable, Kernel, ROOM, Step, Sums};

/// Wider ones reach over more than eight bytes.
const WIDEST: usize = 57;

/// Where the numbers of one width are: eight of them take as many bytes as one has bits. A vector takes
/// numbers 0 to 3 of the eight, or 4 to 7; each of its halves is loaded for itself.
struct Plan {
    /// Where the four halves begin.
    places: [usize; 4],
    /// Which bytes of the halves each number has, of both vectors.
    bytes: [[u8; 32]; 2],
    /// By how many bits it is to be shifted down.
    shifts: [[u64; 4]; 2],
    mask: u64,
}

const fn plan(width: usize) -> Plan {
    let mut plan = Plan {
        places: [0; 4],
        bytes: [[0; 32]; 2],
        shifts: [[0; 4]; 2],
        mask: if width == 0 {
            0
        } else {
            u64::MAX >> (64 - width)
        },
    };
    let mut index = 0;
    while index < 8 {
        let (vector, half, lane) = (index / 4, index / 2, index % 4);
        plan.places[half] = (index - index % 2) * width / 8;
        let from = index * width / 8 - plan.places[half];
        let mut byte = 0;
        while byte < 8 {
            #[allow(clippy::cast_possible_truncation)] // below 16
            let place = (from + byte) as u8;
            plan.bytes[vector][lane * 8 + byte] = place;
            byte += 1;
        }
        plan.shifts[vector][lane] = (index * width % 8) as u64;
        index += 1;
    }
    plan
}

static PLANS: [Plan; WIDEST + 1] = {
    let mut plans = [const { plan(0) }; WIDEST + 1];
    let mut width = 0;
    while width <= WIDEST {
        plans[width] = plan(width);
        width += 1;
    }
    plans
};

/// What plain numbers are not added to.
const NO_SUMS: Sums = Sums { last: 0, least: 0 };

/// Where the processor has it.
pub fn kernel() -> Option<Kernel> {
    let has = std::arch::is_x86_feature_detected!("avx2");
    has.then_some(Kernel { numbers, sums })
}

fn numbers(width: u32, packed: &[u8; ROOM], out: &mut Step) {
    match PLANS.get(width as usize) {
        // SAFETY: only `kernel` hands this function out, where there is AVX2.
        Some(plan) => unsafe { unpack::<false>(plan, width, packed, NO_SUMS, out) },
        None => portable::numbers(width, packed, out),
    }
}

fn sums(width: u32, packed: &[u8; ROOM], from: Sums, out: &mut Step) {
    match PLANS.get(width as usize) {
        // SAFETY: only `kernel` hands this function out, where there is AVX2.
        Some(plan) => unsafe { unpack::<true>(plan, width, packed, from, out) },
        None => portable::sums(width, packed, from, out),
    }
}

/// Eight numbers a turn, which take `width` bytes.
#[target_feature(enable = "avx2")]
fn unpack<const ADDED: bool>(
    plan: &Plan,
    width: u32,
    packed: &[u8; ROOM],
    from: Sums,
    out: &mut Step,
) {
    let [a, b, c, d] = plan.places;
    let lower = Four::new(plan, 0);
    let upper = Four::new(plan, 1);
    let least = _mm256_set1_epi64x(from.least.cast_signed());
    let mut last = _mm256_set1_epi64x(from.last.cast_signed());
    let mut at = 0;
    for eight in out.as_chunks_mut::<8>().0 {
        let fours = [
            lower.of(half(packed, at + a), half(packed, at + b)),
            upper.of(half(packed, at + c), half(packed, at + d)),
        ];
        for (mut four, slot) in fours.into_iter().zip(eight.as_chunks_mut().0) {
            if ADDED {
                let sums = added(_mm256_add_epi64(four, least));
                four = _mm256_add_epi64(sums, last);
                last = _mm256_add_epi64(_mm256_permute4x64_epi64::<0xff>(sums), last);
            }
            store(four, slot);
        }
        at += width as usize;
    }
}

/// How four numbers are taken out of their bytes.
struct Four {
    bytes: __m256i,
    shifts: __m256i,
    mask: __m256i,
}

impl Four {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(plan: &Plan, which: usize) -> Self {
        let (bytes, shifts) = (&plan.bytes[which], &plan.shifts[which]);
        // SAFETY: both are arrays of 32 bytes.
        let [bytes, shifts] = unsafe {
            [
                _mm256_loadu_si256(std::ptr::from_ref(bytes).cast()),
                _mm256_loadu_si256(std::ptr::from_ref(shifts).cast()),
            ]
        };
        Self {
            bytes,
            shifts,
            mask: _mm256_set1_epi64x(plan.mask.cast_signed()),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(&self, low: __m128i, high: __m128i) -> __m256i {
        let moved = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), self.bytes);
        _mm256_and_si256(_mm256_srlv_epi64(moved, self.shifts), self.mask)
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
fn half(packed: &[u8; ROOM], at: usize) -> __m128i {
    // No width reaches so far; the compiler sees that 16 bytes are left.
    let bytes = packed.get(at & 0xff..).and_then(<[u8]>::first_chunk::<16>);
    let bytes = bytes.unwrap_or(&[0; 16]);
    // SAFETY: they are 16 bytes.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(four: __m256i, to: &mut [u64; 4]) {
    // SAFETY: it has 32 bytes.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), four) };
}
