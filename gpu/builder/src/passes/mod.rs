//! The passes over the bitcode, one file for each pass. [`run_on`] calls them in order.
//!
//! | folder | what its passes are about |
//! | --- | --- |
//! | `contents` | which kernels, statics and functions the module keeps, and under which names |
//! | `floats` | mathematical functions, precision, fused operations |
//! | `synchronization` | barriers that must not be copied or moved, scopes of atomics |
//! | `memory` | address spaces of variables, sizes of shared memory, copies of whole values |
//! | `refused` | what the GPU cannot run |
//! | `code` | the target, LLVM's optimisation, and PTX |

pub(crate) mod code;
pub(crate) mod contents;
pub(crate) mod floats;
pub(crate) mod memory;
pub(crate) mod refused;
pub(crate) mod synchronization;

use std::mem::ManuallyDrop;
use std::path::PathBuf;

use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::TargetMachine;
use inkwell::values::FunctionValue;
use serde::{Deserialize, Serialize};

use crate::arch::Arch;
use crate::cargo::Bitcode;
use crate::cargo::source_paths::SourcePaths;
use crate::dump::Dump;
use crate::error::CodegenError;
use crate::lint::{self, Finding, Rule};
use crate::llvm::{self, Diagnostics};
use crate::manifest::{Description, Floats, Kernel, Panics, Static};
use code::range_checks::CopiedBarriers;
use contents::launching::ModuleRole;

/// The options of the passes.
#[derive(Clone, Debug, Hash, Serialize, Deserialize)]
pub(crate) struct Options {
    /// The Rust module with the kernels. It distinguishes their symbols from those of other crates.
    pub(crate) path: String,
    /// The target that was built for, such as `sm_90`.
    pub(crate) arch: Arch,
    /// How floats are computed.
    pub(crate) floats: Floats,
    /// How a panic is reported.
    pub(crate) panics: Panics,
    /// Whether it is for a debugger: nothing optimised, every variable described.
    pub(crate) debug: bool,
    /// NVIDIA's library of mathematical functions, which replaces lanewise-std's functions.
    pub(crate) libdevice: Option<PathBuf>,
    /// NVIDIA's library of code generation, which replaces LLVM's.
    pub(crate) nvvm: Option<PathBuf>,
    /// Whether the optimised module is also written as text.
    pub(crate) llvm_ir: bool,
    /// Whether the optimised module is also written as bitcode.
    pub(crate) bitcode: bool,
    /// Whether machine code is also written.
    pub(crate) cubin: bool,
    /// NVIDIA's assembler, `ptxas`, if it was found.
    pub(crate) assembler: Option<PathBuf>,
    /// Which source files belong to libraries.
    pub(crate) paths: SourcePaths,
    /// The only kernel to compile, in the search for the kernel that LLVM crashes on. `None`
    /// compiles all of them.
    pub(crate) only: Option<String>,
}

/// A finished module of one target.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Code {
    /// The PTX text.
    pub(crate) ptx: String,
    /// The PTX text of the kernels that launch kernels, if there are any.
    pub(crate) launching_ptx: Option<String>,
    /// The module just before code generation, as text, if it was requested.
    pub(crate) ir: String,
    /// The same module as bitcode, if it was requested.
    pub(crate) bitcode: Vec<u8>,
    /// The machine code, if it was requested.
    pub(crate) cubin: Option<Vec<u8>>,
    /// Its kernels by name.
    pub(crate) kernels: Vec<Kernel>,
    /// Its statics by name.
    pub(crate) statics: Vec<Static>,
    /// The statics that only kernels see and may write.
    pub(crate) hidden: Vec<String>,
    /// The functions that other modules may call.
    pub(crate) exports: Vec<String>,
    /// The functions of other modules that it calls.
    pub(crate) imports: Vec<String>,
    /// Rules that the PTX breaks.
    pub(crate) findings: Vec<Finding>,
    /// Warnings about what is allowed but may surprise.
    pub(crate) warnings: Vec<String>,
}

/// Runs every pass on the bitcode.
pub(crate) fn run(bitcode: &Bitcode, options: &Options) -> Result<Code, CodegenError> {
    // What LLVM made is never taken apart: the process ends soon, and this would take longer.
    let context: &Context = Box::leak(Box::new(Context::create()));
    let diagnostics = Diagnostics::collect(context);
    let unreadable = |reason: String| CodegenError::Bitcode {
        path: bitcode.path.clone(),
        reason,
    };
    let parts = |part| {
        let module = llvm::read(context, &bitcode.bytes).map_err(|error| {
            unreadable(diagnostics.errors().unwrap_or_else(|| error.to_string()))
        })?;
        let module = ManuallyDrop::new(module);
        run_on(&module, options, part)
    };
    let code = parts(ModuleRole::Plain).and_then(|(code, others)| {
        if others {
            let (launching, _) = parts(ModuleRole::Launching)?;
            Ok(code.with_launching(launching))
        } else {
            Ok(code)
        }
    });
    // A diagnostic has more details than the stage that failed because of it, and some stages
    // do not fail.
    match diagnostics.errors() {
        Some(reason) => Err(options.failed("code generation", reason)),
        None => code,
    }
}

/// Makes the code of one module, and returns whether the other module has kernels.
fn run_on(
    module: &Module<'_>,
    options: &Options,
    part: ModuleRole,
) -> Result<(Code, bool), CodegenError> {
    let mut dump = Dump::from_env(&match part {
        ModuleRole::Plain => options.arch.to_string(),
        ModuleRole::Launching => format!("{}-launching", options.arch),
    });
    let mut ptx_version = options.arch.ptx_feature();
    let mut machine = code::target::machine(options, ptx_version)?;
    dump.module("input", module);

    llvm::at_stage("the passes before optimisation");
    let described = contents::descriptions::take(module, &options.paths)?;
    let contents::symbols::Named {
        kernels: descriptions,
        statics,
        crossing,
    } = contents::symbols::set(module, &options.path, described);
    llvm::has_kernels(descriptions.iter().map(|it| {
        let place = format!("{}:{}", it.file, it.line);
        (it.name.clone(), place)
    }));
    let others = descriptions
        .iter()
        .any(|it| !part.has(&it.name, &descriptions));
    floats::math_library::choose(module, options)?;
    code::panics::choose(module, options.panics);
    let asked = floats::precision::take(module);
    let exports = &crossing.exports;
    contents::entry_points::keep(module, &descriptions, exports, options, part, &machine)?;
    dump.module("entry-points", module);

    if refused::parameters::are_large(module, &descriptions, &machine, &options.paths)? {
        ptx_version = options.arch.ptx_feature_for_large_parameters();
        machine = code::target::machine(options, ptx_version)?;
    }
    contents::runtime_library::link(module, options)?;
    synchronization::convergent::mark(module);
    dump.module("convergent", module);

    memory::shared_memory::place(module, &options.paths)?;
    memory::constant_memory::place(module);
    synchronization::atomic_scope::set(module);
    dump.module("address-spaces", module);

    code::kernel_attributes::set(module, &descriptions);
    code::target::set(module, options, ptx_version);
    floats::precision::set(module, options, &asked);
    floats::contraction::allow(module, |function| {
        asked.may_fuse(function, options.floats.fmad)
    });
    dump.module("attributes", module);

    if options.debug {
        code::library_frames::inline(module, &options.paths);
    } else {
        code::formatting::make_small(module);
    }
    code::panics::hide(module, options);
    let mut copied = CopiedBarriers::default();
    if options.nvvm.is_none() {
        llvm::at_stage("optimisation");
        copied = code::optimize::run(module, options, &machine)?;
        llvm::at_stage("the passes after optimisation");
        synchronization::phases::set_barriers(module, &crossing.imports);
        code::panics::sites::merge(module, options, &machine)?;
        dump.module("optimized", module);
        refused::unsupported::check(module, &options.paths)?;
        llvm::remember_places(refused::unsupported::places(module, &options.paths));
    }
    // NVIDIA's backend optimises later, and gets every barrier.
    synchronization::phases::set_barriers(module, &crossing.imports);
    code::panics::publish(module);
    synchronization::compiler_fence::remove(module);
    synchronization::atomic_loads::withdraw_promises(module);
    synchronization::local_atomics::lower(module, options)?;
    if !options.debug {
        memory::copies::widen(module, options)?;
    }

    let named = contents::symbols::Named {
        kernels: descriptions,
        statics,
        crossing,
    };
    let code = finish(module, options, &machine, (named, copied), dump)?;
    Ok((code, others))
}

/// Generates the code of a module that all passes have changed, and checks it.
fn finish(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
    (named, copied): (contents::symbols::Named, CopiedBarriers),
    mut dump: Dump,
) -> Result<Code, CodegenError> {
    let crossing = named.crossing;
    let mut kernels = memory::shared_size::kernels(module, &named.kernels, machine);
    if options.nvvm.is_none() && !options.debug {
        for kernel in &mut kernels {
            kernel.call = code::panics::call_left(module, &kernel.description.name, &options.paths);
        }
    }
    let statics = contents::statics::of(module, machine, &named.statics);
    let hidden = contents::statics::hidden(module);
    memory::shared_size::check(module, &kernels, &options.paths)?;
    let ir = if options.llvm_ir {
        module.print_to_string().to_string()
    } else {
        String::new()
    };
    let bitcode = if options.bitcode {
        module.write_bitcode_to_memory().as_slice().to_vec()
    } else {
        Vec::new()
    };
    // The result of NVVM's optimisation is not known here, so its PTX is checked less.
    let expected = match options.nvvm {
        None => Some(synchronization::barriers::expected(
            module,
            &options.paths,
            &copied,
        )),
        Some(_) => None,
    };
    code::source_lines::set(module, &options.paths);
    let warnings = refused::recursion::warnings(module, &options.paths);
    llvm::at_stage("code generation");
    let ptx = code::emit::ptx(module, options, machine)?;
    llvm::at_stage("the checks of the PTX");
    dump.text("output.ptx", || ptx.clone());
    let mut findings = lint::check(&ptx, expected.as_ref(), &crossing.imports);
    // For a debugger, addresses of shared memory are stored in variables like any other address.
    findings.retain(|finding| !options.debug || finding.rule != Rule::GenericShared);
    Ok(Code {
        ptx,
        launching_ptx: None,
        ir,
        bitcode,
        cubin: None,
        kernels,
        statics,
        hidden,
        exports: crossing.exports,
        imports: crossing.imports,
        findings,
        warnings,
    })
}

impl Code {
    /// Adds the code of the kernels that launch kernels.
    fn with_launching(mut self, launching: Code) -> Code {
        self.launching_ptx = Some(launching.ptx);
        self.kernels.extend(launching.kernels);
        self.kernels
            .sort_by(|a, b| a.description.name.cmp(&b.description.name));
        self.findings.extend(launching.findings);
        self.warnings.extend(launching.warnings);
        self
    }
}

/// Returns the Rust file and line of a kernel, for messages. They come from its description or from
/// the debug information.
fn place(
    function: FunctionValue<'_>,
    description: Option<&Description>,
    paths: &SourcePaths,
) -> String {
    match description {
        Some(description) if !description.file.is_empty() => {
            format!("{}:{}", description.file, description.line)
        }
        _ => llvm::function_place(function)
            .map_or_else(|| "no line".to_owned(), |place| paths.short(&place)),
    }
}

impl Options {
    /// Returns the error of a stage.
    fn failed(&self, stage: &'static str, reason: impl ToString) -> CodegenError {
        CodegenError::Stage {
            arch: self.arch.to_string(),
            stage: stage.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// Runs passes by their LLVM names.
fn by_name(
    module: &Module<'_>,
    names: &str,
    stage: &'static str,
    options: &Options,
    machine: &TargetMachine,
) -> Result<(), CodegenError> {
    module
        .run_passes(names, machine, PassBuilderOptions::create())
        .map_err(|error| options.failed(stage, error))
}
