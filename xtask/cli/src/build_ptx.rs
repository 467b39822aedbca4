//! `cargo lanewise build-ptx`: builds the kernels as PTX with a manifest, and prints a table
//! of their resources.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use comfy_table::Cell;
use lanewise_builder::assembler::Resources;
use lanewise_builder::manifest::{Kernel, Module, Panics};
use lanewise_builder::{ModuleOutput, Output};
use serde::Serialize;

use crate::kernels::{self, Request};
use crate::output::{self, say};
use crate::{binaries, floats, project, toolkit};

/// Compile the kernels to PTX
///
/// Writes OUT/ARCH/CRATE.ptx and, beside it, CRATE.json: kernels, parameters with types, static
/// shared memory, launch bounds, and ptxas's figures for each if it is installed. Only what has
/// changed is built again.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise build-ptx\n  cargo lanewise build-ptx --arch sm_100 --emit ptx,cubin,sass --out target/blackwell\n  cargo lanewise build-ptx --json | jq '.manifest.modules[0].kernels[].name'"
)]
pub struct Args {
    /// The GPUs to compile for
    #[arg(long, value_delimiter = ',', value_name = "ARCH", default_values = kernels::DEFAULT_ARCHS)]
    arch: Vec<String>,
    /// What to write; the PTX is always written
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "KIND",
        default_value = "ptx"
    )]
    emit: Vec<Emit>,
    /// The backend that compiles bitcode to PTX
    #[arg(
        long,
        value_name = "llvm|nvvm",
        default_value = "llvm",
        hide_possible_values = true
    )]
    backend: Backend,
    /// How a panic is reported: the host prints a record, the kernel prints a message itself (and
    /// needs a call), or not at all [default: `panic` in Cargo.toml, or record]
    #[arg(long, value_name = "record|message|trap", value_parser = panics())]
    panic: Option<Panics>,
    /// Build for cuda-gdb: without optimisation, with all variables described (as nvcc's -G does)
    #[arg(long)]
    debug: bool,
    /// Where to put the files [default: target/ptx, with --debug target/ptx-debug]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    // This field is last, because fields after it would appear under its heading.
    #[command(flatten)]
    floats: floats::Args,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// PTX, which the driver loads
    Ptx,
    /// LLVM's module after optimisation, as text
    LlvmIr,
    /// The same module as bitcode
    Bitcode,
    /// Machine code, by ptxas
    Cubin,
    /// The machine code of all targets and the PTX of the last in one file, by fatbinary
    Fatbin,
    /// The machine code as text, by nvdisasm
    Sass,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Backend {
    /// LLVM's NVPTX backend, which rustc ships
    Llvm,
    /// NVIDIA's libNVVM, for sm_100 and later
    Nvvm,
}

/// Returns the parser of a mode of panics.
fn panics() -> impl TypedValueParser<Value = Panics> {
    PossibleValuesParser::new(Panics::ALL.map(|(name, _)| name))
        .try_map(|name| Panics::of_name(&name).ok_or("it is no mode"))
}

/// Builds the kernels and prints a table of them.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let wants = |kind| args.emit.contains(&kind);
    let needs_cubin = wants(Emit::Cubin) || wants(Emit::Fatbin) || wants(Emit::Sass);
    let assembler = match needs_cubin {
        true => Some(toolkit::PTXAS.require()?),
        false => toolkit::PTXAS.find().map(|found| found.path),
    };
    let mut emit = Vec::new();
    emit.extend(wants(Emit::LlvmIr).then_some(lanewise_builder::Emit::LlvmIr));
    emit.extend(wants(Emit::Bitcode).then_some(lanewise_builder::Emit::Bitcode));
    emit.extend(needs_cubin.then_some(lanewise_builder::Emit::Cubin));
    let output = kernels::build(Request {
        archs: &args.arch,
        floats: args.floats.floats(),
        panic: args.panic,
        debug: args.debug,
        libdevice: args.floats.libdevice()?,
        nvvm: match args.backend {
            Backend::Llvm => None,
            Backend::Nvvm => Some(toolkit::LIBNVVM.require()?),
        },
        emit,
        assembler,
        out: args.out.as_ref().map(std::path::absolute).transpose()?,
    })?;
    let mut binaries = Vec::new();
    if wants(Emit::Sass) {
        for module in &output.modules {
            binaries.push(binaries::sass(module)?);
        }
    }
    if wants(Emit::Fatbin) {
        binaries.push(binaries::fatbin(&output)?);
    }
    if args.json {
        print_json(&output, &binaries)?;
    } else {
        print(&output, &binaries);
    }
    Ok(ExitCode::SUCCESS)
}

/// The files of one target, as `--json` prints them.
#[derive(Serialize)]
struct Files<'a> {
    arch: &'a str,
    ptx: &'a PathBuf,
    launching_ptx: Option<&'a PathBuf>,
    manifest: &'a PathBuf,
    llvm_ir: Option<&'a PathBuf>,
    bitcode: Option<&'a PathBuf>,
    cubin: Option<&'a PathBuf>,
}

fn print_json(built: &Output, binaries: &[PathBuf]) -> Result<()> {
    let files = built.modules.iter().map(|module| Files {
        arch: &module.arch,
        ptx: &module.ptx,
        launching_ptx: module.launching_ptx.as_ref(),
        manifest: &module.manifest,
        llvm_ir: module.llvm_ir.as_ref(),
        bitcode: module.bitcode.as_ref(),
        cubin: module.cubin.as_ref(),
    });
    output::say_json(&serde_json::json!({
        "rebuilt": built.rebuilt,
        "files": files.collect::<Vec<_>>(),
        "binaries": binaries,
        "manifest": built.manifest,
    }))
}

fn print(output: &Output, binaries: &[PathBuf]) {
    // The modules of a build differ in their target, and some lack a few kernels. The last has
    // the most kernels.
    let Some(module) = output.manifest.modules.last() else {
        return;
    };
    let is_assembled = module
        .kernels
        .iter()
        .any(|kernel| kernel.resources.is_some());
    let mut header = vec!["kernel", "parameters", "shared", "threads"];
    if is_assembled {
        header.extend(["registers", "spills", "stack", "constant"]);
    }
    // A call costs registers and a stack, so it is worth a look.
    let has_calls = module.kernels.iter().any(|kernel| kernel.call.is_some());
    if has_calls {
        header.push("call at");
    }
    let numbers: &[usize] = match is_assembled {
        true => &[2, 3, 4, 5, 6, 7],
        false => &[2, 3],
    };
    let mut table = output::with_header(&header, numbers);
    for kernel in &module.kernels {
        let mut row = vec![
            Cell::new(&kernel.description.name),
            Cell::new(parameters(kernel)),
            Cell::new(shared(kernel)),
            Cell::new(threads(kernel)),
        ];
        if is_assembled {
            let spills = |of: &Resources| of.spill_stores + of.spill_loads;
            row.push(Cell::new(figure(kernel, output.rebuilt, |of| of.registers)));
            row.push(Cell::new(figure(kernel, output.rebuilt, spills)));
            row.push(Cell::new(figure(kernel, output.rebuilt, |of| of.stack)));
            row.push(Cell::new(figure(kernel, output.rebuilt, |of| of.constant)));
        }
        if has_calls {
            row.push(Cell::new(kernel.call.as_deref().unwrap_or_default()));
        }
        table.add_row(row);
    }
    say(table.trim_fmt());
    summary(output, module, binaries);
}

/// Returns a figure of ptxas. If this run built the kernels, it includes the change since the build
/// before: `32`, `32 (+4)`.
fn figure(kernel: &Kernel, rebuilt: bool, of: impl Fn(&Resources) -> u32) -> String {
    let Some(now) = kernel.resources.as_ref().map(&of) else {
        return String::new();
    };
    match kernel.before.as_ref().map(&of) {
        // Newer versions of ptxas do not report all figures for newer targets.
        None if now == 0 => String::new(),
        Some(before) if rebuilt && before != now => {
            format!("{now} ({:+})", i64::from(now) - i64::from(before))
        }
        _ => now.to_string(),
    }
}

fn summary(built: &Output, module: &Module, binaries: &[PathBuf]) {
    let done = if built.rebuilt {
        "built"
    } else {
        "nothing changed"
    };
    let kernels = output::number(module.kernels.len() as u64, "kernel", "kernels");
    say(format_args!("\n{kernels}, {done}"));
    for module in &built.modules {
        for file in files(module) {
            say(format_args!("  {}: {}", module.arch, project::shown(file)));
        }
    }
    for file in binaries {
        say(format_args!("  {}", project::shown(file)));
    }
}

fn files(module: &ModuleOutput) -> impl Iterator<Item = &PathBuf> {
    let others = [
        &module.launching_ptx,
        &module.llvm_ir,
        &module.bitcode,
        &module.cubin,
    ];
    std::iter::once(&module.ptx).chain(others.into_iter().flatten())
}

/// Returns the parameters as they are written in Rust.
pub(crate) fn parameters(kernel: &Kernel) -> String {
    let params = kernel
        .description
        .params
        .iter()
        .map(|param| format!("{}: {}", param.name, param.ty));
    params.collect::<Vec<_>>().join(", ")
}

/// Returns the bytes of static shared memory. `+` means that the launch adds more.
fn shared(kernel: &Kernel) -> String {
    let dynamic = if kernel.dynamic_shared { "+" } else { "" };
    match kernel.static_shared {
        0 => dynamic.into(),
        bytes => format!("{bytes}{dynamic}"),
    }
}

/// Returns the launch bounds: threads per block, and blocks per multiprocessor if the
/// kernel declares them.
fn threads(kernel: &Kernel) -> String {
    let bounds = kernel
        .description
        .launch_bounds
        .iter()
        .flatten()
        .map(u32::to_string);
    bounds.collect::<Vec<_>>().join(", ")
}
