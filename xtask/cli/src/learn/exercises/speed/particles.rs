//! Choose the layout of particles.
//!
//! A particle has four numbers, of which the kernel needs one. If a particle's numbers lie side by
//! side (an array of structures), a warp's load touches 16 sectors and uses a quarter of them.
//! Change the function that says where a number lies, so that the same number of all particles lies
//! side by side (a structure of arrays). The check lays out the data by the same function.
//! The target: at most 4.1 sectors for each load.
//!
//! Read: memory/aos_soa
//@ hint: With 100 particles, let numbers 0 to 99 be the x of all particles, 100 to 199 the y, and
//@   so on.
//@ hint: `field * particles + particle`
//@ fails: sectors for each load: 16

use lanewise_macros::kernel;
use lanewise_std::DisjointSlice;

/// Where number `field` of a particle lies. There are 4 fields.
pub fn place(particle: usize, field: usize, particles: usize) -> usize {
    //@ start
    particle * 4 + field
    //@ solution
    field * particles + particle
    //@ end
}

/// Writes twice the first number of each particle.
#[kernel]
pub fn double_x(data: &[f32], mut output: DisjointSlice<f32>) {
    let particles = data.len() / 4;
    if let Some((output, index)) = output.get_mut_indexed() {
        *output = 2.0 * data[place(index.get(), 0, particles)];
    }
}

#[cfg(test)]
mod check {
    use super::*;
    use crate::check::*;

    #[test]
    fn the_same_field_lies_side_by_side() {
        let xs = floats(1024);
        let mut data = vec![0.0; 4 * 1024];
        for (particle, x) in xs.iter().enumerate() {
            for field in 0..4 {
                data[place(particle, field, 1024)] = x + field as f32;
            }
        }
        let (found, counters) = run(|device, stream| {
            let x = DeviceBuffer::from_slice(device, &data)?;
            let mut y = DeviceBuffer::zeroed(device, 1024)?;
            stream.launch(double_x, LaunchConfig::new(8, 128), (&x, &mut y))?;
            Ok(y.to_vec()?)
        });
        equal(&found, &Vec::from_iter(xs.iter().map(|x| 2.0 * x)));
        at_most("sectors for each load", counters.global_loads.sectors_per_request(), 4.1);
    }
}
