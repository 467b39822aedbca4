//! Floats of 16 bits, alone and in pairs.

use lanewise_macros::kernel;
use lanewise_std::atomic::{AtomicOrdering, DeviceAtomicF16, DeviceAtomicF16x2};
use lanewise_std::collective::{Max, Sum, warp_reduce};
use lanewise_std::half::{Bf16, Bf16x2, F16, F16x2};
use lanewise_std::{DisjointSlice, thread};

macro_rules! arithmetic {
    ($($(#[$doc:meta])* $single:ident, $pair:ident: $float:ident, $packed:ident;)*) => {
        $(
            /// Sum, difference, product, quotient, product and sum, minimum, maximum, negation,
            /// conversion to `f32` and back.
            #[kernel]
            pub fn $single(input: &[[$float; 3]], mut output: DisjointSlice<[$float; 9]>) {
                let index = thread::index_1d();
                if let (Some(&[a, b, c]), Some(output)) = (input.get(index.get()), output.get_mut(&index)) {
                    *output = [
                        a + b,
                        a - b,
                        a * b,
                        a / b,
                        a.mul_add(b, c),
                        a.min(b),
                        a.max(b),
                        -a,
                        $float::from_f32(a.to_f32() + 0.3 * b.to_f32()),
                    ];
                }
            }

            /// Sum, difference, product, product and sum, negation.
            #[kernel]
            pub fn $pair(input: &[[$packed; 3]], mut output: DisjointSlice<[$packed; 5]>) {
                let index = thread::index_1d();
                if let (Some(&[a, b, c]), Some(output)) = (input.get(index.get()), output.get_mut(&index)) {
                    *output = [a + b, a - b, a * b, a.mul_add(b, c), -a];
                }
            }
        )*
    };
}

arithmetic! {
    f16s, f16_pairs: F16, F16x2;
    bf16s, bf16_pairs: Bf16, Bf16x2;
}

/// By value, through a warp, and into atomics.
#[kernel]
pub fn together(
    start: F16,
    input: &[F16],
    total: &[DeviceAtomicF16],
    totals: &[DeviceAtomicF16x2],
    mut output: DisjointSlice<[F16; 2]>,
) {
    let index = thread::index_1d();
    let x = input[index.get()];
    let row = [warp_reduce(x, Sum) + start, warp_reduce(x, Max)];
    total[0].fetch_add(x, AtomicOrdering::Relaxed);
    totals[0].fetch_add(F16x2::new(x, -x), AtomicOrdering::Relaxed);
    if let Some(output) = output.get_mut(&index) {
        *output = row;
    }
}
