//! Evaluate a polynomial with fewer instructions.
//!
//! The kernel computes every power of x again. Horner's rule, ((c3 x + c2) x + c1) x + c0, needs
//! one multiplication and one addition for each coefficient, and the two become one instruction.
//! All numbers here are small and whole, so the result is the same.
//! The target: at most 40 instructions for each warp.
//!
//! Read: instruction/fma
//@ hint: Begin with the last coefficient and go down.
//@ hint: `c.iter().rev().fold(0.0, |sum, c| sum * x + c)`
//@ fails: instructions for each warp

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

const C: [f32; 8] = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];

/// Replaces each x by the sum of `C[k]` times x to the power of k.
#[kernel]
pub fn polynomial(mut data: DisjointSlice<f32>) {
    if let Some((data, _)) = data.get_mut_indexed() {
        let x = *data;
        //@ start
        let mut sum = 0.0;
        for k in 0..8 {
            let mut term = C[k];
            for _ in 0..k {
                term *= x;
            }
            sum += term;
        }
        //@ solution
        let sum = C.iter().rev().fold(0.0, |sum, c| sum * x + c);
        //@ end
        *data = sum;
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn one_instruction_a_coefficient() {
        let input = Vec::from_iter((0..128).map(|i| (i % 5) as f32));
        let (found, counters) = run(|device, stream| {
            let mut x = DeviceBuffer::from_slice(device, &input)?;
            stream.launch(polynomial, LaunchConfig::new(1, 128), (&mut x,))?;
            Ok(x.to_vec()?)
        });
        let value = |x: &f32| C.iter().rev().fold(0.0, |sum, c| sum * x + c);
        equal(&found, &Vec::from_iter(input.iter().map(value)));
        at_most("instructions for each warp", counters.ptx_instructions as f64 / 4.0, 40.0);
    }
}
