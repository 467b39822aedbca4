//! [`PtxBuilder`]: the options of a build, and the build.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use crate::arch::Arch;
use crate::cache::Cache;
use crate::cargo::package::Package;
use crate::cargo::source_paths::SourcePaths;
use crate::cargo::toolchain::Toolchain;
use crate::cargo::{self, shadow};
use crate::error::{BuildError, OptionError};
use crate::lint::Rule;
use crate::lock::lock;
use crate::manifest::{Floats, Manifest, Panics};
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
    panics: Option<Panics>,
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
    cache: Option<Cache>,
    on_progress: OnProgress,
}

impl PtxBuilder {
    /// Returns a build of the kernel crate in `folder`, which may be inside or
    /// outside this workspace.
    pub fn new(folder: impl Into<PathBuf>) -> PtxBuilder {
        PtxBuilder {
            folder: folder.into(),
            archs: Vec::new(),
            floats: Floats::default(),
            panics: None,
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
            cache: Cache::of_user(),
            on_progress: Box::new(|_| {}),
        }
    }

    /// Adds a target such as `sm_80`. A build needs at least one.
    pub fn arch(mut self, arch: impl Into<String>) -> PtxBuilder {
        self.archs.push(arch.into());
        self
    }

    /// Sets whether `a * b + c` becomes one fused multiply-add. The default is on, as with nvcc.
    pub fn fmad(mut self, fmad: bool) -> PtxBuilder {
        self.floats.fmad = fmad;
        self
    }

    /// Sets how floats are computed. The defaults are those of nvcc.
    /// [`Floats::FAST`] is `-use_fast_math`.
    pub fn floats(mut self, floats: Floats) -> PtxBuilder {
        self.floats = floats;
        self
    }

    /// Sets how a panic is reported. The default is `panic = ".."` of
    /// `[package.metadata.lanewise]` in the kernels' Cargo.toml, and else [`Panics::Record`].
    pub fn panic(mut self, panics: Panics) -> PtxBuilder {
        self.panics = Some(panics);
        self
    }

    /// Makes PTX for a debugger, as nvcc does with `-G`. The kernel crate is not optimised, and
    /// DWARF describes its functions, variables and types. The results are the same except for
    /// `a * b + c`, which is not fused. The code is slow.
    pub fn debug(mut self, debug: bool) -> PtxBuilder {
        self.debug = debug;
        self
    }

    /// Makes PTX with NVIDIA's libNVVM instead of LLVM's own backend. Only sm_100 and later
    /// targets allow this.
    pub fn nvvm(mut self, library: impl Into<PathBuf>) -> PtxBuilder {
        self.nvvm = Some(library.into());
        self
    }

    /// Takes lanewise-std's mathematical functions from NVIDIA's library, which is the file
    /// `libdevice.10.bc` of a CUDA toolkit.
    pub fn libdevice(mut self, path: impl Into<PathBuf>) -> PtxBuilder {
        self.libdevice = Some(path.into());
        self
    }

    /// Switches a cargo feature of the kernel crate on.
    pub fn feature(mut self, feature: impl Into<String>) -> PtxBuilder {
        self.features.push(feature.into());
        self
    }

    /// Sets where the files go, with one folder per target. The default is `target/ptx` of the
    /// crate's workspace, and `target/ptx-debug` for a debugger.
    pub fn out_dir(mut self, dir: impl Into<PathBuf>) -> PtxBuilder {
        self.out_dir = Some(dir.into());
        self
    }

    /// Sets the nested cargo's target folder. The default is `target/ptx-build` of the crate's
    /// workspace. It must not be the target folder of a cargo that waits for this build.
    pub fn target_dir(mut self, dir: impl Into<PathBuf>) -> PtxBuilder {
        self.target_dir = Some(dir.into());
        self
    }

    /// Switches on these features and no others. The names are those that cargo gives build
    /// scripts: `MY_FEATURE` for `my-feature`.
    pub(crate) fn features_of_script(mut self, names: Vec<String>) -> PtxBuilder {
        self.features = names;
        self.default_features = false;
        self
    }

    /// Sets the folder of the files that the kernels include from `OUT_DIR`.
    pub(crate) fn generated(mut self, dir: impl Into<PathBuf>) -> PtxBuilder {
        self.generated = Some(dir.into());
        self
    }

    /// Returns whether at least one target was given.
    pub(crate) fn has_arch(&self) -> bool {
        !self.archs.is_empty()
    }

    /// Writes another output besides the PTX.
    pub fn emit(mut self, emit: Emit) -> PtxBuilder {
        self.emit.push(emit);
        self
    }

    /// Accepts PTX that breaks this rule, for kernels that break it on purpose.
    pub fn allow(mut self, rule: Rule) -> PtxBuilder {
        self.allowed.push(rule);
        self
    }

    /// Links the kernels with a file of device code from another compiler: PTX, a cubin, a fatbin,
    /// an object, a library or LTO-IR, as nvcc makes them with `-rdc=true`. The kernels declare its
    /// functions in `#[device] unsafe extern "C" { .. }`. The path is relative to the kernel
    /// crate's folder. A build script embeds the file, and the module is linked when it is first
    /// loaded. It is better to name files that the kernels always need in their Cargo.toml, where
    /// commands find them too: `[package.metadata.lanewise]` `link = ["foreign/norm.ptx"]`.
    pub fn link(mut self, file: impl Into<PathBuf>) -> PtxBuilder {
        self.linked.push(file.into());
        self
    }

    /// Sets whether rustc's messages have terminal colours. By default they do if standard error
    /// is a terminal.
    pub fn color(mut self, color: bool) -> PtxBuilder {
        self.color = Some(color);
        self
    }

    /// Assembles each module with NVIDIA's ptxas. The manifest then contains what each kernel
    /// needs, and [`Emit::Cubin`] is allowed. If ptxas does not accept the PTX, this is a warning,
    /// or an error if a cubin is wanted.
    pub fn assembler(mut self, ptxas: impl Into<PathBuf>) -> PtxBuilder {
        self.assembler = Some(ptxas.into());
        self
    }

    /// Sets where the code of earlier builds is kept, or that none is. The default is
    /// [`Cache::of_user`].
    pub fn cache(mut self, cache: Option<Cache>) -> PtxBuilder {
        self.cache = cache;
        self
    }

    /// Calls `report` with each stage of the build when the stage begins.
    pub fn on_progress(mut self, report: impl FnMut(Stage) + 'static) -> PtxBuilder {
        self.on_progress = Box::new(report);
        self
    }

    /// Builds what has changed. Builds that share a target folder wait for each other's rustc.
    /// Debugger builds wait only for debugger builds there, and the others only for the others.
    /// Builds that share an output folder wait until the whole other build ends.
    ///
    /// # Errors
    /// [`BuildError`] contains the step that failed and what to do.
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
        if let Some(warning) = toolchain.warning() {
            (self.on_progress)(Stage::Warning(warning));
        }
        let package = Package::find(&folder)?;
        let linked = self.linked_code(&folder, &package)?;
        let paths = SourcePaths::new(&package.root, &toolchain);
        let compiled = self.compile(&folder, &package, &paths)?;

        let out_dir = self.out_dir.take().unwrap_or_else(|| {
            package
                .target
                .join(if self.debug { "ptx-debug" } else { "ptx" })
        });
        let _writing = lock(&out_dir, || (self.on_progress)(Stage::Waiting))?;
        let (path, module) = (package.path(), package.path_on_host());
        let panics = self.panics.or(package.panics).unwrap_or_default();
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
            panics,
            debug: self.debug,
            libdevice: self.libdevice.as_deref(),
            nvvm: self.nvvm.as_deref(),
            assembler: self.assembler.as_deref(),
            cache: self.cache.as_ref(),
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

    /// Returns the targets after a check that the options fit each other.
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

    /// Returns the files that the kernels are linked with: those from the package's manifest and
    /// those from the options.
    fn linked_code(&self, folder: &Path, package: &Package) -> Result<Vec<PathBuf>, BuildError> {
        let named = package.link.iter().chain(&self.linked);
        let linked: Vec<PathBuf> = named.map(|path| folder.join(path)).collect();
        match linked.iter().find(|path| !path.is_file()) {
            Some(path) => Err(OptionError::NoSuchCode { path: path.clone() }.into()),
            None => Ok(linked),
        }
    }

    /// Compiles the kernels to bitcode with the nested cargo. Other builds with the same target
    /// folder wait until the bitcode is read. Then they compile while LLVM works on this one.
    fn compile(
        &mut self,
        folder: &Path,
        package: &Package,
        paths: &SourcePaths,
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
        // A build script and a command share one build if their features come to the same set.
        self.default_features &= package.described.features.contains_key("default");
        self.features.sort();
        self.features.dedup();
        let manifest = {
            // Debugger builds and other builds use the same manifests.
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
