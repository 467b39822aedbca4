//! `cargo lanewise compare-backends`: compares the code of LLVM's backend with that of NVIDIA's
//! for each kernel.
//!
//! Both get the same bitcode, and ptxas assembles both results. Instructions are counted in the
//! machine code as nvdisasm prints it, without the padding after a kernel's last branch to itself.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Context, Result};
use comfy_table::Cell;
use lanewise_builder::assembler::Resources;
use lanewise_builder::{Emit, Output};
use serde::Serialize;

use crate::kernels::{self, Request};
use crate::output::{self, say};
use crate::{binaries, project, toolkit};

/// Compare LLVM's backend with NVIDIA's, kernel by kernel
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise compare-backends\n  cargo lanewise compare-backends --markdown"
)]
pub struct Args {
    /// The GPU to compile for: sm_100 or later
    #[arg(long, value_name = "ARCH", default_value = "sm_100")]
    arch: String,
    /// Print a table in Markdown, as the book has it
    #[arg(long)]
    markdown: bool,
    /// Print the result as JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
}

/// The figures of a kernel from one backend.
#[derive(Clone, Debug, Default, Serialize)]
struct Figures {
    #[serde(flatten)]
    resources: Resources,
    /// The number of instructions, or `None` if nvdisasm cannot read the code.
    instructions: Option<usize>,
}

/// The figures of a kernel from both backends.
#[derive(Debug, Serialize)]
struct KernelFigures {
    kernel: String,
    llvm: Figures,
    nvvm: Figures,
}

/// Builds and assembles with both backends, and prints the comparison.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let library = toolkit::LIBNVVM.require()?;
    let llvm = results(&build(args, None, "llvm")?)?;
    let mut nvvm = results(&build(args, Some(library), "nvvm")?)?;
    let rows = llvm.into_iter().map(|(kernel, llvm)| {
        let nvvm = nvvm
            .remove(&kernel)
            .with_context(|| format!("NVVM left `{kernel}` out"))?;
        Ok(KernelFigures { kernel, llvm, nvvm })
    });
    let rows = rows.collect::<Result<Vec<_>>>()?;
    match (args.json, args.markdown) {
        (true, _) => output::say_json(&rows)?,
        (_, true) => print_markdown(&rows),
        _ => print(&rows),
    }
    Ok(ExitCode::SUCCESS)
}

fn build(args: &Args, nvvm: Option<std::path::PathBuf>, name: &str) -> Result<Output> {
    kernels::build(Request {
        archs: std::slice::from_ref(&args.arch),
        nvvm,
        emit: vec![Emit::Cubin],
        assembler: Some(toolkit::PTXAS.require()?),
        out: Some(project::target().join("ptx-compare").join(name)),
        ..Request::default()
    })
}

/// Returns the figures of every kernel.
fn results(output: &Output) -> Result<BTreeMap<String, Figures>> {
    let (Some(files), Some(module)) = (output.modules.first(), output.manifest.modules.first())
    else {
        return Ok(BTreeMap::new());
    };
    let cubin = files.cubin.as_deref().context("a cubin was asked for")?;
    // Some versions of nvdisasm refuse symbols that ptxas of the same version writes.
    let counts = match binaries::disassemble(cubin) {
        Ok(sass) => Some(instructions(&sass)),
        Err(error) => {
            eprintln!(
                "warning: no instructions of `{}`: {error:#}",
                cubin.display()
            );
            None
        }
    };
    let kernels = module.kernels.iter().map(|kernel| {
        let name = kernel.description.name.clone();
        let result = Figures {
            resources: kernel.resources.clone().unwrap_or_default(),
            instructions: counts
                .as_ref()
                .and_then(|counts| counts.get(&name).copied()),
        };
        (name, result)
    });
    Ok(kernels.collect())
}

/// Counts the instructions of each function: lines that begin with an address, `/*0010*/`, up
/// to the padding.
fn instructions(sass: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut function = String::new();
    for line in sass.lines().map(str::trim) {
        if let Some(name) = line
            .strip_prefix(".text.")
            .and_then(|rest| rest.strip_suffix(':'))
        {
            function = name.to_owned();
        } else if line.starts_with("/*") && line.ends_with(';') && !line.contains(" NOP") {
            *counts.entry(function.clone()).or_default() += 1;
        }
    }
    counts
}

fn figures(row: &KernelFigures) -> [String; 6] {
    let spills = |of: &Resources| of.spill_stores + of.spill_loads;
    let (a, b) = (&row.llvm, &row.nvvm);
    let count = |of: &Figures| {
        of.instructions
            .map_or("-".to_owned(), |count| count.to_string())
    };
    [
        a.resources.registers.to_string(),
        b.resources.registers.to_string(),
        spills(&a.resources).to_string(),
        spills(&b.resources).to_string(),
        count(a),
        count(b),
    ]
}

const HEADER: [&str; 7] = [
    "kernel",
    "registers, LLVM",
    "NVVM",
    "spilled bytes, LLVM",
    "NVVM",
    "instructions, LLVM",
    "NVVM",
];

fn print(rows: &[KernelFigures]) {
    let mut table = output::with_header(&HEADER, &[1, 2, 3, 4, 5, 6]);
    for row in rows {
        let name = Cell::new(&row.kernel);
        table.add_row(std::iter::once(name).chain(figures(row).map(Cell::new)));
    }
    say(table.trim_fmt());
}

fn print_markdown(rows: &[KernelFigures]) {
    say(format_args!("| {} |", HEADER.join(" | ")));
    say("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for row in rows {
        say(format_args!(
            "| `{}` | {} |",
            row.kernel,
            figures(row).join(" | ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::instructions;

    #[test]
    fn instructions_are_counted_by_function_without_padding() {
        let sass = "\t.section\t.text.one,\"ax\"\none:\n.text.one:\n\t//## File \"a.rs\", line 1\n        /*0000*/   MOV R1, R2 ;\n\
                    .L_x_0:\n        /*0010*/   BRA `(.L_x_0);\n        /*0020*/   NOP;\n.text.two:\n        /*0000*/   EXIT ;\n";
        let counts = instructions(sass);
        assert_eq!((counts["one"], counts["two"]), (2, 1));
    }
}
