//! What the driver's compiler is told: [`JitOptions`] by the program, and what to keep for
//! debuggers and profilers.
//!
//! PTX says which line of Rust an instruction serves (`.loc`). The driver keeps that only on
//! request, and then compute-sanitizer and Nsight Compute show it; the code is the same. PTX built
//! for a debugger says so itself (`.target sm_90, debug`): such a text is compiled without
//! optimisation and with what cuda-gdb reads.
//! Source: CUDA driver API, `CUjit_option`; PTX ISA, "PTX Module Directives: .target".

use std::ffi::c_void;
use std::panic::Location;

use cust::context::{CurrentContext, ResourceLimit};
use cust::sys::CUjit_option;

use crate::DriverError;

/// Bytes of a log.
pub(crate) const LOG: usize = 16 << 10;

/// Bytes of stack that a thread of a debugger's build may need at most: every variable has a place
/// in memory, and where a panic can happen the driver does not know how deep calls go. Its own
/// limit is 1024.
const STACK: usize = 4096;

/// How the driver's compiler makes machine code of PTX, where a program has its own mind: for
/// [`Module::compile`](crate::Module::compile).
///
/// None of them changes what a kernel computes. The simulator takes them and compiles nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JitOptions {
    /// How much to optimise, 0 to 4; as much as there is, unless this is given.
    pub optimization: Option<u32>,
    /// Registers that a thread may have at most.
    pub max_registers: Option<u32>,
    /// Whether the log names each kernel's registers, stack and spills.
    pub verbose: bool,
    /// Which caches loads from global memory go through, where the text does not say.
    pub cache: Option<LoadCache>,
}

/// Caches that loads from global memory go through: ptxas's `-dlcm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadCache {
    /// Loads are kept in L2 alone (`-dlcm=cg`).
    L2,
    /// Loads are kept in L1 and L2 (`-dlcm=ca`).
    All,
}

impl JitOptions {
    /// Beside what the text itself asks for.
    pub(crate) fn added_to(self, mut options: Options) -> Options {
        let number = |value: u32| std::ptr::without_provenance_mut(value as usize);
        if let Some(level) = self.optimization {
            options = options.with(CUjit_option::CU_JIT_OPTIMIZATION_LEVEL, number(level));
        }
        if let Some(most) = self.max_registers {
            options = options.with(CUjit_option::CU_JIT_MAX_REGISTERS, number(most));
        }
        if self.verbose {
            options = options.with(CUjit_option::CU_JIT_LOG_VERBOSE, number(1));
        }
        if let Some(cache) = self.cache {
            // `CUjit_cacheMode`.
            let mode = match cache {
                LoadCache::L2 => 1,
                LoadCache::All => 2,
            };
            options = options.with(CUjit_option::CU_JIT_CACHE_MODE, number(mode));
        }
        options
    }
}

/// The text in a log.
pub(crate) fn text(log: &[u8]) -> String {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim().to_owned()
}

/// The error with what the compiler or the linker had to say.
pub(crate) fn with_log(error: DriverError, log: &[u8]) -> DriverError {
    match text(log) {
        log if log.is_empty() => error,
        log => error.with_report(log),
    }
}

/// Options for `cuModuleLoadDataEx` and `cuLinkCreate`, each with its value in a pointer's place.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) names: Vec<CUjit_option>,
    pub(crate) values: Vec<*mut c_void>,
}

impl Options {
    /// What this text asks for.
    pub(crate) fn of(ptx: &str) -> Options {
        let keep = if is_for_debugger(ptx) {
            CUjit_option::CU_JIT_GENERATE_DEBUG_INFO
        } else {
            CUjit_option::CU_JIT_GENERATE_LINE_INFO
        };
        Options::default().with(keep, std::ptr::without_provenance_mut(1))
    }

    /// The same and a room for the compiler's errors, which must outlive the use of the options.
    pub(crate) fn with_log(self, log: &mut [u8]) -> Options {
        let size = std::ptr::without_provenance_mut(log.len());
        self.with(
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            log.as_mut_ptr().cast(),
        )
        .with(CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, size)
    }

    /// The same and a room for what else the compiler says.
    pub(crate) fn with_info(self, log: &mut [u8]) -> Options {
        let size = std::ptr::without_provenance_mut(log.len());
        self.with(
            CUjit_option::CU_JIT_INFO_LOG_BUFFER,
            log.as_mut_ptr().cast(),
        )
        .with(CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, size)
    }

    /// The same options, and the time that compilation took: [`Self::seconds`] has it afterwards.
    pub(crate) fn with_time(self) -> Options {
        self.with(CUjit_option::CU_JIT_WALL_TIME, std::ptr::null_mut())
    }

    /// How long the compiler says that it took.
    pub(crate) fn seconds(&self) -> f64 {
        let time = CUjit_option::CU_JIT_WALL_TIME;
        let place = self.names.iter().position(|name| *name == time);
        // Milliseconds as an `f32`, in the low bits of a pointer's place.
        let milliseconds = place.map_or(0.0, |at| f32::from_bits(self.values[at].addr() as u32));
        f64::from(milliseconds) / 1e3
    }

    fn with(mut self, name: CUjit_option, value: *mut c_void) -> Options {
        self.names.push(name);
        self.values.push(value);
        self
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.names.len() as u32
    }
}

/// Lets threads of a text for a debugger have a deep enough stack, in the current context.
pub(crate) fn make_room(ptx: &str, at: &'static Location<'static>) -> Result<(), DriverError> {
    let limit = ResourceLimit::StackSize;
    let call = |name| move |error| DriverError::from_cust(name, error, at);
    let has = || CurrentContext::get_resource_limit(limit).map_err(call("cuCtxGetLimit"));
    if is_for_debugger(ptx) && has()? < STACK {
        CurrentContext::set_resource_limit(limit, STACK).map_err(call("cuCtxSetLimit"))?;
    }
    Ok(())
}

/// Whether the text's target is one for debugging.
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
        assert_eq!(
            names(".target sm_90"),
            [CUjit_option::CU_JIT_GENERATE_LINE_INFO]
        );
        assert_eq!(
            names(".target sm_90, debug"),
            [CUjit_option::CU_JIT_GENERATE_DEBUG_INFO]
        );
    }
}
