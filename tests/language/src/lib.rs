//! The language suite: the host and a kernel run every case of the crate `cases` on
//! the same inputs.
//!
//! A subject is a kernel and its list of cases. Each case runs in [`THREADS`] threads, each
//! with inputs of its own. What the threads wrote must equal what the host's function writes,
//! bit by bit.

mod split;

use std::fmt::Write;
use std::sync::{LazyLock, OnceLock};

use anyhow::{Context, Result, anyhow};
use cases::{Case, Out, Random, WORDS, seed_of};
use cust::context::{CurrentContext, ResourceLimit};
use lanewise::{Device, DeviceBuffer, LaunchConfig, Module};
use lanewise_std::GlobalMut;
use lanewise_std::kernel::{self, SafeKernel};
use split::Items;

/// The cases as compiled for the device.
const PTX: &str = <cases::Ptx as kernel::Module>::TEXTS[0].plain;

/// Threads that run each case: two warps, one block.
pub const THREADS: usize = 64;
/// The seed of the inputs. Any other number would do.
const SEED: u64 = 0x1a_9e15e;
/// Bytes of stack for each thread.
const STACK: usize = 32 << 10;
/// The value of a word to which no result was written.
const UNTOUCHED: u64 = 0x7777_7777_7777_7777;

/// A kernel that runs cases.
pub trait Subject: SafeKernel<Params = (u32, u64, GlobalMut<'static, u64>)> {}
impl<K: SafeKernel<Params = (u32, u64, GlobalMut<'static, u64>)>> Subject for K {}

/// Returns the process's device, or why there is none; the reason is the same for every test.
fn device() -> Result<&'static Device> {
    static OPENED: OnceLock<Result<Device>> = OnceLock::new();
    let opened = OPENED.get_or_init(|| {
        let device = Device::open()?;
        // Recursion and trait objects hide from ptxas how much stack a kernel takes; a GPU gives 1
        // KB unless told.
        CurrentContext::set_resource_limit(ResourceLimit::StackSize, STACK)?;
        Ok(device)
    });
    opened.as_ref().map_err(|error| anyhow!("{error:#}"))
}

/// Returns what the host's function gives for each thread.
fn expected(case: Case) -> Vec<u64> {
    let mut words = vec![UNTOUCHED; THREADS * WORDS];
    for (thread, words) in words.chunks_mut(WORDS).enumerate() {
        (case.run)(
            &mut Random::new(seed_of(SEED, thread)),
            &mut Out::new(words),
        );
    }
    words
}

/// Returns what the kernel gives for each thread.
fn found(module: &Module, kernel: impl Subject, number: u32) -> Result<Vec<u64>> {
    let device = module.device();
    let stream = device.stream()?;
    let mut words = DeviceBuffer::from_slice(device, &[UNTOUCHED; THREADS * WORDS])?;
    let config = LaunchConfig::new(1, THREADS as u32);
    // SAFETY: the module is compiled from the crate that the handle comes from.
    unsafe { module.launch_unchecked(&stream, kernel, config, (number, SEED, &mut words))? };
    Ok(words.to_vec()?)
}

/// Runs every case of a subject on both sides. Returns one line for each case that differs.
///
/// # Errors
/// If a launch fails; the message has the case's name.
pub fn disagreements<K: Subject>(kernel: K, cases: &[Case]) -> Result<String> {
    static ITEMS: LazyLock<Items<'static>> = LazyLock::new(|| Items::of(PTX));
    let module = Module::from_ptx(device()?, &ITEMS.module_of(K::NAME))?;
    let mut text = String::new();
    for (number, case) in (0..).zip(cases) {
        let found =
            found(&module, kernel, number).with_context(|| format!("case `{}`", case.name))?;
        let expected = expected(*case);
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        if let Some(at) = differs {
            writeln!(
                text,
                "`{}`: word {} of thread {} is {:#x} on the device and {:#x} on the host",
                case.name,
                at % WORDS,
                at / WORDS,
                found[at],
                expected[at],
            )?;
        }
    }
    Ok(text)
}
