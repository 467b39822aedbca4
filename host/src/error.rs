//! A driver call that failed: CUDA's name and text for the error, the driver's own message, and
//! the caller's line.
//!
//! Every error of this crate that comes from the driver holds a [`DriverError`]; the enums of
//! the other modules ([`crate::LaunchError`], [`crate::MemoryError`], ...) describe the purpose
//! of the call.
//! Source: CUDA driver API, "Data types used by CUDA driver", `CUresult`, and "Error Handling".

use std::ffi::{CStr, c_char};
use std::fmt;
use std::panic::Location;

use lanewise_driver::abi::CUresult;
use lanewise_driver::api;

use crate::journal;

/// Why the driver refused a call, or the fault of a kernel that ran before the call.
///
/// A fault in a kernel is reported by a call *after* the launch, usually a synchronisation or a
/// copy. Then [`DriverError::report`] is about the kernel, not about the call named here.
#[derive(Clone, PartialEq, Eq)]
pub struct DriverError(Box<Details>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    call: &'static str,
    code: u32,
    name: String,
    text: String,
    report: Option<String>,
    at: &'static Location<'static>,
}

impl DriverError {
    /// Returns `Ok` for success, else the error of a driver call.
    pub(crate) fn check(
        call: &'static str,
        result: CUresult,
        at: &'static Location<'static>,
    ) -> Result<(), Self> {
        match result {
            CUresult::SUCCESS => Ok(()),
            failed => Err(Self::answer(call, failed, at)),
        }
    }

    /// Makes the error for a code that is not success.
    pub(crate) fn answer(
        call: &'static str,
        failed: CUresult,
        at: &'static Location<'static>,
    ) -> Self {
        let code = told_by_driver(failed);
        let (name, text) = describe(code);
        Self::new(call, code, name, text, at)
    }

    fn new(
        call: &'static str,
        code: u32,
        name: String,
        text: String,
        at: &'static Location<'static>,
    ) -> Self {
        let mut error = Self(Box::new(Details {
            call,
            code,
            name,
            text,
            report: report_of(call),
            at,
        }));
        if error.report().is_none() && error.is_kernel_fault() {
            error.0.report = journal::suspects();
        }
        error
    }

    /// Returns the driver function that returned the error: `cuLaunchKernel`.
    pub fn call(&self) -> &'static str {
        self.0.call
    }

    /// CUDA's number for the error: 700.
    pub fn code(&self) -> u32 {
        self.0.code
    }

    /// CUDA's name for the error: `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// CUDA's text for the error: `an illegal memory access was encountered`.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Returns more information than the code, if there is any: the simulator's report, the JIT
    /// compiler's log, or after a fault on a GPU the launches that may have caused it.
    pub fn report(&self) -> Option<&str> {
        self.0.report.as_deref()
    }

    /// Returns whether a kernel that was launched before this call caused the error. Launches are
    /// asynchronous: the call that returns such an error is only the first one after the fault, and
    /// all later calls return the same, since the context is lost.
    pub fn is_kernel_fault(&self) -> bool {
        // CUDA_ERROR_ILLEGAL_ADDRESS, LAUNCH_TIMEOUT, ASSERT, and
        // HARDWARE_STACK_ERROR to LAUNCH_FAILED.
        matches!(self.0.code, 700 | 702 | 710 | 714..=719)
    }

    /// Returns the line of the caller's program.
    pub fn location(&self) -> &'static Location<'static> {
        self.0.at
    }

    /// Removes the report from the error.
    pub(crate) fn without_report(mut self) -> Self {
        self.0.report = None;
        self
    }

    /// Sets the report of the error.
    pub(crate) fn with_report(mut self, report: String) -> Self {
        self.0.report = Some(report);
        self
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details {
            call,
            code,
            name,
            text,
            report,
            at,
        } = &*self.0;
        write!(
            out,
            "{call} at {}:{} returned {name} ({code}): {text}",
            at.file(),
            at.line()
        )?;
        if self.is_kernel_fault() {
            write!(out, ", by a kernel launched before this call")?;
        }
        match report {
            Some(report) => write!(out, "\n{}", report.trim_end()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DriverError {}

/// Implements `Debug` as the error's text followed by its sources, so that a `main` that returns an
/// error and a failed `expect` print that.
macro_rules! in_words {
    ($error:ty) => {
        impl std::fmt::Debug for $error {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(out, "{self}")?;
                let mut behind = std::error::Error::source(self);
                while let Some(error) = behind {
                    write!(out, "\n  because: {error}")?;
                    behind = error.source();
                }
                Ok(())
            }
        }
    };
}

in_words! { DriverError }
pub(crate) use in_words;

/// Returns the driver's message about this call. The driver keeps one message for each thread,
/// which may be about an earlier call.
fn report_of(call: &str) -> Option<String> {
    let message = lanewise_driver::last_message()?;
    let (symbol, report) = message.split_once(": ")?;
    let name = match symbol.rsplit_once("_v") {
        Some((name, version)) if version.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => symbol,
    };
    (name == call).then(|| report.to_owned())
}

/// Returns the code that NVIDIA's driver or the simulator really returned. Calls return those that
/// `cust` has, and `CUDA_ERROR_UNKNOWN` in place of newer ones.
fn told_by_driver(CUresult(code): CUresult) -> u32 {
    match lanewise_driver::last_code() {
        last if CUresult(code) == CUresult::ERROR_UNKNOWN && last != 0 => last,
        _ => code,
    }
}

/// Returns the driver's name and text for an error code, which may be one that only a
/// newer driver has.
fn describe(code: u32) -> (String, String) {
    type Lookup = unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult;
    let ask = |lookup: Lookup| {
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: the driver accepts any number. It writes a pointer to a static string,
        // or leaves null.
        unsafe {
            if lookup(CUresult(code), &mut text) != CUresult::SUCCESS || text.is_null() {
                return None;
            }
            Some(CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    };
    (
        ask(api::cuGetErrorName).unwrap_or_else(|| "an error without a name".to_owned()),
        ask(api::cuGetErrorString)
            .unwrap_or_else(|| "the driver has no text for this code".to_owned()),
    )
}
