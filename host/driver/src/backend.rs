//! The driver that executes the calls: the machine's own, or the simulated one. It is chosen once,
//! at the first call.
//!
//! By default the machine's own driver is used if it opens, initialises and has a device. With
//! `LANEWISE_DEVICE=cuda` everything else is an error of `cuInit`, whose message names what is
//! missing. With `LANEWISE_DEVICE=sim` no GPU is searched for.

use crate::abi::CUresult;
use crate::error::Error;
use crate::log::{self, Level};
use crate::platform::process;
use crate::{entry_point, libcuda, stderr, trace};
use lanewise_variables::DEVICE;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// What executes driver calls and runs kernels: a GPU through NVIDIA's driver, or the simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// NVIDIA's driver, on a GPU. Times are measured.
    Cuda,
    /// The simulated GPU of this crate. Times are modelled, counters are available, and every
    /// access is checked.
    Sim,
}

impl Backend {
    /// Returns the origin of this backend's times: `measured` or `modelled`.
    pub fn times(self) -> &'static str {
        match self {
            Self::Cuda => "measured",
            Self::Sim => "modelled",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Cuda => "GPU",
            Self::Sim => "simulator",
        })
    }
}

/// The result of the choice.
#[derive(Debug)]
pub(crate) enum Choice {
    /// One of the two backends.
    Made(Backend),
    /// The requested backend is not available; `cuInit` and all other calls return this error.
    Impossible(Error),
}

static CHOICE: OnceLock<Choice> = OnceLock::new();

/// Returns the chosen backend, or `None` before the first call or if the requested one
/// is not available.
pub fn backend() -> Option<Backend> {
    match CHOICE.get() {
        Some(Choice::Made(backend)) => Some(*backend),
        _ => None,
    }
}

/// Set by a simulated `cuInit` that has succeeded.
static INITIALISED: AtomicBool = AtomicBool::new(false);

/// Set in a process that was forked from one where `cuInit` had succeeded.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Permits every simulated call from now on.
pub(crate) fn initialised() {
    extern "C" fn in_child() {
        FORKED.store(true, Ordering::Relaxed);
    }
    if !INITIALISED.swap(true, Ordering::AcqRel) {
        // SAFETY: the function does one store, which is allowed between `fork` and the
        // child's own code.
        unsafe { process::in_children(in_child) };
    }
}

/// Returns whether this process was forked from one that had initialised the driver. The threads
/// and devices of that process do not exist in this one.
pub(crate) fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// Returns the error of a call in a forked process, as a GPU's driver returns it.
pub(crate) fn forked() -> Error {
    Error::loud(
        CUresult::ERROR_NOT_INITIALIZED,
        "this process was forked from one that had initialised CUDA, and can't use it: fork before the first call, or start a program anew (in Python, \
         `multiprocessing.set_start_method('spawn')`)",
    )
}

/// Returns whether simulated calls are permitted.
pub(crate) fn is_initialised() -> bool {
    INITIALISED.load(Ordering::Acquire)
}

/// Makes the choice if it is not made yet, and returns it.
pub(crate) fn choice() -> &'static Choice {
    CHOICE.get_or_init(|| {
        log::unknown_variables();
        choose(&DEVICE.get().unwrap_or_default())
    })
}

fn choose(wish: &str) -> Choice {
    match wish {
        "sim" => Choice::Made(Backend::Sim),
        "cuda" => match open_real() {
            Ok(()) => Choice::Made(Backend::Cuda),
            Err(error) => Choice::Impossible(Error::loud(
                error.code,
                format_args!(
                    "LANEWISE_DEVICE=cuda, but {}; LANEWISE_DEVICE=sim runs the simulator instead",
                    error.message
                ),
            )),
        },
        "" | "auto" => match open_real() {
            Ok(()) => Choice::Made(Backend::Cuda),
            Err(error) => {
                if log::level() >= Level::Errors {
                    stderr::print(format_args!(
                        "lanewise: no GPU ({}); using the simulator",
                        error.message
                    ));
                }
                Choice::Made(Backend::Sim)
            }
        },
        other => Choice::Impossible(Error::loud(
            CUresult::ERROR_INVALID_VALUE,
            DEVICE.refusal(
                other,
                "set it to `cuda`, to `sim`, or leave it out to have the choice made",
            ),
        )),
    }
}

/// Opens the machine's driver, checks that it has a device, and sends all calls to it.
fn open_real() -> Result<(), Error> {
    let library = libcuda::open()?;
    library.initialise()?;
    // The real driver is never unloaded: its functions are called until the process ends.
    let library: &'static libcuda::Library = Box::leak(Box::new(library));
    let traced = trace::on();
    entry_point::pass_through(&|symbol| library.find(symbol), traced);
    if traced && !trace::real::start(library) {
        entry_point::pass_through(&|symbol| library.find(symbol), false);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_wish_is_refused_with_what_to_write() {
        let Choice::Impossible(error) = choose("gpu") else {
            panic!("`gpu` is not a device")
        };
        assert_eq!(error.code, CUresult::ERROR_INVALID_VALUE);
        assert!(
            error.message.contains("`gpu`") && error.message.contains("`sim`"),
            "{error}"
        );
    }

    #[test]
    fn the_simulator_can_be_asked_for() {
        assert!(matches!(choose("sim"), Choice::Made(Backend::Sim)));
    }
}
