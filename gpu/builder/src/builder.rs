//! [`PtxBuilder`]: the options of a build, and the build.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use cargo_metadata::{CrateType, MetadataCommand};
use serde::{Deserialize, Serialize};

use crate::arch::Arch;
use crate::error::{BuildError, OptionError};
use crate::manifest::{Manifest, Module};
use crate::passes::{self, Code, Options};
use crate::toolchain::Toolchain;
use crate::{cargo, fingerprint, llvm};

/// What a build is doing, for those who show it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// `rust-src` is missing and is being added with rustup.
    AddingRustSrc,
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
    /// The last build's files still hold.
    UpToDate,
}

type OnProgress = Box<dyn FnMut(Stage)>;

/// A build of one kernel crate for one or more targets.
pub struct PtxBuilder {
    folder: PathBuf,
    archs: Vec<String>,
    fmad: bool,
    features: Vec<String>,
    out_dir: Option<PathBuf>,
    target_dir: Option<PathBuf>,
    emit_llvm_ir: bool,
    color: Option<bool>,
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
}

/// One target's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleOutput {
    /// The target, as in `sm_80`.
    pub arch: String,
    /// The PTX.
    pub ptx: PathBuf,
    /// [`Module`] as JSON.
    pub manifest: PathBuf,
    /// The optimised LLVM module as text, if it was asked for.
    pub llvm_ir: Option<PathBuf>,
}

/// What is kept between builds, in `<out>/.<crate>.build.json`.
#[derive(Serialize, Deserialize)]
struct Record {
    fingerprint: String,
    manifest: Manifest,
}

impl PtxBuilder {
    /// A build of the kernel crate in `folder`, in or outside this workspace.
    pub fn new(folder: impl Into<PathBuf>) -> PtxBuilder {
        PtxBuilder {
            folder: folder.into(),
            archs: Vec::new(),
            fmad: true,
            features: Vec::new(),
            out_dir: None,
            target_dir: None,
            emit_llvm_ir: false,
            color: None,
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
        self.fmad = fmad;
        self
    }

    /// Switches a cargo feature of the kernel crate on.
    pub fn feature(mut self, feature: impl Into<String>) -> PtxBuilder {
        self.features.push(feature.into());
        self
    }

    /// Where the files go, one folder a target; `target/ptx` of the crate's workspace unless said otherwise.
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

    /// Also writes the optimised LLVM module as `<crate>.ll`.
    pub fn emit_llvm_ir(mut self, emit: bool) -> PtxBuilder {
        self.emit_llvm_ir = emit;
        self
    }

    /// Whether rustc's messages carry terminal colours; unless said otherwise they do when standard error is a terminal.
    pub fn color(mut self, color: bool) -> PtxBuilder {
        self.color = Some(color);
        self
    }

    /// Calls `report` with each stage of the build as it begins.
    pub fn on_progress(mut self, report: impl FnMut(Stage) + 'static) -> PtxBuilder {
        self.on_progress = Box::new(report);
        self
    }

    /// Builds what has changed.
    ///
    /// # Errors
    /// [`BuildError`] says which step failed and what to do.
    pub fn build(mut self) -> Result<Output, BuildError> {
        let archs = self
            .archs
            .iter()
            .map(|arch| arch.parse())
            .collect::<Result<Vec<Arch>, _>>()?;
        let lowest = archs.iter().min().cloned().ok_or(OptionError::NoArch)?;
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
        let out_dir = self
            .out_dir
            .take()
            .unwrap_or_else(|| package.target.join("ptx"));
        let target_dir = self
            .target_dir
            .take()
            .unwrap_or_else(|| package.target.join("ptx-build"));

        (self.on_progress)(Stage::Compiling {
            krate: package.krate.clone(),
        });
        let bitcode = cargo::compile(
            &cargo::Job {
                folder: &folder,
                package: &package.name,
                krate: &package.krate,
                target_dir: &target_dir,
                cpu: &lowest,
                features: &self.features,
                color: self
                    .color
                    .unwrap_or_else(|| std::io::stderr().is_terminal()),
            },
            |line| (self.on_progress)(Stage::Cargo(line.to_owned())),
        )?;

        let files = Files {
            out_dir,
            krate: package.krate,
            llvm_ir: self.emit_llvm_ir,
        };
        let options = (
            &self.archs,
            self.fmad,
            self.emit_llvm_ir,
            &toolchain.version,
        );
        let fingerprint =
            fingerprint::of(&bitcode, &options).map_err(BuildError::io("read", &bitcode))?;
        if let Some(manifest) = files.still_hold(&fingerprint, &self.archs) {
            (self.on_progress)(Stage::UpToDate);
            return Ok(files.output(&self.archs, manifest, false));
        }

        llvm::load(&toolchain.llvm_library()?)?;
        let pending: Vec<_> = archs
            .iter()
            .map(|arch| {
                (self.on_progress)(Stage::Generating {
                    arch: arch.to_string(),
                });
                let options = Options {
                    arch: arch.clone(),
                    fmad: self.fmad,
                };
                let bitcode = bitcode.clone();
                (
                    arch.clone(),
                    llvm::spawn(move || passes::run(&bitcode, &options)),
                )
            })
            .collect();
        let mut modules = Vec::new();
        for (arch, pending) in pending {
            let fatal = |reason| crate::CodegenError::Stage {
                arch: arch.to_string(),
                stage: "LLVM",
                reason,
            };
            let code = pending.wait().map_err(fatal)??;
            modules.push(files.write(&arch.to_string(), self.fmad, code)?);
        }
        let manifest = Manifest {
            krate: files.krate.clone(),
            modules,
        };
        files.record(Record {
            fingerprint,
            manifest: manifest.clone(),
        })?;
        Ok(files.output(&self.archs, manifest, true))
    }
}

/// The kernel crate as cargo sees it.
struct Package {
    name: String,
    krate: String,
    target: PathBuf,
}

impl Package {
    fn find(folder: &Path) -> Result<Package, BuildError> {
        let not_a_kernel_crate = |why: &str| BuildError::NotAKernelCrate {
            path: folder.into(),
            why: why.into(),
        };
        let manifest = folder.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(not_a_kernel_crate("it holds no Cargo.toml"));
        }
        let mut command = MetadataCommand::new();
        command.manifest_path(&manifest).no_deps();
        let metadata = command.exec().map_err(|source| BuildError::Metadata {
            path: folder.into(),
            source,
        })?;
        let package = metadata
            .packages
            .iter()
            .find(|package| package.manifest_path.as_std_path() == manifest)
            .ok_or_else(|| not_a_kernel_crate("its Cargo.toml describes a workspace, not a package; name the package's folder"))?;
        let library = package
            .targets
            .iter()
            .find(|target| {
                target
                    .crate_types
                    .iter()
                    .any(|ty| matches!(ty, CrateType::Lib | CrateType::RLib | CrateType::CDyLib))
            })
            .ok_or_else(|| {
                not_a_kernel_crate("the package has no library; kernels go to src/lib.rs")
            })?;
        Ok(Package {
            name: package.name.to_string(),
            krate: library.name.replace('-', "_"),
            target: metadata.target_directory.clone().into(),
        })
    }
}

/// The files that a build writes.
struct Files {
    out_dir: PathBuf,
    krate: String,
    llvm_ir: bool,
}

impl Files {
    fn of(&self, arch: &str) -> ModuleOutput {
        let folder = self.out_dir.join(arch);
        let file = |extension: &str| folder.join(format!("{}.{extension}", self.krate));
        ModuleOutput {
            arch: arch.to_owned(),
            ptx: file("ptx"),
            manifest: file("json"),
            llvm_ir: self.llvm_ir.then(|| file("ll")),
        }
    }

    fn record_path(&self) -> PathBuf {
        self.out_dir.join(format!(".{}.build.json", self.krate))
    }

    /// The last build's manifest, if its files are there and depend on nothing that changed.
    fn still_hold(&self, fingerprint: &str, archs: &[String]) -> Option<Manifest> {
        let record: Record = serde_json::from_slice(&fs::read(self.record_path()).ok()?).ok()?;
        let all_there = archs.iter().map(|arch| self.of(arch)).all(|module| {
            module.ptx.is_file()
                && module.manifest.is_file()
                && module.llvm_ir.is_none_or(|ir| ir.is_file())
        });
        (record.fingerprint == fingerprint && all_there).then_some(record.manifest)
    }

    fn write(&self, arch: &str, fmad: bool, code: Code) -> Result<Module, BuildError> {
        let paths = self.of(arch);
        let folder = self.out_dir.join(arch);
        fs::create_dir_all(&folder).map_err(BuildError::io("create", &folder))?;
        let module = Module {
            arch: arch.to_owned(),
            ptx: format!("{}.ptx", self.krate),
            fmad,
            kernels: code.kernels,
        };
        write(&paths.ptx, code.ptx.as_bytes())?;
        write(&paths.manifest, &json(&module))?;
        if let Some(path) = &paths.llvm_ir {
            write(path, code.ir.as_bytes())?;
        }
        Ok(module)
    }

    fn record(&self, record: Record) -> Result<(), BuildError> {
        write(&self.record_path(), &json(&record))
    }

    fn output(&self, archs: &[String], manifest: Manifest, rebuilt: bool) -> Output {
        Output {
            modules: archs.iter().map(|arch| self.of(arch)).collect(),
            manifest,
            rebuilt,
        }
    }
}

fn json(value: &impl Serialize) -> Vec<u8> {
    // Our own types: strings for keys, nothing that can fail.
    let mut text = serde_json::to_vec_pretty(value).unwrap_or_default();
    text.push(b'\n');
    text
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    fs::write(path, bytes).map_err(BuildError::io("write", path))
}
