//! What the driver's compiler is asked to keep for debuggers and profilers.
//!
//! PTX says which line of Rust an instruction serves (`.loc`). The driver keeps that only on request, and then
//! compute-sanitizer and Nsight Compute show it; the code is the same. PTX built for a debugger says so itself
//! (`.target sm_90, debug`): such a text is compiled without optimisation and with what cuda-gdb reads.
//! Source: CUDA driver API, `CUjit_option`; PTX ISA, "PTX Module Directives: .target".

use std::ffi::c_void;
use std::panic::Location;

use cust::context::{CurrentContext, ResourceLimit};
use cust::sys::CUjit_option;

use crate::DriverError;

/// Bytes of stack that a thread of a debugger's build may need at most: every variable has a place in memory, and where a panic can
/// happen the driver does not know how deep calls go. Its own limit is 1024.
const STACK: usize = 4096;

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
