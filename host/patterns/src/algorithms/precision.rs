//! The precisions in which the algorithms compute: `f32` and `f64`.

use bytemuck::Zeroable;
use gpu::algorithms::real::Real;
use lanewise::DeviceCopy;
use rayon::prelude::*;

use crate::input;

/// `f32` or `f64`: what the host has to know of them.
pub trait Precision: Real + Into<f64> + Zeroable + DeviceCopy + Send {
    /// Half a unit in the last place of one: how far off an operation may be.
    const UNIT: f64;

    /// The nearest number of this precision.
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

/// Random numbers of about 0.3 in size, which `f32` has too.
pub(super) fn numbers<T: Precision>(n: usize, seed: u64) -> Vec<T> {
    let floats = input::floats(n, seed).into_par_iter();
    let floats = floats.with_min_len(1 << 14);
    floats.map(|x| T::rounded(x.into())).collect()
}
