//! Memory that another library owns, as an argument of launches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lanewise::{Device, DeviceBuffer, LaunchConfig, Stream};
use own_kernels::matrix_sum;

/// Another library's memory, which it gets back when this is dropped.
struct Theirs {
    memory: DeviceBuffer<f32>,
    stream: Stream,
    was_done: Arc<AtomicBool>,
}

impl Drop for Theirs {
    fn drop(&mut self) {
        let done = self.stream.is_done().expect("the stream has no error");
        self.was_done.store(done, Ordering::Relaxed);
    }
}

#[test]
fn the_owner_gets_memory_back_after_the_kernels_that_use_it() -> Result<(), lanewise::Error> {
    const N: usize = 1 << 16;
    let device = Device::open()?;
    let stream = device.stream()?;
    let was_done = Arc::new(AtomicBool::new(false));
    let theirs = Theirs {
        memory: DeviceBuffer::zeroed(&device, N)?,
        stream: stream.clone(),
        was_done: Arc::clone(&was_done),
    };
    let ones = DeviceBuffer::from_slice(&device, &[1.0f32; N])?;
    let address = theirs.memory.address();
    // SAFETY: the owner has that many floats until it is dropped, and nothing else uses them.
    let mut foreign = unsafe { DeviceBuffer::<f32>::from_foreign(&device, address, N, theirs) };
    let config = LaunchConfig::for_num_elems(N);
    let mut sum = DeviceBuffer::<f32>::zeroed(&device, N)?;
    let (rows, columns) = (256u32, 256usize);
    let into = (&ones, &ones, &mut foreign.slice_mut(..), rows, columns);
    stream.launch(matrix_sum, config, into)?;
    let from = (&*foreign, &ones, &mut sum, rows, columns);
    stream.launch(matrix_sum, config, from)?;
    // A graph could run after the owner has taken the memory back.
    let recorded = device.record(|record| {
        let from = (&*foreign, &ones, &mut sum, rows, columns);
        record.launch(matrix_sum, config, from)
    });
    assert!(recorded.is_err(), "a graph has the memory");
    drop(foreign);
    assert!(
        was_done.load(Ordering::Relaxed),
        "a kernel still used the memory"
    );
    assert_eq!(sum.to_vec()?, [3.0; N]);
    Ok(())
}
