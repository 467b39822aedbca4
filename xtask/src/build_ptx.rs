//! `cargo xtask build-ptx`: the kernels as PTX, with a manifest, and a table of what they need.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use comfy_table::Cell;
use ptx_builder::Output;
use ptx_builder::manifest::{Kernel, Module};
use serde::Serialize;

use crate::kernels::{self, Request};
use crate::output::{self, say};
use crate::ptxas::{self, Usage};
use crate::{toolkit, workspace};

/// Compile the kernels to PTX
///
/// Writes OUT/ARCH/gpu.ptx and, beside it, gpu.json: kernels, parameters with types, static shared memory, launch
/// bounds. Only what has changed is built again.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask build-ptx\n  cargo xtask build-ptx --arch sm_100 --emit ptx,llvm-ir --out target/blackwell\n  cargo xtask build-ptx --json | jq '.manifest.modules[0].kernels[].name'"
)]
pub(crate) struct Args {
    /// The GPUs to compile for
    #[arg(long, value_delimiter = ',', value_name = "ARCH", default_value = kernels::DEFAULT_ARCHS)]
    arch: Vec<String>,
    /// What to write; the PTX is always written
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "KIND",
        default_value = "ptx"
    )]
    emit: Vec<Emit>,
    /// Whether `a * b + c` becomes one fused multiply-add; off makes results equal the host's bit for bit
    #[arg(
        long,
        value_name = "on|off",
        default_value = "on",
        hide_possible_values = true
    )]
    fmad: Switch,
    /// Where to put the files [default: target/ptx]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// What the driver loads
    Ptx,
    /// LLVM's module after optimisation, as text
    LlvmIr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

/// Builds and prints.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let output = kernels::build(Request {
        archs: &args.arch,
        fmad: args.fmad == Switch::On,
        llvm_ir: args.emit.contains(&Emit::LlvmIr),
        out: args.out.as_ref().map(|out| workspace::root().join(out)),
    })?;
    if args.json {
        print_json(&output)?;
    } else {
        print(&output);
    }
    Ok(ExitCode::SUCCESS)
}

/// Files of one target, for machines.
#[derive(Serialize)]
struct Files<'a> {
    arch: &'a str,
    ptx: &'a PathBuf,
    manifest: &'a PathBuf,
    llvm_ir: Option<&'a PathBuf>,
}

fn print_json(output: &Output) -> Result<()> {
    let files = output.modules.iter().map(|module| Files {
        arch: &module.arch,
        ptx: &module.ptx,
        manifest: &module.manifest,
        llvm_ir: module.llvm_ir.as_ref(),
    });
    say(serde_json::to_string_pretty(&serde_json::json!({
        "rebuilt": output.rebuilt,
        "files": files.collect::<Vec<_>>(),
        "manifest": output.manifest,
    }))?);
    Ok(())
}

fn print(output: &Output) {
    // The modules of a build differ in their target and, for few kernels, in what is left out; the last has the most.
    let Some(module) = output.manifest.modules.last() else {
        return;
    };
    let registers = registers(output);
    let mut header = vec!["kernel", "parameters", "shared", "threads"];
    header.extend(registers.is_some().then_some("registers"));
    let mut table = output::with_header(&header, &[2, 3, 4]);
    for kernel in &module.kernels {
        let mut row = vec![
            Cell::new(&kernel.description.name),
            Cell::new(parameters(kernel)),
            Cell::new(shared(kernel)),
            Cell::new(threads(kernel)),
        ];
        if let Some(registers) = &registers {
            let count = registers
                .get(&kernel.description.name)
                .map(|usage| usage.registers.to_string());
            row.push(Cell::new(count.unwrap_or_default()));
        }
        table.add_row(row);
    }
    say(table.trim_fmt());
    summary(output, module);
}

fn summary(output: &Output, module: &Module) {
    let done = if output.rebuilt {
        "built"
    } else {
        "nothing changed"
    };
    say(format_args!("\n{} kernels, {done}", module.kernels.len()));
    for module in &output.modules {
        let files = [Some(&module.ptx), module.llvm_ir.as_ref()];
        for file in files.into_iter().flatten() {
            say(format_args!(
                "  {}: {}",
                module.arch,
                workspace::shown(file)
            ));
        }
    }
}

/// What ptxas makes of the last module, where there is a ptxas that takes it.
fn registers(output: &Output) -> Option<HashMap<String, Usage>> {
    let ptxas = toolkit::PTXAS.find()?;
    let module = output.modules.last()?;
    let usages = ptxas::assemble(&ptxas.path, &module.ptx, &module.arch).ok()?;
    Some(
        usages
            .into_iter()
            .map(|usage| (usage.kernel.clone(), usage))
            .collect(),
    )
}

fn parameters(kernel: &Kernel) -> String {
    let params = kernel
        .description
        .params
        .iter()
        .map(|param| format!("{}: {}", param.name, param.ty));
    params.collect::<Vec<_>>().join(", ")
}

/// Bytes of static shared memory; `+` says that the launch adds more.
fn shared(kernel: &Kernel) -> String {
    let dynamic = if kernel.dynamic_shared { "+" } else { "" };
    match kernel.static_shared {
        0 => dynamic.into(),
        bytes => format!("{bytes}{dynamic}"),
    }
}

/// The launch bounds: threads a block, and blocks a multiprocessor if that was promised.
fn threads(kernel: &Kernel) -> String {
    let bounds = kernel
        .description
        .launch_bounds
        .iter()
        .flatten()
        .map(u32::to_string);
    bounds.collect::<Vec<_>>().join(", ")
}
