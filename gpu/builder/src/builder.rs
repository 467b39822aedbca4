//! [`PtxBuilder`]: the options of a build, and the build.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::arch::Arch;
use crate::assembler::Assembly;
use crate::dump::Dump;
use crate::error::{BuildError, CodegenError, OptionError};
use crate::files::Files;
use crate::fingerprint::{self, Inputs};
use crate::lint::{LintError, Rule};
use crate::manifest::{Floats, Manifest, Module};
use crate::package::Package;
use crate::passes::{self, Code, Options};
use crate::source_paths::SourcePaths;
use crate::toolchain::Toolchain;
use crate::{assembler, cargo, llvm, nvvm};

/// What a build is doing, for those who show it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// `rust-src` is missing and is being added with rustup.
    AddingRustSrc,
    /// Another build uses the target folder; this one waits for it.
    Waiting,
    /// rustc compiles the kernel crate.
    Compiling {
        /// The crate.
        krate: String,
    },
    /// A line that cargo or rustc wrote for people: progress, a warning, an error.
    Cargo(String),
    /// LLVM makes PTX for a target.
    Generating {
        /// The target.
        arch: String,
    },
    /// A target's files of the last build still hold.
    UpToDate {
        /// The target.
        arch: String,
    },
    /// The kernels do something that is allowed and may yet surprise.
    Warning(String),
}

/// What can be written besides PTX and the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Emit {
    /// The optimised LLVM module as text, `<crate>.ll`.
    LlvmIr,
    /// The optimised LLVM module as bitcode, `<crate>.bc`.
    Bitcode,
    /// Machine code, `<crate>.cubin`; it needs [`PtxBuilder::assembler`].
    Cubin,
}

type OnProgress = Box<dyn FnMut(Stage)>;

/// A build of one kernel crate for one or more targets.
pub struct PtxBuilder {
    folder: PathBuf,
    archs: Vec<String>,
    floats: Floats,
    debug: bool,
    libdevice: Option<PathBuf>,
    nvvm: Option<PathBuf>,
    features: Vec<String>,
    out_dir: Option<PathBuf>,
    target_dir: Option<PathBuf>,
    emit: Vec<Emit>,
    allowed: Vec<Rule>,
    color: Option<bool>,
    assembler: Option<PathBuf>,
    on_progress: OnProgress,
}

/// What a build left.
#[derive(Clone, Debug)]
pub struct Output {
    /// One module a target, in the order in which they were asked for.
    pub modules: Vec<ModuleOutput>,
    /// What the modules hold.
    pub manifest: Manifest,
    /// Whether anything was built; `false` means that the last build's files still held.
    pub rebuilt: bool,
    /// The source files of the kernel crate and of those that it depends on by path: what a build script that calls this
    /// names in `cargo::rerun-if-changed`.
    pub sources: Vec<PathBuf>,
}

/// One target's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleOutput {
    /// The target, as in `sm_80`.
    pub arch: String,
    /// The PTX.
    pub ptx: PathBuf,
    /// That of the kernels that launch kernels, if there are any. It has to be linked with NVIDIA's device runtime.
    pub launching_ptx: Option<PathBuf>,
    /// [`Module`] as JSON.
    pub manifest: PathBuf,
    /// The optimised LLVM module as text, if it was asked for.
    pub llvm_ir: Option<PathBuf>,
    /// The optimised LLVM module as bitcode, if it was asked for.
    pub bitcode: Option<PathBuf>,
    /// The machine code, if it was asked for.
    pub cubin: Option<PathBuf>,
}

impl PtxBuilder {
    /// A build of the kernel crate in `folder`, in or outside this workspace.
    pub fn new(folder: impl Into<PathBuf>) -> PtxBuilder {
        PtxBuilder {
            folder: folder.into(),
            archs: Vec::new(),
            floats: Floats::default(),
            debug: false,
            libdevice: None,
            nvvm: None,
            features: Vec::new(),
            out_dir: None,
            target_dir: None,
            emit: Vec::new(),
            allowed: Vec::new(),
            color: None,
            assembler: None,
            on_progress: Box::new(|_| {}),
        }
    }

    /// Adds a target, as in `sm_80`. At least one is needed.
    pub fn arch(mut self, arch: impl Into<String>) -> PtxBuilder {
        self.archs.push(arch.into());
        self
    }

    /// Whether `a * b + c` becomes one fused multiply-add; on, as with nvcc, unless said otherwise.
    pub fn fmad(mut self, fmad: bool) -> PtxBuilder {
        self.floats.fmad = fmad;
        self
    }

    /// How floats are computed with; nvcc's defaults unless said otherwise. [`Floats::FAST`] is `-use_fast_math`.
    pub fn floats(mut self, floats: Floats) -> PtxBuilder {
        self.floats = floats;
        self
    }

    /// Makes PTX for a debugger, as nvcc does with `-G`: the kernel crate is not optimised, and DWARF describes its functions,
    /// variables and types. It computes the same but for `a * b + c`, which is not fused, and slowly.
    pub fn debug(mut self, debug: bool) -> PtxBuilder {
        self.debug = debug;
        self
    }

    /// Makes PTX with NVIDIA's libNVVM in place of LLVM's own backend; for sm_100 and later.
    pub fn nvvm(mut self, library: impl Into<PathBuf>) -> PtxBuilder {
        self.nvvm = Some(library.into());
        self
    }

    /// Takes gpu-std's mathematical functions from NVIDIA's library, `libdevice.10.bc` of a CUDA toolkit.
    pub fn libdevice(mut self, path: impl Into<PathBuf>) -> PtxBuilder {
        self.libdevice = Some(path.into());
        self
    }

    /// Switches a cargo feature of the kernel crate on.
    pub fn feature(mut self, feature: impl Into<String>) -> PtxBuilder {
        self.features.push(feature.into());
        self
    }

    /// Where the files go, one folder a target; `target/ptx` of the crate's workspace unless said otherwise,
    /// `target/ptx-debug` for a debugger.
    pub fn out_dir(mut self, dir: impl Into<PathBuf>) -> PtxBuilder {
        self.out_dir = Some(dir.into());
        self
    }

    /// The nested cargo's target folder; `target/ptx-build` of the crate's workspace unless said otherwise. It must not
    /// be that of a cargo which waits for this build.
    pub fn target_dir(mut self, dir: impl Into<PathBuf>) -> PtxBuilder {
        self.target_dir = Some(dir.into());
        self
    }

    /// Writes something besides PTX.
    pub fn emit(mut self, emit: Emit) -> PtxBuilder {
        self.emit.push(emit);
        self
    }

    /// Lets PTX through that breaks a promise, for kernels that mean it.
    pub fn allow(mut self, rule: Rule) -> PtxBuilder {
        self.allowed.push(rule);
        self
    }

    /// Whether rustc's messages carry terminal colours; unless said otherwise they do when standard error is a terminal.
    pub fn color(mut self, color: bool) -> PtxBuilder {
        self.color = Some(color);
        self
    }

    /// Has NVIDIA's ptxas assemble each module, so that the manifest says what each kernel needs, and
    /// [`Emit::Cubin`] can be asked for. A ptxas that does not take the PTX is a warning, unless a cubin is wanted.
    pub fn assembler(mut self, ptxas: impl Into<PathBuf>) -> PtxBuilder {
        self.assembler = Some(ptxas.into());
        self
    }

    /// Calls `report` with each stage of the build as it begins.
    pub fn on_progress(mut self, report: impl FnMut(Stage) + 'static) -> PtxBuilder {
        self.on_progress = Box::new(report);
        self
    }

    /// Builds what has changed. Builds that share a target folder wait for each other.
    ///
    /// # Errors
    /// [`BuildError`] says which step failed and what to do.
    pub fn build(mut self) -> Result<Output, BuildError> {
        let archs = self
            .archs
            .iter()
            .map(|arch| arch.parse())
            .collect::<Result<Vec<Arch>, _>>()?;
        if archs.is_empty() {
            return Err(OptionError::NoArch.into());
        }
        if let (Some(_), Some(arch)) = (
            &self.nvvm,
            archs.iter().find(|arch| arch.capability() < nvvm::FIRST),
        ) {
            return Err(OptionError::NvvmArch {
                arch: arch.to_string(),
            }
            .into());
        }
        if self.nvvm.is_some() && self.debug {
            return Err(OptionError::NvvmDebug.into());
        }
        if self.emit.contains(&Emit::Cubin) && self.assembler.is_none() {
            return Err(OptionError::NoAssembler.into());
        }
        let folder = self
            .folder
            .canonicalize()
            .map_err(BuildError::io("read", &self.folder))?;
        let toolchain = Toolchain::find(&folder)?;
        if !toolchain.has_rust_src() {
            (self.on_progress)(Stage::AddingRustSrc);
            toolchain.add_rust_src(&folder)?;
        }
        let package = Package::find(&folder)?;
        let out_dir = self.out_dir.take().unwrap_or_else(|| {
            package
                .target
                .join(if self.debug { "ptx-debug" } else { "ptx" })
        });
        let target_dir = self
            .target_dir
            .take()
            .unwrap_or_else(|| package.target.join("ptx-build"));
        let _lock = lock(&target_dir, || (self.on_progress)(Stage::Waiting))?;

        (self.on_progress)(Stage::Compiling {
            krate: package.krate.clone(),
        });
        let paths = Arc::new(SourcePaths::new(&package.root, &toolchain));
        let job = cargo::Job {
            folder: &folder,
            package: &package,
            paths: &paths,
            target_dir: &target_dir,
            features: &self.features,
            color: self
                .color
                .unwrap_or_else(|| std::io::stderr().is_terminal()),
            debug: self.debug,
        };
        let compiled = cargo::compile(&job, |line| {
            (self.on_progress)(Stage::Cargo(line.to_owned()))
        })?;

        self.emit.sort();
        let files = Files {
            out_dir,
            krate: package.krate,
            emit: self.emit.clone(),
        };
        let (modules, rebuilt) =
            self.generate(&archs, &compiled.bitcode, &files, &toolchain, &paths)?;
        Ok(Output {
            modules: modules
                .iter()
                .map(|module| files.of(&module.arch, module.launching_ptx.is_some()))
                .collect(),
            manifest: Manifest {
                krate: files.krate,
                modules,
            },
            rebuilt,
            sources: compiled.sources,
        })
    }

    /// Makes PTX for the targets whose files no longer hold, all at once; whether there was one.
    fn generate(
        &mut self,
        archs: &[Arch],
        bitcode: &Path,
        files: &Files,
        toolchain: &Toolchain,
        paths: &Arc<SourcePaths>,
    ) -> Result<(Vec<Module>, bool), BuildError> {
        let bytes = fs::read(bitcode).map_err(BuildError::io("read", bitcode))?;
        let assembler = self.assembler.take().map(|ptxas| {
            let version = assembler::version(&ptxas);
            (ptxas, version)
        });
        let mut started = Vec::new();
        for arch in archs {
            let inputs = Inputs {
                arch,
                floats: self.floats,
                debug: self.debug,
                libdevice: &self.libdevice,
                nvvm: &self.nvvm,
                emit: &files.emit,
                assembler: &assembler,
                toolchain: &toolchain.version,
            };
            let fingerprint = fingerprint::inputs(&bytes, &inputs);
            let name = arch.to_string();
            // A dump is asked for to be looked at, so it is written even when nothing changed.
            let held = if Dump::is_wanted() {
                None
            } else {
                files.still_hold(&name, &fingerprint)
            };
            if let Some(module) = held {
                (self.on_progress)(Stage::UpToDate { arch: name });
                started.push(Work::Held(module));
            } else {
                llvm::load(&toolchain.llvm_library()?)?;
                (self.on_progress)(Stage::Generating { arch: name.clone() });
                let options = Options {
                    arch: arch.clone(),
                    floats: self.floats,
                    debug: self.debug,
                    libdevice: self.libdevice.clone(),
                    nvvm: self.nvvm.clone(),
                    llvm_ir: files.emit.contains(&Emit::LlvmIr),
                    bitcode: files.emit.contains(&Emit::Bitcode),
                    cubin: files.emit.contains(&Emit::Cubin),
                    assembler: assembler.as_ref().map(|(ptxas, _)| ptxas.clone()),
                    paths: paths.clone(),
                };
                let path = bitcode.to_owned();
                let code = llvm::spawn(move || {
                    let mut code = passes::run(&path, &options)?;
                    assemble(&mut code, &options)?;
                    Ok(code)
                });
                started.push(Work::Running {
                    arch: name,
                    fingerprint,
                    code,
                });
            }
        }

        let mut modules = Vec::new();
        let mut warnings = BTreeSet::new();
        let mut rebuilt = false;
        for work in started {
            let module = match work {
                Work::Held(module) => module,
                Work::Running {
                    arch,
                    fingerprint,
                    code,
                } => {
                    rebuilt = true;
                    let fatal = |fatal: llvm::Fatal| match fatal.intrinsic {
                        Some((intrinsic, place)) => CodegenError::TargetLacks {
                            arch: arch.clone(),
                            intrinsic,
                            place,
                        },
                        None => CodegenError::Stage {
                            arch: arch.clone(),
                            stage: "LLVM",
                            reason: fatal.reason,
                        },
                    };
                    let code = code.wait().map_err(fatal)??;
                    self.check(&arch, &code)?;
                    let ptx = format!("{}.ptx", files.krate);
                    let mut module = Module {
                        arch,
                        ptx,
                        launching_ptx: code
                            .launching_ptx
                            .as_ref()
                            .map(|_| format!("{}.launching.ptx", files.krate)),
                        floats: self.floats,
                        debug: self.debug,
                        kernels: code.kernels.clone(),
                        warnings: code.warnings.clone(),
                    };
                    files.write(&mut module, fingerprint, &code)?;
                    module
                }
            };
            warnings.extend(module.warnings.iter().cloned());
            modules.push(module);
        }
        for warning in warnings {
            (self.on_progress)(Stage::Warning(warning));
        }
        Ok((modules, rebuilt))
    }

    /// Refuses PTX that breaks a promise.
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

/// Has ptxas assemble the PTX, where there is one.
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
    for (text, relocatable) in parts.into_iter().zip([false, true]) {
        let Some(text) = text else { continue };
        fs::write(&ptx, text).map_err(BuildError::io("write", &ptx))?;
        let wanted = options.cubin && !relocatable;
        let assembly = Assembly {
            cubin: wanted.then_some(&*cubin),
            debug: options.debug,
            relocatable,
        };
        match assembler::assemble(ptxas, &ptx, &arch, assembly) {
            Ok(mut resources) => {
                let assembled = code.kernels.iter_mut();
                for kernel in assembled.filter(|it| it.description.launches == relocatable) {
                    kernel.resources = resources.remove(&kernel.description.name);
                }
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

/// A target's part of a build.
enum Work {
    /// The last build's files still hold.
    Held(Module),
    /// LLVM is at it.
    Running {
        arch: String,
        fingerprint: String,
        code: llvm::Pending<Result<Code, BuildError>>,
    },
}

/// Keeps other builds out of the target folder until the file is dropped; calls `wait` if one is there.
fn lock(target_dir: &Path, wait: impl FnOnce()) -> Result<File, BuildError> {
    fs::create_dir_all(target_dir).map_err(BuildError::io("create", target_dir))?;
    let path = target_dir.join(".ptx-builder-lock");
    let file = File::create(&path).map_err(BuildError::io("create", &path))?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        wait();
    }
    // For a lock that is held already this changes nothing; an error of the first try comes again.
    file.lock().map_err(BuildError::io("lock", &path))?;
    Ok(file)
}
