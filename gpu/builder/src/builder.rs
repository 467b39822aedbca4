//! [`PtxBuilder`]: the options of a build, and the build.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::arch::Arch;
use crate::cargo::package::Package;
use crate::cargo::source_paths::SourcePaths;
use crate::cargo::toolchain::Toolchain;
use crate::cargo::{self, shadow};
use crate::error::{BuildError, OptionError};
use crate::lint::Rule;
use crate::lock::lock;
use crate::manifest::{Floats, Manifest};
use crate::nvvm;
use crate::output::{Emit, Output, Stage};
use crate::targets::Targets;
use crate::targets::files::Files;

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
    default_features: bool,
    out_dir: Option<PathBuf>,
    target_dir: Option<PathBuf>,
    generated: Option<PathBuf>,
    emit: Vec<Emit>,
    allowed: Vec<Rule>,
    linked: Vec<PathBuf>,
    color: Option<bool>,
    assembler: Option<PathBuf>,
    on_progress: OnProgress,
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
            default_features: true,
            out_dir: None,
            target_dir: None,
            generated: None,
            emit: Vec::new(),
            allowed: Vec::new(),
            linked: Vec::new(),
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

    /// How floats are computed with; nvcc's defaults unless said otherwise. [`Floats::FAST`] is
    /// `-use_fast_math`.
    pub fn floats(mut self, floats: Floats) -> PtxBuilder {
        self.floats = floats;
        self
    }

    /// Makes PTX for a debugger, as nvcc does with `-G`: the kernel crate is not optimised, and
    /// DWARF describes its functions, variables and types. It computes the same but for
    /// `a * b + c`, which is not fused, and slowly.
    pub fn debug(mut self, debug: bool) -> PtxBuilder {
        self.debug = debug;
        self
    }

    /// Makes PTX with NVIDIA's libNVVM in place of LLVM's own backend; for sm_100 and later.
    pub fn nvvm(mut self, library: impl Into<PathBuf>) -> PtxBuilder {
        self.nvvm = Some(library.into());
        self
    }

    /// Takes lanewise-std's mathematical functions from NVIDIA's library, `libdevice.10.bc` of a
    /// CUDA toolkit.
    pub fn libdevice(mut self, path: impl Into<PathBuf>) -> PtxBuilder {
        self.libdevice = Some(path.into());
        self
    }

    /// Switches a cargo feature of the kernel crate on.
    pub fn feature(mut self, feature: impl Into<String>) -> PtxBuilder {
        self.features.push(feature.into());
        self
    }

    /// Where the files go, one folder a target; `target/ptx` of the crate's workspace unless said
    /// otherwise, `target/ptx-debug` for a debugger.
    pub fn out_dir(mut self, dir: impl Into<PathBuf>) -> PtxBuilder {
        self.out_dir = Some(dir.into());
        self
    }

    /// The nested cargo's target folder; `target/ptx-build` of the crate's workspace unless said
    /// otherwise. It must not be that of a cargo which waits for this build.
    pub fn target_dir(mut self, dir: impl Into<PathBuf>) -> PtxBuilder {
        self.target_dir = Some(dir.into());
        self
    }

    /// Switches on these features and no others, named as cargo tells build scripts of them:
    /// `MY_FEATURE` for `my-feature`.
    pub(crate) fn features_of_script(mut self, names: Vec<String>) -> PtxBuilder {
        self.features = names;
        self.default_features = false;
        self
    }

    /// What the kernels include from `OUT_DIR` is in this folder.
    pub(crate) fn generated(mut self, dir: impl Into<PathBuf>) -> PtxBuilder {
        self.generated = Some(dir.into());
        self
    }

    /// Whether a target was asked for.
    pub(crate) fn has_arch(&self) -> bool {
        !self.archs.is_empty()
    }

    /// Has the build write something besides the PTX.
    pub fn emit(mut self, emit: Emit) -> PtxBuilder {
        self.emit.push(emit);
        self
    }

    /// Lets PTX through that breaks a promise, for kernels that mean it.
    pub fn allow(mut self, rule: Rule) -> PtxBuilder {
        self.allowed.push(rule);
        self
    }

    /// Has the kernels linked with a file of device code of other origin: PTX, a cubin, a fatbin,
    /// an object, a library or LTO-IR, as nvcc makes them with `-rdc=true`. The kernels declare its
    /// functions in `#[device] unsafe extern "C" { .. }`. The path is seen from the kernel crate's
    /// folder. A build script embeds the file; the module is linked when it is first loaded. Files
    /// that the kernels always need are better named in their Cargo.toml, where commands see them
    /// too: `[package.metadata.lanewise]` `link = ["foreign/norm.ptx"]`.
    pub fn link(mut self, file: impl Into<PathBuf>) -> PtxBuilder {
        self.linked.push(file.into());
        self
    }

    /// Whether rustc's messages carry terminal colours; unless said otherwise they do when standard
    /// error is a terminal.
    pub fn color(mut self, color: bool) -> PtxBuilder {
        self.color = Some(color);
        self
    }

    /// Has NVIDIA's ptxas assemble each module, so that the manifest says what each kernel needs,
    /// and [`Emit::Cubin`] can be asked for. A ptxas that does not take the PTX is a warning,
    /// unless a cubin is wanted.
    pub fn assembler(mut self, ptxas: impl Into<PathBuf>) -> PtxBuilder {
        self.assembler = Some(ptxas.into());
        self
    }

    /// Calls `report` with each stage of the build as it begins.
    pub fn on_progress(mut self, report: impl FnMut(Stage) + 'static) -> PtxBuilder {
        self.on_progress = Box::new(report);
        self
    }

    /// Builds what has changed. Builds that share a target folder wait for each other's rustc
    /// (those for a debugger for one another, and the others), those that share an output folder
    /// for the whole of each other.
    ///
    /// # Errors
    /// [`BuildError`] says which step failed and what to do.
    pub fn build(mut self) -> Result<Output, BuildError> {
        let archs = self.checked_archs()?;
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
        let linked = self.linked_code(&folder, &package)?;
        let paths = Arc::new(SourcePaths::new(&package.root, &toolchain));
        let compiled = self.compile(&folder, &package, &paths)?;

        let out_dir = self.out_dir.take().unwrap_or_else(|| {
            package
                .target
                .join(if self.debug { "ptx-debug" } else { "ptx" })
        });
        let _writing = lock(&out_dir, || (self.on_progress)(Stage::Waiting))?;
        let (path, module) = (package.path(), package.path_on_host());
        self.emit.sort();
        let files = Files {
            out_dir,
            krate: package.krate,
            emit: self.emit.clone(),
        };
        let targets = Targets {
            path: &path,
            bitcode: &compiled.bitcode,
            files: &files,
            toolchain: &toolchain,
            paths: &paths,
            floats: self.floats,
            debug: self.debug,
            libdevice: self.libdevice.as_deref(),
            nvvm: self.nvvm.as_deref(),
            assembler: self.assembler.as_deref(),
            allowed: &self.allowed,
        };
        let (modules, rebuilt) = targets.make(&archs, &mut self.on_progress)?;
        Ok(Output {
            module,
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
            linked,
        })
    }

    /// The targets, once it is known that the options fit each other.
    fn checked_archs(&self) -> Result<Vec<Arch>, BuildError> {
        let archs = self
            .archs
            .iter()
            .map(|arch| arch.parse())
            .collect::<Result<Vec<Arch>, _>>()?;
        if archs.is_empty() {
            return Err(OptionError::NoArch.into());
        }
        if let Some(library) = &self.nvvm {
            let too_old = |arch: &&Arch| arch.capability() < nvvm::FIRST;
            if let Some(arch) = archs.iter().find(too_old) {
                let arch = arch.to_string();
                return Err(OptionError::NvvmArch { arch }.into());
            }
            if self.debug {
                return Err(OptionError::NvvmDebug.into());
            }
            nvvm::check(library)?;
        }
        if self.emit.contains(&Emit::Cubin) && self.assembler.is_none() {
            return Err(OptionError::NoAssembler.into());
        }
        Ok(archs)
    }

    /// The files that the kernels are linked with: those of the package's manifest and of the
    /// options.
    fn linked_code(&self, folder: &Path, package: &Package) -> Result<Vec<PathBuf>, BuildError> {
        let named = package.link.iter().chain(&self.linked);
        let linked: Vec<PathBuf> = named.map(|path| folder.join(path)).collect();
        match linked.iter().find(|path| !path.is_file()) {
            Some(path) => Err(OptionError::NoSuchCode { path: path.clone() }.into()),
            None => Ok(linked),
        }
    }

    /// The kernels as bitcode, by the nested cargo. Other builds with the same target folder wait
    /// until it is read; then they compile while LLVM works on this one.
    fn compile(
        &mut self,
        folder: &Path,
        package: &Package,
        paths: &Arc<SourcePaths>,
    ) -> Result<cargo::Compiled, BuildError> {
        let target_dir = self
            .target_dir
            .take()
            .unwrap_or_else(|| package.target.join("ptx-build"));
        let output = cargo::output(&target_dir, self.debug);
        let _compiling = lock(&output, || (self.on_progress)(Stage::Waiting))?;
        (self.on_progress)(Stage::Compiling {
            krate: package.krate.clone(),
        });
        if !self.default_features {
            let is_on = |feature: &&String| {
                let told = feature.replace('-', "_").to_uppercase();
                self.features.contains(&told)
            };
            let declared = package.described.features.keys();
            self.features = declared.filter(is_on).cloned().collect();
        }
        // A build script's choice and a command's are one build where they come to the same.
        self.default_features &= package.described.features.contains_key("default");
        self.features.sort();
        self.features.dedup();
        let manifest = {
            // Those for a debugger and the others are compiled by the same manifests.
            let _writing = lock(&target_dir, || {})?;
            shadow::write(package, &self.features, self.default_features, &target_dir)?
        };
        let job = cargo::Job {
            folder,
            package,
            manifest: &manifest,
            generated: self.generated.as_deref(),
            paths,
            target_dir: &target_dir,
            features: &self.features,
            default_features: self.default_features,
            color: self
                .color
                .unwrap_or_else(|| std::io::stderr().is_terminal()),
            debug: self.debug,
        };
        cargo::compile(&job, |line| {
            (self.on_progress)(Stage::Cargo(line.to_owned()))
        })
    }
}
