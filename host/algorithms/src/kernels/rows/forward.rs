//! Softmax, layer norm and RMS norm of a row whose elements are in registers.
//!
//! Each warp computes what it needs of its own part: the maximum and the sum of exponentials, or
//! the mean and the sum of squares. So one exchange is enough.
//!
//! Sources: Milakov, Gimelshein, "Online normalizer calculation for softmax", 2018; Chan, Golub,
//! LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.

use lanewise_std::DisjointSlice;
use lanewise_std::collective::{Max, Sum, warp_reduce};
use lanewise_std::math::Float;

use super::Element;
use super::row::{Group, Row};

impl<E: Element, const ALIGNED: bool, const N: usize, const WIDE: bool> Row<E, ALIGNED, N, WIDE> {
    /// Columns past the end have to be minus infinity.
    #[inline(always)]
    pub(super) fn softmax(self, mut values: [f32; N], output: &mut DisjointSlice<E>) {
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let most = warp_reduce(most, Max);
        // Where all are less than any number, so is the difference.
        let shift = if most == f32::NEG_INFINITY { 0.0 } else { most };
        let mut total = 0.0;
        for value in &mut values {
            *value = Float::exp(*value - shift);
            total += *value;
        }
        let of_warp = [most, warp_reduce(total, Sum)];
        Self::exchange(of_warp, [f32::NEG_INFINITY, 0.0], |parts| {
            let of_row = parts
                .iter()
                .fold(f32::NEG_INFINITY, |most, part| most.max(part[0]));
            let of_row = warp_reduce(of_row, Max);
            // What a sum with another maximum has to be multiplied by.
            let scale = |most: f32| {
                if most == of_row {
                    1.0
                } else {
                    Float::exp(most - of_row)
                }
            };
            let total: f32 = parts.iter().map(|[most, total]| total * scale(*most)).sum();
            let factor = scale(most) / warp_reduce(total, Sum);
            self.store(output, |round| {
                Self::group(round, |i, _| values[i] * factor)
            });
        });
    }

    /// Columns past the end have to be 0.
    #[inline(always)]
    pub(super) fn layer_norm(
        self,
        values: [f32; N],
        [gamma, beta]: [impl Fn(usize) -> Group; 2],
        output: &mut DisjointSlice<E>,
        epsilon: f32,
    ) {
        let (of_warp, past) = (self.moments(&values), [0.0; 3]);
        Self::exchange(of_warp, past, |parts| {
            let [mean, square] = self.of_row(parts);
            let factor = 1.0 / Float::sqrt(square + epsilon);
            self.store(output, |round| {
                let (gamma, beta) = (gamma(round), beta(round));
                Self::group(round, |i, lane| {
                    (values[i] - mean) * factor * gamma[lane] + beta[lane]
                })
            });
        });
    }

    /// Returns number, mean and sum of squared differences of the warp's elements.
    #[inline(always)]
    pub(super) fn moments(&self, values: &[f32; N]) -> [f32; 3] {
        let count = warp_reduce(self.count(), Sum) as f32;
        let total: f32 = values.iter().sum();
        let mean = warp_reduce(total, Sum) / count.max(1.0);
        let mut square = 0.0;
        Self::rounds(|round| {
            if self.has(round) {
                for value in &values[round * Self::LANES..(round + 1) * Self::LANES] {
                    square += (value - mean) * (value - mean);
                }
            }
        });
        [count, mean, warp_reduce(square, Sum)]
    }

    /// Returns mean and variance of the row, from the moments of its warps.
    #[inline(always)]
    pub(super) fn of_row(&self, parts: &[[f32; 3]]) -> [f32; 2] {
        let columns = self.columns as f32;
        let total: f32 = parts.iter().map(|[count, mean, _]| count * mean).sum();
        let mean = warp_reduce(total, Sum) / columns;
        let square = parts
            .iter()
            .map(|[count, of_warp, square]| square + count * (of_warp - mean) * (of_warp - mean));
        [mean, warp_reduce(square.sum::<f32>(), Sum) / columns]
    }

    /// Columns past the end have to be 0.
    #[inline(always)]
    pub(super) fn rms_norm(
        self,
        values: [f32; N],
        gamma: impl Fn(usize) -> Group,
        output: &mut DisjointSlice<E>,
        epsilon: f32,
    ) {
        let square: f32 = values.iter().map(|value| value * value).sum();
        Self::exchange(warp_reduce(square, Sum), 0.0, |parts| {
            let square = warp_reduce(parts.iter().sum::<f32>(), Sum);
            let factor = 1.0 / Float::sqrt(square / self.columns as f32 + epsilon);
            self.store(output, |round| {
                let gamma = gamma(round);
                Self::group(round, |i, lane| values[i] * factor * gamma[lane])
            });
        });
    }
}
