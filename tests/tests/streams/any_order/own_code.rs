//! The program's own code that panics, or asks for what it does not get: functions of the host, and
//! what the library calls with something in its hands.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;

use kernels::count_up;
use lanewise::checks::{self, Checking};
use lanewise::{
    Device, DeviceBuffer, DriverError, LaunchConfig, ManagedBuffer, MemoryPool, MulticastBuffer,
    PinnedBuffer, Pinning, Stream, Surface, counters,
};

use super::ops::Op;
use super::world::{Did, World, good};

/// What is panicked with.
struct OnPurpose;

/// Panics without a word.
pub(super) fn on_purpose<T>() -> T {
    resume_unwind(Box::new(OnPurpose))
}

/// Sees that such a panic comes through.
pub(super) fn caught<T: std::fmt::Debug>(work: impl FnOnce() -> T) -> Did {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(answer) => Err(format!("a panic was lost: {answer:?}")),
        Err(panic) if panic.is::<OnPurpose>() => Ok(()),
        Err(_) => Err("another panic".to_owned()),
    }
}

/// What a function of the host asks of the library, and gets an error for.
fn ask(what: usize, device: &Device, stream: &Stream) -> Result<(), String> {
    fn of<T, E: std::fmt::Debug>(answer: Result<T, E>) -> Result<(), String> {
        let Err(error) = answer else {
            return Err("was done".to_owned());
        };
        let text = format!("{error:?}");
        match text.contains("CUDA_ERROR_NOT_PERMITTED") {
            true => Ok(()),
            false => Err(text),
        }
    }
    match what {
        0 => of(device.synchronize()),
        1 => of(stream.synchronize()),
        2 => of(DeviceBuffer::<u32>::zeroed(device, 48)),
        3 => of(device.stream()),
        4 => of(stream.call(|| ())),
        5 => of(device.record(|_| Ok(()))),
        6 => of(device.build_graph(|_| Ok(()))),
        7 => of(stream.launch(count_up, LaunchConfig::new(1, 32), ())),
        8 => of(counters::of(device, || Ok::<(), DriverError>(()))),
        9 => {
            let none = || Ok::<(), DriverError>(());
            of(checks::of(device, Checking::all(), none))
        }
        10 => of(MemoryPool::new(device)),
        11 => of(ManagedBuffer::<u32>::zeroed(device, 48)),
        12 => of(PinnedBuffer::<u32>::zeroed(device, 48, Pinning::Cached)),
        13 => of(Surface::zeroed(device, [5, 7])),
        14 => of(MulticastBuffer::<u32>::zeroed(
            std::slice::from_ref(device),
            48,
        )),
        _ => of(Device::all()),
    }
}

impl World<'_> {
    pub(super) fn on_own_code(&self, op: Op) -> Option<Did> {
        Some(match op {
            Op::CallPanics { stream } => {
                let queue = self.queue(stream.get())?;
                good(queue.stream.call(on_purpose))
            }
            Op::CallAsks { stream, what } => {
                let queue = self.queue(stream.get())?;
                let (stream, wrong, what) = (queue.stream.clone(), self.wrong.clone(), what.get());
                good(queue.stream.call(move || {
                    if let Err(why) = ask(what, stream.device(), &stream) {
                        let why = format!("in a function of the host, question {what}: {why}");
                        let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                        wrong.push(why);
                    }
                }))
            }
            _ => return None,
        })
    }
}
