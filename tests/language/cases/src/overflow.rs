//! Arithmetic that panics where it does not fit, seen from the other side: every case stays within
//! bounds that the optimiser cannot know, so the checks are compiled and none fires.

use core::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use core::num::{NonZero, Saturating, Wrapping};
use core::time::Duration;

use crate::{Out, Random};

crate::case::subject! {
    /// Checks that are compiled and do not fire, and small types of `core`.
    overflow: strict_sums, strict_products, strict_powers, strict_shifts, strict_division, strict_128, strict_128_products, indices,
    slice_ranges, unwraps, asserts, array_bounds, non_zero_arithmetic, wrapping_arithmetic, saturating_arithmetic, durations,
    duration_floats, hashing, hashing_by_words, hash_equal, square_roots, logarithms, midpoints, carrying, widening, digits_128,
    ranges_inclusive, float_rounding, float_order, float_parsing, pointer_swaps, pointer_copies_overlapping
}

/// A small number of either sign.
fn small(random: &mut Random) -> i32 {
    random.i32() % 1000
}

fn strict_sums(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (small(random), small(random));
    out.put([a.strict_add(b), a.strict_sub(b), a.strict_neg()]);
    out.put(a.unsigned_abs().strict_add(5));
}

fn strict_products(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (small(random), small(random));
    out.put([a.strict_mul(b), b.strict_mul(b)]);
    out.put(
        i64::from(a)
            .strict_mul(i64::from(b))
            .strict_mul(i64::from(a)),
    );
}

fn strict_powers(random: &mut Random, out: &mut Out<'_>) {
    let a = small(random) % 10;
    out.put([a.strict_pow(3), i32::from(a as i8).strict_pow(2)]);
    out.put(u128::from(a.unsigned_abs()).strict_pow(20));
}

fn strict_shifts(random: &mut Random, out: &mut Out<'_>) {
    let (a, n) = (random.u64(), random.u32() % 64);
    out.put([a.strict_shl(n), a.strict_shr(n)]);
}

fn strict_division(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (small(random), small(random) | 1);
    out.put([
        a.strict_div(b),
        a.strict_rem(b),
        a.strict_div_euclid(b),
        a.strict_rem_euclid(b),
    ]);
    out.put([
        a.div_euclid(b),
        (a as u32).div_ceil(b.unsigned_abs()) as i32,
    ]);
}

fn strict_128(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (i128::from(random.i64()), i128::from(random.i64()));
    out.put([a.strict_add(b), a.strict_sub(b)]);
    out.put((a.checked_add(b), a.checked_sub(i128::MIN)));
    out.put(a.overflowing_add(i128::MAX));
    out.put([a.saturating_add(i128::MAX), b.saturating_sub(i128::MAX)]);
}

fn strict_128_products(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (i128::from(random.i64()), i128::from(random.i64()));
    out.put(a.strict_mul(b));
    let wide = (a << 40) | b & 0xffff;
    out.put((wide.checked_mul(b), (wide as u128).checked_mul(b as u128)));
    out.put(wide.overflowing_mul(a));
    out.put([wide.saturating_mul(b), wide.saturating_mul(wide)]);
    out.put((wide.checked_div(b), wide.checked_rem(b)));
}

fn indices(random: &mut Random, out: &mut Out<'_>) {
    let values: [u32; 9] = random.array(Random::u32);
    let i = random.below(9);
    out.put([values[i], values[8 - i], values[(i * 7) % 9]]);
}

fn slice_ranges(random: &mut Random, out: &mut Out<'_>) {
    let values: [u16; 12] = random.array(Random::u16);
    let (start, length) = (random.below(6), random.below(6));
    out.put(&values[start..start + length]);
    out.put(&values[start..=start + length]);
    out.put((&values[start..]).split_at(length).0);
}

fn unwraps(random: &mut Random, out: &mut Out<'_>) {
    let n = random.u32() % 50;
    out.put(n.checked_add(1).unwrap());
    out.put(u8::try_from(n).expect("it is below 50"));
    let letter = char::from_digit(n % 10, 10).unwrap();
    out.put((letter, letter.to_digit(10).unwrap()));
}

fn asserts(random: &mut Random, out: &mut Out<'_>) {
    let n = random.u64() % 1000;
    assert!(n < 1000);
    assert_eq!(n / 1000, 0, "{n} is below");
    assert_ne!(n, 1000, "{n} is below");
    debug_assert!(n < 1000);
    let half = match n % 2 {
        0 => n / 2,
        1 => n.div_ceil(2),
        _ => unreachable!("a remainder by two"),
    };
    out.put(half);
}

fn array_bounds(random: &mut Random, out: &mut Out<'_>) {
    let mut counts = [[0u8; 4]; 4];
    for _ in 0..12 {
        let (i, j) = (random.below(4), random.below(4));
        counts[i][j] += 1;
    }
    out.put(counts);
}

fn non_zero_arithmetic(random: &mut Random, out: &mut Out<'_>) {
    let a = NonZero::new(random.u32() | 1).unwrap();
    out.put([
        a.leading_zeros(),
        a.trailing_zeros(),
        a.ilog2(),
        a.ilog10(),
        a.get() / a,
    ]);
    out.put((
        a.checked_mul(a).map(NonZero::get),
        a.saturating_add(7).get(),
        a.is_power_of_two(),
    ));
    let b = NonZero::<i64>::new(random.i64() | 1).unwrap();
    out.put((
        b.unsigned_abs().get(),
        b.checked_neg().map(NonZero::get),
        b.is_negative(),
    ));
    out.put(size_of::<Option<NonZero<u128>>>());
}

fn wrapping_arithmetic(random: &mut Random, out: &mut Out<'_>) {
    let (mut a, b) = (Wrapping(random.i16()), Wrapping(random.i16()));
    a += b;
    a *= b;
    a -= Wrapping(3);
    out.put([(a + b).0, (-a).0, (a << 5).0, (!a & b).0, (a * a * a).0]);
}

fn saturating_arithmetic(random: &mut Random, out: &mut Out<'_>) {
    let (mut a, b) = (Saturating(random.u8()), Saturating(random.u8()));
    a += b;
    out.put([(a * b).0, (a - b).0, a.pow(2).0, a.0]);
}

fn durations(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (
        Duration::from_millis(random.u32().into()),
        Duration::new(random.u16().into(), random.u32() % 1_000_000_000),
    );
    out.put([
        (a + b).as_nanos(),
        a.saturating_sub(b).as_nanos(),
        (b * 3).as_micros(),
        (a / 7).as_nanos(),
    ]);
    out.put((
        a.checked_sub(b).is_some(),
        a.cmp(&b),
        b.subsec_micros(),
        a.abs_diff(b).as_millis(),
    ));
}

fn duration_floats(random: &mut Random, out: &mut Out<'_>) {
    let a = Duration::from_micros(random.u32().into());
    out.put([
        a.as_secs_f64(),
        a.div_duration_f64(Duration::from_millis(3)),
    ]);
    out.put(Duration::from_secs_f32(f32::from(random.u16()) / 64.0).as_nanos());
    out.put(a.mul_f64(1.5).as_nanos());
}

/// A hasher of our own: FNV-1a.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn hashing(random: &mut Random, out: &mut Out<'_>) {
    #[derive(Hash)]
    struct Record<'a> {
        name: &'a str,
        size: (u16, Option<i8>),
        parts: [u32; 3],
    }
    let record = Record {
        name: ["warp", "lane", ""][random.below(3)],
        size: (random.u16(), random.bool().then(|| random.i8())),
        parts: random.array(Random::u32),
    };
    out.put(BuildHasherDefault::<Fnv>::default().hash_one(&record));
}

#[allow(deprecated, reason = "it is the only hasher that `core` has")]
fn hashing_by_words(random: &mut Random, out: &mut Out<'_>) {
    let mut hasher = core::hash::SipHasher::new_with_keys(random.u64(), random.u64());
    for _ in 0..random.below(6) {
        random.u32().hash(&mut hasher);
    }
    "end".hash(&mut hasher);
    out.put(hasher.finish());
}

fn hash_equal(random: &mut Random, out: &mut Out<'_>) {
    let of = |value: &dyn Fn(&mut Fnv)| {
        let mut hasher = Fnv::default();
        value(&mut hasher);
        hasher.finish()
    };
    let bytes: [u8; 6] = random.array(Random::u8);
    out.put(of(&|h| bytes[..].hash(h)) == of(&|h| bytes.as_slice().hash(h)));
    out.put([
        of(&|h| (1u8, bytes[0]).hash(h)),
        of(&|h| bytes.hash(h)),
        of(&|h| (&&bytes[2]).hash(h)),
    ]);
}

fn square_roots(random: &mut Random, out: &mut Out<'_>) {
    out.put([
        u64::from(random.u8().isqrt()),
        u64::from(random.u32().isqrt()),
        random.u64().isqrt(),
    ]);
    out.put(random.u128().isqrt());
    out.put([
        random.i32().checked_isqrt(),
        small(random).unsigned_abs().isqrt().try_into().ok(),
    ]);
}

fn logarithms(random: &mut Random, out: &mut Out<'_>) {
    let n = random.u64() | 1;
    out.put([
        n.ilog2(),
        n.ilog10(),
        n.ilog(3),
        (n as u8 | 1).ilog10(),
        u128::from(n).pow(2).ilog10(),
    ]);
}

fn midpoints(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (random.u64(), random.u64());
    out.put([a.midpoint(b), a.abs_diff(b), (a >> 1).next_multiple_of(8)]);
    out.put(random.f32().midpoint(random.f32()));
    out.put(random.i32().midpoint(random.i32()));
}

fn carrying(random: &mut Random, out: &mut Out<'_>) {
    let (a, b, carry) = (random.u64(), random.u64(), random.bool());
    out.put(a.carrying_add(b, carry));
    out.put(a.borrowing_sub(b, carry));
    out.put(a.carrying_mul(b, random.u64()));
    out.put(a.carrying_mul_add(b, a, b));
}

fn widening(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (random.u64(), random.u64());
    out.put(u128::from(a) * u128::from(b));
    out.put(i128::from(a as i64) * i128::from(b as i64));
    out.put((u128::from(a) << 64 | u128::from(b)) % 1_000_000_007);
}

fn digits_128(random: &mut Random, out: &mut Out<'_>) {
    let mut n = random.u128();
    let mut sum = 0;
    while n > 0 {
        sum += n % 10;
        n /= 10;
    }
    out.put(sum);
}

fn ranges_inclusive(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (random.u8(), random.u8());
    out.put((a..=b).map(u32::from).sum::<u32>());
    out.put((a..=u8::MAX).rev().step_by(7).count());
    out.put(((a..b).contains(&7), (..=b).contains(&a), (a..=b).is_empty()));
}

fn float_rounding(random: &mut Random, out: &mut Out<'_>) {
    use lanewise_std::math::Float;
    let x = f64::from(random.i32()) / 64.0;
    out.put([
        Float::floor(x),
        Float::ceil(x),
        Float::round(x),
        Float::trunc(x),
        Float::round_ties_even(x),
    ]);
    out.put(x as f32 as i16);
    let halves = [0.5f32, 1.5, 2.5, -0.5, -1.5, 8_388_607.5];
    out.put(halves.map(|x| Float::round_ties_even(x)));
    out.put(halves.map(|x| Float::round(x)));
}

fn float_order(random: &mut Random, out: &mut Out<'_>) {
    let (a, b) = (random.f64(), random.f64());
    out.put(if a.is_nan() || b.is_nan() {
        core::cmp::Ordering::Equal
    } else {
        a.total_cmp(&b)
    });
    out.put([a.clamp(-1.0, 1.0), b.max(a).min(3.0) + 0.0]);
    out.put([
        a.is_finite(),
        b.is_subnormal(),
        a.is_sign_negative() && !a.is_nan(),
    ]);
}

fn float_parsing(random: &mut Random, out: &mut Out<'_>) {
    let texts = [
        "1e10",
        "-0.1",
        "inf",
        "3.4028236e38",
        "1e-46",
        "0.30000000000000004",
        "12345678901234567890",
        ".5",
        "1e",
        "nan",
    ];
    let text = texts[random.below(texts.len())];
    out.put((text.parse::<f32>().ok(), text.parse::<f64>().ok()));
}

fn pointer_swaps(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [u64; 6] = random.array(Random::u64);
    let (i, j) = (random.below(3), 3 + random.below(3));
    let start = values.as_mut_ptr();
    // SAFETY: both are in the array, and apart.
    unsafe {
        core::ptr::swap(start.add(i), start.add(j));
        core::ptr::swap_nonoverlapping(start, start.add(3), 2);
        let old = core::ptr::replace(start.add(j), 7);
        out.put(old);
    }
    out.put(values);
}

fn pointer_copies_overlapping(random: &mut Random, out: &mut Out<'_>) {
    let mut values: [u16; 12] = random.array(Random::u16);
    let (from, to) = (random.below(8), random.below(8));
    let start = values.as_mut_ptr();
    // SAFETY: four values fit behind both, and `copy` may overlap.
    unsafe {
        core::ptr::copy(start.add(from), start.add(to), 4);
        let odd = start.cast::<u8>().add(1).cast::<u32>();
        let word = odd.read_unaligned();
        odd.write_unaligned(word.rotate_left(8));
    }
    out.put(values);
}
