//! The components that the doctor looks for: one function each, in the order in which the
//! pipeline uses them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lanewise_builder::nvvm;
use serde::Serialize;

use super::gpu;
use crate::project;
use crate::toolkit::{self, FOR_NVVM, FOR_PTXAS, ToolPath, install};

/// The name of the last component, which the verdict depends on.
pub(super) const GPU: &str = "GPU";

/// A component that a machine may have.
#[derive(Debug, Serialize)]
pub(super) struct Component {
    pub(super) name: &'static str,
    /// Whether building and testing need it.
    pub(super) needed: bool,
    pub(super) found: Option<Finding>,
    /// What does not work without it.
    pub(super) without: &'static str,
    /// How to install or repair it.
    pub(super) remedy: String,
}

/// The place where a component was found.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) version: Option<String>,
    /// How it was found.
    pub(super) through: String,
    pub(super) path: Option<PathBuf>,
}

/// Returns every component, required ones first.
pub(super) fn all() -> Vec<Component> {
    let rustc = Rustc::ask();
    let driver = gpu::Driver::load();
    vec![
        rust_compiler(rustc.as_ref()),
        rust_src(rustc.as_ref()),
        lib_llvm(rustc.as_ref()),
        assembler(),
        libdevice(),
        libnvvm(),
        driver_library(driver.as_ref()),
        device(driver.as_ref()),
    ]
}

/// What `rustc` reports about itself in this repository, with the
/// toolchain of `rust-toolchain.toml`.
struct Rustc {
    release: String,
    llvm: Option<String>,
    sysroot: PathBuf,
}

impl Rustc {
    fn ask() -> Option<Self> {
        let verbose = output_of("rustc", &["-vV"])?;
        let field = |name: &str| {
            let line = verbose.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim_start_matches(':').trim().to_owned())
        };
        Some(Self {
            release: field("release")?,
            llvm: field("LLVM version"),
            sysroot: output_of("rustc", &["--print", "sysroot"])?.trim().into(),
        })
    }

    /// Returns the shared library of LLVM that rustc loads. Beside it is a link with the same
    /// extension, which contains one line of text.
    fn lib_llvm(&self) -> Option<PathBuf> {
        let entries = fs::read_dir(self.sysroot.join("lib")).ok()?.flatten();
        let named =
            entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("libLLVM"));
        let largest =
            named.max_by_key(|entry| entry.metadata().map(|file| file.len()).unwrap_or(0))?;
        Some(largest.path())
    }
}

fn rust_compiler(rustc: Option<&Rustc>) -> Component {
    Component {
        name: "rustc",
        needed: true,
        found: rustc.map(|rustc| Finding {
            version: Some(rustc.release.clone()),
            through: "rust-toolchain.toml".into(),
            path: Some(rustc.sysroot.join("bin/rustc")),
        }),
        without: "nothing can be built.",
        remedy: "Install Rust with rustup; `rustup toolchain install` in this folder gets the version the project uses.".into(),
    }
}

fn rust_src(rustc: Option<&Rustc>) -> Component {
    let core = rustc.map(|rustc| rustc.sysroot.join("lib/rustlib/src/rust/library/core"));
    Component {
        name: "rust-src",
        needed: false,
        found: core.filter(|path| path.is_dir()).map(|path| Finding {
            version: rustc.map(|rustc| rustc.release.clone()),
            through: "rustc's sysroot".into(),
            path: Some(path),
        }),
        without: "`core` cannot be compiled for the GPU. The first build adds it with rustup.",
        remedy: "Without a network at build time, run `rustup component add rust-src` beforehand."
            .into(),
    }
}

fn lib_llvm(rustc: Option<&Rustc>) -> Component {
    Component {
        name: "libLLVM of rustc",
        needed: true,
        found: rustc.and_then(Rustc::lib_llvm).map(|path| Finding {
            version: rustc.and_then(|rustc| rustc.llvm.clone()),
            through: "rustc's sysroot".into(),
            path: Some(path),
        }),
        without: "bitcode cannot be turned into PTX: this rustc has LLVM linked into itself.",
        remedy:
            "Use the toolchain that rustup installs; distributions' own packages of rustc differ."
                .into(),
    }
}

fn assembler() -> Component {
    Component {
        name: "ptxas",
        needed: false,
        found: toolkit::PTXAS.find().map(|found| Finding {
            version: lanewise_builder::assembler::version(&found.path),
            ..found.into()
        }),
        without: "build-ptx prints no registers and makes no cubins; check-ptx cannot run.",
        remedy: install(&FOR_PTXAS),
    }
}

fn libdevice() -> Component {
    Component {
        name: "libdevice",
        needed: false,
        found: toolkit::LIBDEVICE.find().map(Finding::from),
        without: "`build-ptx --libdevice` is refused; without that option, sin, exp and the like are Rust's own.",
        remedy: install(&FOR_NVVM),
    }
}

/// Looks for libNVVM. A library that is older than rustc's LLVM cannot be used, and the remedy is
/// shown with the reason.
fn libnvvm() -> Component {
    let found = toolkit::LIBNVVM.find();
    let checked = found.as_ref().map(|it| nvvm::check(&it.path));
    let refusal = checked.and_then(|it| it.err().map(|error| error.to_string()));
    Component {
        name: "libnvvm",
        needed: false,
        found: found.filter(|_| refusal.is_none()).map(Finding::from),
        without: "`build-ptx --backend nvvm` is refused; the default backend is rustc's LLVM.",
        remedy: refusal.unwrap_or_else(|| install(&FOR_NVVM)),
    }
}

fn driver_library(driver: Option<&gpu::Driver>) -> Component {
    Component {
        name: "driver (libcuda.so.1)",
        needed: false,
        found: driver.map(|driver| Finding {
            version: driver.cuda_version().map(|version| format!("CUDA {version}")),
            through: "the system's library path".into(),
            path: driver.path(),
        }),
        without: "kernels run on the simulated GPU.",
        remedy: "To run on a real one, install NVIDIA's driver, or carry the program to a machine that has it: its kernels are in it.".into(),
    }
}

fn device(driver: Option<&gpu::Driver>) -> Component {
    let found = driver
        .and_then(|driver| driver.first_device().ok())
        .map(|device| Finding {
            version: Some(format!("sm_{}{}", device.capability.0, device.capability.1)),
            through: device.name,
            path: None,
        });
    let refusal = driver.and_then(|driver| driver.first_device().err());
    Component {
        name: GPU,
        needed: false,
        found,
        without: "kernels run on the simulated GPU: right answers, checks and counters, but no real times.",
        remedy: match refusal {
            Some(code) => format!("The driver is there but offers no device (CUDA error {code}): see `nvidia-smi`."),
            None => "A program or a test that is built here runs on a GPU where there is one: `cargo test --no-run` says where tests are.".into(),
        },
    }
}

impl From<ToolPath> for Finding {
    fn from(found: ToolPath) -> Self {
        Self {
            version: None,
            through: found.through.into(),
            path: Some(found.path),
        }
    }
}

/// Returns what `program` prints in the repository, or `None` if it is not there or fails.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir::<&Path>(project::root())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
