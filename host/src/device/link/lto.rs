//! Linking of LTO-IR, by NVIDIA's libnvJitLink.
//!
//! The driver's own linker only takes LTO-IR from toolkits before CUDA 12. Every later toolkit has
//! the library. It is opened when there is LTO-IR to link, and it needs no GPU. It refuses LTO-IR
//! that is newer than itself.
//! Source: nvJitLink documentation, "Linker API", "Supported Link Options".

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;

use lanewise_variables::NVJITLINK;
use libloading::Library;

use crate::device::toolkit::ToolkitLibrary;
use crate::{ComputeCapability, LoadError};

use super::Input;
use super::kind::CodeKind;

const LIBRARY: ToolkitLibrary = ToolkitLibrary {
    variable: NVJITLINK.name,
    files: &[
        "libnvJitLink.so.13",
        "libnvJitLink.so.12",
        "libnvJitLink.so",
    ],
};

/// The suffixes of function names. A library exports each function once for each version of the
/// interface that it supports.
const VERSIONS: [&str; 2] = ["_13_0", "_12_0"];

impl CodeKind {
    /// Returns the kind's number in `nvJitLinkInputType` (nvJitLink.h).
    fn number(self) -> c_int {
        match self {
            CodeKind::Cubin => 1,
            CodeKind::Ptx => 2,
            CodeKind::LtoIr => 3,
            CodeKind::Fatbin => 4,
            CodeKind::Object => 5,
            CodeKind::Library => 6,
        }
    }
}

/// A link's handle.
type Handle = *mut c_void;

macro_rules! functions {
    ($($field:ident $name:literal ($($ty:ty),*);)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($ty),*) -> c_int,)*
        }

        impl Functions {
            fn find(library: &Library) -> Result<Self, String> {
                Ok(Self {
                    $($field: {
                        let mut names = VERSIONS.iter().map(|version| concat!("__", $name).to_owned() + version);
                        // SAFETY: the function has this signature in all of these versions.
                        let found = names.find_map(|name| unsafe {
                            library.get::<unsafe extern "C" fn($($ty),*) -> c_int>(name.as_bytes()).ok()
                        });
                        *found.ok_or_else(|| concat!("it has no ", $name).to_owned())?
                    },)*
                })
            }
        }
    };
}

functions! {
    create "nvJitLinkCreate" (*mut Handle, c_uint, *const *const c_char);
    destroy "nvJitLinkDestroy" (*mut Handle);
    add_data "nvJitLinkAddData" (Handle, c_int, *const c_void, usize, *const c_char);
    complete "nvJitLinkComplete" (Handle);
    cubin_size "nvJitLinkGetLinkedCubinSize" (Handle, *mut usize);
    cubin "nvJitLinkGetLinkedCubin" (Handle, *mut c_void);
    log_size "nvJitLinkGetErrorLogSize" (Handle, *mut usize);
    log "nvJitLinkGetErrorLog" (Handle, *mut c_char);
}

/// Links `inputs` and returns the machine code for devices of this compute capability. `late` is
/// the input that makes the library necessary; errors name it.
pub(super) fn link(
    late: &Input,
    inputs: &[Input],
    capability: ComputeCapability,
) -> Result<Vec<u8>, LoadError> {
    let path = LIBRARY.find().map_err(|searched| LoadError::NoLtoLinker {
        name: late.name.to_string_lossy().into_owned(),
        searched,
    })?;
    let unusable = |reason| LoadError::LtoLinker {
        path: path.clone(),
        reason,
    };
    // SAFETY: NVIDIA's library runs no code when it is opened.
    let opened = unsafe { Library::new(&path) }.map_err(|error| unusable(error.to_string()))?;
    let functions = Functions::find(&opened).map_err(unusable)?;
    let is_late = inputs.iter().any(|input| input.kind == CodeKind::LtoIr);
    let link = Link::new(&functions, capability, is_late)?;
    for input in inputs {
        link.add(input)?;
    }
    link.complete()
}

/// A link operation that has begun.
struct Link<'a> {
    handle: Handle,
    functions: &'a Functions,
}

impl<'a> Link<'a> {
    /// Begins a link operation without inputs. `is_late` means that LTO-IR will be added; then
    /// it must be.
    fn new(
        functions: &'a Functions,
        capability: ComputeCapability,
        is_late: bool,
    ) -> Result<Self, LoadError> {
        let ComputeCapability { major, minor } = capability;
        let target = CString::new(format!("-arch=sm_{major}{minor}")).unwrap_or_default();
        let mut options = vec![target.as_ptr(), c"-lineinfo".as_ptr()];
        options.extend(is_late.then_some(c"-lto".as_ptr()));
        let mut link = Self {
            handle: ptr::null_mut(),
            functions,
        };
        // SAFETY: there are this many options, each ends with NUL, and the handle is written to a
        // field of `link`.
        let code = unsafe {
            (functions.create)(&mut link.handle, options.len() as c_uint, options.as_ptr())
        };
        link.check("nvJitLinkCreate", code)?;
        Ok(link)
    }

    fn add(&self, input: &Input) -> Result<(), LoadError> {
        let (code, bytes) = (input.bytes.as_ptr().cast(), input.bytes.len());
        let kind = input.kind.number();
        // SAFETY: the link is open, the code has this many bytes, and the name ends with NUL.
        let result = unsafe {
            (self.functions.add_data)(self.handle, kind, code, bytes, input.name.as_ptr())
        };
        self.check("nvJitLinkAddData", result)
    }

    fn complete(&self) -> Result<Vec<u8>, LoadError> {
        let functions = self.functions;
        // SAFETY: the link is open.
        self.check("nvJitLinkComplete", unsafe {
            (functions.complete)(self.handle)
        })?;
        let mut bytes = 0;
        // SAFETY: the link is complete, and the size is written to a local variable.
        let result = unsafe { (functions.cubin_size)(self.handle, &mut bytes) };
        self.check("nvJitLinkGetLinkedCubinSize", result)?;
        let mut image = vec![0u8; bytes];
        // SAFETY: the link is complete, and the vector has this many bytes.
        let result = unsafe { (functions.cubin)(self.handle, image.as_mut_ptr().cast()) };
        self.check("nvJitLinkGetLinkedCubin", result)?;
        Ok(image)
    }

    fn check(&self, call: &'static str, code: c_int) -> Result<(), LoadError> {
        if code == 0 {
            return Ok(());
        }
        let mut bytes = 0;
        let mut log = Vec::new();
        if !self.handle.is_null() {
            // SAFETY: the link is open, and the size is written to a local variable. The log then
            // has this many bytes.
            unsafe {
                if (self.functions.log_size)(self.handle, &mut bytes) == 0 {
                    log.resize(bytes, 0u8);
                    (self.functions.log)(self.handle, log.as_mut_ptr().cast());
                }
            }
        }
        let log = String::from_utf8_lossy(&log);
        let log = log.trim_end_matches('\0').trim().to_owned();
        Err(LoadError::NotLinked { call, code, log })
    }
}

impl Drop for Link<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the link was opened once and is destroyed here only. An error here
            // needs no handling.
            unsafe { (self.functions.destroy)(&mut self.handle) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, text: &str) -> Input {
        Input {
            name: CString::new(name).expect("no NUL"),
            kind: CodeKind::Ptx,
            bytes: [text.as_bytes(), &[0]].concat(),
        }
    }

    /// The library needs no GPU: if it is installed, it also links PTX on a machine without one.
    #[test]
    fn the_library_makes_machine_code_and_says_what_is_missing() {
        if LIBRARY.find().is_err() {
            println!("skipped: there is no libnvJitLink");
            return;
        }
        const HEAD: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";
        let caller = format!(
            "{HEAD}.extern .func apart;\n.visible .entry here() {{ call.uni apart; ret; }}\n"
        );
        let callee = format!("{HEAD}.visible .func apart {{ ret; }}\n");
        let inputs = [input("caller.ptx", &caller), input("callee.ptx", &callee)];
        let capability = ComputeCapability { major: 9, minor: 0 };
        let image = link(&inputs[0], &inputs, capability).expect("it links");
        assert!(image.starts_with(b"\x7fELF"));
        let error = link(&inputs[0], &inputs[..1], capability).expect_err("`apart` is missing");
        assert!(error.to_string().contains("apart"), "{error}");
    }
}
