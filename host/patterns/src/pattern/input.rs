//! Input data that is made from a seed and is the same on every machine.
//!
//! Element `i` is a hash of `i` and the seed, so an element can be made without the elements before
//! it. The hash is the finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom
//! number generators", OOPSLA 2014).

use rayon::prelude::*;

/// Returns 64 well-mixed bits for element `i`.
fn hash(i: usize, seed: u64) -> u64 {
    let mut z = (i as u64)
        .wrapping_add(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The number of elements that a core makes at a time.
const PART: usize = 1 << 14;

/// Makes `n` elements, on all cores if there are many. A GPU is measured with hundreds of millions
/// of elements. Each part is one plain loop, which is fast even if this crate is not optimised,
/// because tests spend more time on making elements than on computing with them.
fn each<T: Clone + Default + Send>(n: usize, element: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut elements = vec![T::default(); n];
    let parts = elements.par_chunks_mut(PART).enumerate();
    parts.for_each(|(part, elements)| {
        for (i, place) in elements.iter_mut().enumerate() {
            *place = element(part * PART + i);
        }
    });
    elements
}

/// Returns `n` floats in [-0.5, 0.5), each a multiple of 2^-24.
pub fn floats(n: usize, seed: u64) -> Vec<f32> {
    each(n, |i| {
        (hash(i, seed) >> 40) as f32 / (1u32 << 24) as f32 - 0.5
    })
}

/// Returns `n` integers from the whole range, so that sums wrap.
pub fn integers(n: usize, seed: u64) -> Vec<i32> {
    each(n, |i| (hash(i, seed) >> 32) as i32)
}

/// Returns `n` arbitrary words of 32 bits.
pub fn words(n: usize, seed: u64) -> Vec<u32> {
    each(n, |i| (hash(i, seed) >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_depends_on_the_seed_and_nothing_else() {
        assert_eq!(floats(1000, 7), floats(1000, 7));
        assert_ne!(floats(1000, 7), floats(1000, 8));
        assert_eq!(integers(10, 1), integers(1000, 1)[..10]);
        let (many, one) = (words(3 * PART + 1, 5), words(PART, 5));
        assert!(many.starts_with(&one) && many[3 * PART] == (hash(3 * PART, 5) >> 32) as u32);
    }

    #[test]
    fn floats_fill_their_interval() {
        let floats = floats(100_000, 1);
        let mean = floats.iter().map(|&x| f64::from(x)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 5e-3, "mean {mean}");
        assert!(floats.iter().all(|x| (-0.5..0.5).contains(x)));
    }
}
