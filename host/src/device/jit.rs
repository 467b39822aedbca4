//! Options for the driver's compiler: the program's own [`JitOptions`], and the information to keep
//! for debuggers and profilers.
//!
//! PTX contains the line of Rust for each instruction (`.loc`). The driver keeps the lines only on
//! request, and then compute-sanitizer and Nsight Compute show them. The machine code is the same.
//! PTX that was built for a debugger has a `debug` target (`.target sm_90, debug`). Such a text is
//! compiled without optimisation and with the information that cuda-gdb reads.
//! Source: CUDA driver API, `CUjit_option`; PTX ISA, "PTX Module Directives: .target".

use std::ffi::c_void;
use std::panic::Location;

use lanewise_driver::abi::enums::{jit, limit};
use lanewise_driver::api;

use crate::DriverError;

/// The size of a log in bytes.
pub(crate) const LOG: usize = 16 << 10;

/// The stack of a thread in a debug build, in bytes. In such a build every variable is in memory,
/// and if a panic can happen, the driver cannot compute the depth of the calls. The driver's
/// default is 1024.
const STACK: usize = 4096;

/// Options for [`Module::compile`](crate::Module::compile): how the driver's compiler makes machine
/// code from PTX.
///
/// No option changes the results of a kernel. The simulator accepts the options and ignores them,
/// because it does not compile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JitOptions {
    /// The optimisation level, 0 to 4. The default is the highest level.
    pub optimization: Option<u32>,
    /// The maximum number of registers of a thread.
    pub max_registers: Option<u32>,
    /// Whether the log names each kernel's registers, stack and spills.
    pub verbose: bool,
    /// The caches that loads from global memory use, if the PTX does not specify them.
    pub cache: Option<LoadCache>,
}

/// The caches that loads from global memory use: ptxas's `-dlcm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadCache {
    /// Loads are kept in L2 alone (`-dlcm=cg`).
    L2,
    /// Loads are kept in L1 and L2 (`-dlcm=ca`).
    All,
}

impl JitOptions {
    /// Adds these options to those that the text itself needs.
    pub(crate) fn added_to(self, mut options: Options) -> Options {
        let number = |value: u32| std::ptr::without_provenance_mut(value as usize);
        if let Some(level) = self.optimization {
            options = options.with(jit::OPTIMIZATION_LEVEL, number(level));
        }
        if let Some(most) = self.max_registers {
            options = options.with(jit::MAX_REGISTERS, number(most));
        }
        if self.verbose {
            options = options.with(jit::LOG_VERBOSE, number(1));
        }
        if let Some(cache) = self.cache {
            // `CUjit_cacheMode`.
            let mode = match cache {
                LoadCache::L2 => 1,
                LoadCache::All => 2,
            };
            options = options.with(jit::CACHE_MODE, number(mode));
        }
        options
    }
}

/// Returns the text in a log.
pub(crate) fn text(log: &[u8]) -> String {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim().to_owned()
}

/// Returns the error with the log of the compiler or the linker.
pub(crate) fn with_log(error: DriverError, log: &[u8]) -> DriverError {
    match text(log) {
        log if log.is_empty() => error,
        log => error.with_report(log),
    }
}

/// Options for `cuModuleLoadDataEx` and `cuLinkCreate`. Each value is stored as a pointer.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) names: Vec<u32>,
    pub(crate) values: Vec<*mut c_void>,
}

impl Options {
    /// Returns the options that this text needs.
    pub(crate) fn of(ptx: &str) -> Options {
        let keep = if is_for_debugger(ptx) {
            jit::GENERATE_DEBUG_INFO
        } else {
            jit::GENERATE_LINE_INFO
        };
        Options::default().with(keep, std::ptr::without_provenance_mut(1))
    }

    /// Adds a buffer for the compiler's errors. It must outlive the use of the options.
    pub(crate) fn with_log(self, log: &mut [u8]) -> Options {
        let size = std::ptr::without_provenance_mut(log.len());
        self.with(jit::ERROR_LOG_BUFFER, log.as_mut_ptr().cast())
            .with(jit::ERROR_LOG_BUFFER_SIZE_BYTES, size)
    }

    /// Adds a buffer for the compiler's other messages. It must outlive the use of the options.
    pub(crate) fn with_info(self, log: &mut [u8]) -> Options {
        let size = std::ptr::without_provenance_mut(log.len());
        self.with(jit::INFO_LOG_BUFFER, log.as_mut_ptr().cast())
            .with(jit::INFO_LOG_BUFFER_SIZE_BYTES, size)
    }

    /// Asks for the compile time, which [`Self::seconds`] returns afterwards.
    pub(crate) fn with_time(self) -> Options {
        self.with(jit::WALL_TIME, std::ptr::null_mut())
    }

    /// Returns the compile time in seconds that the compiler reported, or 0 if it was
    /// not asked for.
    pub(crate) fn seconds(&self) -> f64 {
        let time = jit::WALL_TIME;
        let place = self.names.iter().position(|name| *name == time);
        // The value is a number of milliseconds, as an `f32` in the low bits of the pointer.
        let milliseconds = place.map_or(0.0, |at| f32::from_bits(self.values[at].addr() as u32));
        f64::from(milliseconds) / 1e3
    }

    fn with(mut self, name: u32, value: *mut c_void) -> Options {
        self.names.push(name);
        self.values.push(value);
        self
    }

    /// Returns the number of options.
    pub(crate) fn count(&self) -> u32 {
        self.names.len() as u32
    }
}

/// Makes the stack of threads in the current context large enough, if the text is for a debugger.
pub(crate) fn make_room(ptx: &str, at: &'static Location<'static>) -> Result<(), DriverError> {
    if !is_for_debugger(ptx) {
        return Ok(());
    }
    let mut has = 0;
    // SAFETY: the result is written to a local variable.
    let result = unsafe { api::cuCtxGetLimit(&mut has, limit::STACK_SIZE) };
    DriverError::check("cuCtxGetLimit", result, at)?;
    if has < STACK {
        // SAFETY: the call sets a limit of the current context and takes no pointer.
        let result = unsafe { api::cuCtxSetLimit(limit::STACK_SIZE, STACK) };
        DriverError::check("cuCtxSetLimit", result, at)?;
    }
    Ok(())
}

/// Returns whether the text has a `debug` target.
pub(crate) fn is_for_debugger(ptx: &str) -> bool {
    let target = ptx.lines().find_map(|line| {
        let (before, rest) = line.split_once(".target")?;
        before.trim().is_empty().then_some(rest)
    });
    let code = target.and_then(|rest| rest.split("//").next());
    code.is_some_and(|options| options.split(',').any(|option| option.trim() == "debug"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_says_whether_the_text_is_for_a_debugger() {
        assert!(is_for_debugger(
            ".version 8.0\n\t.target sm_90, debug // x\n"
        ));
        assert!(!is_for_debugger(".version 8.0\n.target sm_90 // debug\n"));
        assert!(!is_for_debugger("// .target sm_90, debug\n.target sm_90\n"));
        assert!(!is_for_debugger(""));
    }

    #[test]
    fn a_text_is_compiled_with_lines_or_for_the_debugger() {
        let names = |ptx| Options::of(ptx).names;
        assert_eq!(names(".target sm_90"), [jit::GENERATE_LINE_INFO]);
        assert_eq!(names(".target sm_90, debug"), [jit::GENERATE_DEBUG_INFO]);
    }
}
