//! Each target's files: those of the last build if they are still valid, otherwise new ones. All
//! targets are built at the same time.
//!
//! A target needs one run of LLVM in a process of its own, and one of ptxas if the build has it;
//! what an earlier build has made of the same inputs comes from the [`Cache`] instead.
//! Nothing is written until the PTX has passed the lint.

pub(crate) mod files;

use std::collections::BTreeSet;
use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use crate::arch::Arch;
use crate::assembler::{self, Assembly};
use crate::cache::Cache;
use crate::cargo::Bitcode;
use crate::cargo::source_paths::SourcePaths;
use crate::cargo::toolchain::Toolchain;
use crate::dump::Dump;
use crate::error::BuildError;
use crate::fingerprint;
use crate::lint::{LintError, Rule};
use crate::manifest::{Floats, Module, Panics};
use crate::output::{Emit, Stage};
use crate::passes::{Code, Options};
use crate::process;
use files::Files;

/// The inputs that all targets of a build share.
pub(crate) struct Targets<'a> {
    /// The Rust module with the kernels. It distinguishes their symbols from those of other crates.
    pub(crate) path: &'a str,
    /// The compiled crate.
    pub(crate) bitcode: &'a Bitcode,
    /// Where a target's files go.
    pub(crate) files: &'a Files,
    /// The toolchain whose LLVM is used.
    pub(crate) toolchain: &'a Toolchain,
    /// How source files are named.
    pub(crate) paths: &'a SourcePaths,
    /// How floats are computed.
    pub(crate) floats: Floats,
    /// How a panic is reported.
    pub(crate) panics: Panics,
    /// Whether it is for a debugger.
    pub(crate) debug: bool,
    /// NVIDIA's library of mathematical functions.
    pub(crate) libdevice: Option<&'a Path>,
    /// NVIDIA's library of code generation, if it is the backend.
    pub(crate) nvvm: Option<&'a Path>,
    /// NVIDIA's assembler, `ptxas`, if it was found.
    pub(crate) assembler: Option<&'a Path>,
    /// Where the code of earlier builds is, if it is wanted.
    pub(crate) cache: Option<&'a Cache>,
    /// Rules that the PTX may break.
    pub(crate) allowed: &'a [Rule],
}

impl Targets<'_> {
    /// Makes PTX for the targets whose files are no longer valid. Returns whether there was one.
    pub(crate) fn make(
        &self,
        archs: &[Arch],
        report: &mut dyn FnMut(Stage),
    ) -> Result<(Vec<Module>, bool), BuildError> {
        if let Some(complaint) = Dump::complaint() {
            report(Stage::Warning(complaint));
        }
        let mut started = Vec::new();
        for arch in archs {
            started.push(self.start(arch, report)?);
        }
        let rebuilt = started
            .iter()
            .any(|work| matches!(work, TargetBuild::Running { .. }));
        let modules = started
            .into_iter()
            .map(|work| self.finish(work))
            .collect::<Result<Vec<_>, _>>()?;
        let warnings: BTreeSet<_> = modules.iter().flat_map(|module| &module.warnings).collect();
        for warning in warnings {
            report(Stage::Warning(warning.clone()));
        }
        Ok((modules, rebuilt))
    }

    /// Finds the last build's files, or starts LLVM.
    fn start(&self, arch: &Arch, report: &mut dyn FnMut(Stage)) -> Result<TargetBuild, BuildError> {
        let emits = |kind| self.files.emit.contains(&kind);
        let options = Options {
            path: self.path.to_owned(),
            arch: arch.clone(),
            floats: self.floats,
            panics: self.panics,
            debug: self.debug,
            libdevice: self.libdevice.map(Into::into),
            nvvm: self.nvvm.map(Into::into),
            llvm_ir: emits(Emit::LlvmIr),
            bitcode: emits(Emit::Bitcode),
            cubin: emits(Emit::Cubin),
            assembler: self.assembler.map(Into::into),
            paths: self.paths.clone(),
            only: None,
        };
        let fingerprint = fingerprint::inputs(
            &self.bitcode.bytes,
            &options,
            [self.libdevice, self.nvvm, self.assembler],
            &self.toolchain.version,
        );
        let name = arch.to_string();
        // A dump is requested to be read, so it is written even when nothing changed.
        if !Dump::is_wanted()
            && let Some(module) = self.files.still_hold(&name, &fingerprint)
        {
            report(Stage::UpToDate { arch: name });
            return Ok(TargetBuild::Held(module));
        }
        let library = self.toolchain.llvm_library()?;
        let cache = self.cache.filter(|_| !Dump::is_wanted());
        let found = cache.and_then(|cache| cache.find(&fingerprint));
        let code: Pending = if let Some(code) = found {
            report(Stage::Cached { arch: name });
            Box::new(|| Ok(code))
        } else {
            report(Stage::Generating { arch: name });
            let (bitcode, own) = (self.bitcode.clone(), options.clone());
            let (cache, key) = (cache.cloned(), fingerprint.clone());
            let running = thread::spawn(move || {
                let mut code = process::compile(&library, &bitcode, &own)?;
                assemble(&mut code, &own)?;
                if let Some(cache) = cache {
                    cache.keep(&key, &code);
                }
                Ok(code)
            });
            Box::new(|| running.join().unwrap_or_else(|panic| resume_unwind(panic)))
        };
        Ok(TargetBuild::Running {
            options: Box::new(options),
            fingerprint,
            code,
        })
    }

    /// Waits for a target's code, checks it and writes its files.
    fn finish(&self, work: TargetBuild) -> Result<Module, BuildError> {
        let (options, fingerprint, code) = match work {
            TargetBuild::Held(module) => return Ok(module),
            TargetBuild::Running {
                options,
                fingerprint,
                code,
            } => (options, fingerprint, code),
        };
        let arch = options.arch.to_string();
        let code = code()?;
        self.check(&arch, &code)?;
        let krate = &self.files.krate;
        let launching_ptx = code.launching_ptx.as_ref();
        let mut module = Module {
            arch,
            ptx: format!("{krate}.ptx"),
            launching_ptx: launching_ptx.map(|_| format!("{krate}.launching.ptx")),
            floats: self.floats,
            panic: self.panics,
            debug: self.debug,
            kernels: code.kernels.clone(),
            statics: code.statics.clone(),
            hidden: code.hidden.clone(),
            exports: code.exports.clone(),
            imports: code.imports.clone(),
            warnings: code.warnings.clone(),
        };
        self.files.write(&mut module, fingerprint, &code)?;
        Ok(module)
    }

    /// Refuses PTX that breaks a rule.
    fn check(&self, arch: &str, code: &Code) -> Result<(), LintError> {
        let findings: Vec<_> = code
            .findings
            .iter()
            .filter(|finding| !self.allowed.contains(&finding.rule))
            .cloned()
            .collect();
        if findings.is_empty() {
            Ok(())
        } else {
            Err(LintError {
                arch: arch.to_owned(),
                findings,
            })
        }
    }
}

/// A target's part of a build.
enum TargetBuild {
    /// The last build's files are still valid.
    Held(Module),
    /// The code is in the cache, or LLVM is still running.
    Running {
        options: Box<Options>,
        fingerprint: String,
        code: Pending,
    },
}

/// What returns a target's code, and waits for it if necessary.
type Pending = Box<dyn FnOnce() -> Result<Code, BuildError>>;

/// Assembles the PTX with ptxas, if there is one.
fn assemble(code: &mut Code, options: &Options) -> Result<(), BuildError> {
    let Some(ptxas) = &options.assembler else {
        return Ok(());
    };
    let arch = options.arch.to_string();
    let folder = tempfile::tempdir().map_err(BuildError::io("create", std::env::temp_dir()))?;
    let (ptx, cubin) = (
        folder.path().join("module.ptx"),
        folder.path().join("module.cubin"),
    );
    let parts = [Some(&code.ptx), code.launching_ptx.as_ref()];
    for (text, launches) in parts.into_iter().zip([false, true]) {
        let Some(text) = text else { continue };
        // Both kinds are linked before they run: with the device runtime, or with what is imported.
        let relocatable = launches || !code.imports.is_empty();
        fs::write(&ptx, text).map_err(BuildError::io("write", &ptx))?;
        let wanted = options.cubin && !launches;
        let assembly = Assembly {
            cubin: wanted.then_some(&*cubin),
            debug: options.debug,
            relocatable,
        };
        match assembler::assemble(ptxas, &ptx, &arch, assembly) {
            Ok(mut assembled) => {
                let kernels = code.kernels.iter_mut();
                for kernel in kernels.filter(|it| it.description.launches == launches) {
                    kernel.resources = assembled.kernels.remove(&kernel.description.name);
                }
                code.warnings.append(&mut assembled.losses);
            }
            Err(error) if wanted => return Err(error.into()),
            Err(error) => code.warnings.push(error.to_string()),
        }
    }
    if options.cubin {
        code.cubin = Some(fs::read(&cubin).map_err(BuildError::io("read", &cubin))?);
    }
    Ok(())
}
