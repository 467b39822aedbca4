//! Memory that a kernel left out is found by the next. The test has a program of its own: after a
//! launch without the check, another test's too, all memory of the context counts as written.
#![forbid(unsafe_code)]

use lanewise::checks::{self, Checking};
use lanewise::{Device, DeviceBuffer, LaunchConfig, MemoryError};
use lanewise_std::vector::Float4;
use own_kernels::doubled_vectors;

#[test]
fn what_a_kernel_left_out_is_found() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let found = |written: usize| {
        let run = || -> Result<_, MemoryError> {
            let input = DeviceBuffer::from_slice(&device, &vec![1.5; 4 * written])?;
            let mut buffer = DeviceBuffer::<f32>::uninit(&device, 32)?;
            let arguments = (
                &input.as_vectors::<Float4>()?,
                &mut buffer.as_vectors_mut::<Float4>()?,
            );
            let config = LaunchConfig::new(1, 32);
            stream.launch(doubled_vectors, config, arguments)
                .unwrap();
            let sums = (
                &buffer.as_vectors::<Float4>()?,
                &mut DeviceBuffer::<Float4>::zeroed(&device, 8)?,
            );
            stream.launch(doubled_vectors, config, sums)
                .unwrap();
            Ok(())
        };
        checks::of(&device, Checking::init(), run).unwrap().1
    };
    // On a GPU there are no checks.
    assert!(found(8).is_none_or(|findings| findings.is_empty()));
    assert!(found(7).is_none_or(|findings| !findings.is_empty()));
}
