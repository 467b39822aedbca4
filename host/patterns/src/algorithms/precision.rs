//! The precisions in which the algorithms compute: `f32` and `f64`.

use bytemuck::Zeroable;
use gpu::algorithms::real::Real;
use lanewise::DeviceCopy;
use rayon::prelude::*;

use crate::input;

/// The properties of `f32` and `f64` that the host needs.
pub trait Precision: Real + Into<f64> + Zeroable + DeviceCopy + Send {
    /// Half a unit in the last place of 1, which is the relative error of one operation.
    const UNIT: f64;

    /// Returns the nearest number of this precision.
    fn rounded(of: f64) -> Self;
}

macro_rules! precisions {
    ($($real:ident)*) => {
        $(
            impl Precision for $real {
                const UNIT: f64 = $real::EPSILON as f64 / 2.0;

                fn rounded(of: f64) -> Self {
                    of as $real
                }
            }
        )*
    };
}

precisions! { f32 f64 }

/// Returns random numbers with a magnitude of about 0.3, which `f32` represents exactly too.
pub(super) fn numbers<T: Precision>(n: usize, seed: u64) -> Vec<T> {
    let floats = input::floats(n, seed).into_par_iter();
    let floats = floats.with_min_len(1 << 14);
    floats.map(|x| T::rounded(x.into())).collect()
}
