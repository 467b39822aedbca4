//! `cargo lanewise inspect`: shows one kernel's Rust, PTX and machine code, line by line
//! beside each other.
//!
//! In the PTX, `.loc` gives the source line of each instruction. ptxas copies this into the machine
//! code, where nvdisasm shows it. Code that was inlined from a library appears at the kernel's line
//! that calls it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::{fs, iter};

use anyhow::{Context, Result, bail};
use comfy_table::{Cell, ContentArrangement, Table, presets};
use lanewise_builder::assembler::Resources;
use lanewise_builder::lint::ptx;
use lanewise_builder::{DEFAULT_ARCHS, Emit, ModuleOutput, Output};

use crate::kernels::{self, Request};
use crate::output::{say, say_json};
use crate::{binaries, project, toolkit};

/// Show a kernel's Rust, PTX and machine code side by side
///
/// Machine code (SASS) is shown where there are ptxas and nvdisasm; `cargo lanewise doctor` says
/// how to get them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cargo lanewise inspect vec_add\n  cargo lanewise inspect matmul_shared_16 --arch sm_90\n  cargo lanewise inspect vec_add --json | jq '.lines[] | [.line, (.ptx | length)]'"
)]
pub struct Args {
    /// The kernel's name, as `cargo lanewise build-ptx` lists it
    kernel: String,
    /// The GPU to compile for [default: sm_80, or sm_90 for a kernel that needs it]
    #[arg(long, value_name = "ARCH")]
    arch: Option<String>,
    /// Leave the machine code out
    #[arg(long)]
    no_sass: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A line of the source, with its instructions.
#[derive(Debug, Default)]
struct Line {
    ptx: Vec<String>,
    /// The basic blocks of the PTX that have instructions of the line.
    blocks: BTreeSet<usize>,
    /// Whether one of these blocks is in a loop.
    in_loop: bool,
    sass: Vec<String>,
}

/// A file and a line's number.
type SourceLine = (String, u32);

/// Lines by place.
type Lines = BTreeMap<SourceLine, Line>;

/// Builds the kernel and prints it.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let has_tools = toolkit::PTXAS.find().is_some() && toolkit::NVDISASM.find().is_some();
    let wants_sass = has_tools && !args.no_sass;
    let archs: Vec<String> = match &args.arch {
        Some(arch) => vec![arch.clone()],
        None => DEFAULT_ARCHS.map(str::to_owned).to_vec(),
    };
    let mut lines = Lines::new();
    let mut others = BTreeSet::new();
    // The targets are tried one after another, because nearly every kernel exists for the first.
    let mut resources = None;
    let found = archs.iter().find_map(|arch| {
        let output = build(arch, wants_sass);
        if let Ok(output) = &output {
            resources = resources_of(output, &args.kernel);
        }
        let added =
            output.and_then(|output| add_ptx(&mut lines, &mut others, output, &args.kernel));
        added.transpose()
    });
    let Some(module) = found.transpose()? else {
        bail!(
            "there is no kernel `{}` for {}; there are {}. One that needs a later target (`min_arch`) is found with `--arch`",
            args.kernel,
            archs.join(" or "),
            Vec::from_iter(others).join(", ")
        );
    };
    if wants_sass {
        let text =
            binaries::disassemble(module.cubin.as_deref().context("a cubin was asked for")?)?;
        add_sass(&mut lines, &text, &args.kernel);
    }
    if args.json {
        say_json(&json(
            &args.kernel,
            &module.arch,
            resources.as_ref(),
            &lines,
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(of) = resources {
        say(format_args!(
            "{} registers, {} bytes of stack, {} bytes of spills\n",
            of.registers,
            of.stack,
            of.spill_stores + of.spill_loads
        ));
    }
    print(&lines, wants_sass);
    if !has_tools && !args.no_sass {
        say(
            "\nno machine code: there are no ptxas and nvdisasm on this machine (`cargo lanewise doctor`)",
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds for one target, with its machine code if it is needed.
fn build(arch: &String, wants_sass: bool) -> Result<Output> {
    kernels::build(Request {
        archs: std::slice::from_ref(arch),
        emit: if wants_sass {
            vec![Emit::Cubin]
        } else {
            Vec::new()
        },
        assembler: if wants_sass {
            Some(toolkit::PTXAS.require()?)
        } else {
            None
        },
        out: Some(project::target().join("ptx-inspect")),
        ..Request::default()
    })
}

/// Returns what ptxas reported about the kernel, if it assembled it.
fn resources_of(output: &Output, kernel: &str) -> Option<Resources> {
    let kernels = output.manifest.modules.iter().flat_map(|it| &it.kernels);
    kernels
        .filter(|it| it.description.name == kernel)
        .find_map(|it| it.resources.clone())
}

/// Adds the kernel's PTX, and returns the files that contain it. If no file does, the error has the
/// names of the kernels that exist.
fn add_ptx(
    lines: &mut Lines,
    others: &mut BTreeSet<String>,
    output: Output,
    kernel: &str,
) -> Result<Option<ModuleOutput>> {
    for files in output.modules {
        // A kernel that launches kernels is in a PTX file of its own.
        for text in iter::once(&files.ptx).chain(&files.launching_ptx) {
            let text = fs::read_to_string(text)?;
            let module = ptx::Module::parse(&text)?;
            if let Some(function) = module.function(kernel) {
                add_function(lines, &module, function);
                return Ok(Some(files));
            }
        }
    }
    let modules = output.manifest.modules.into_iter();
    others.extend(
        modules
            .flat_map(|module| module.kernels)
            .map(|kernel| kernel.description.name),
    );
    Ok(None)
}

/// Adds a function's instructions. An instruction without a line belongs to the line before it.
/// (LLVM gives no line to an instruction that it made from several.)
fn add_function(lines: &mut Lines, module: &ptx::Module<'_>, function: &ptx::Function<'_>) {
    let mut place = SourceLine::default();
    let loops: BTreeSet<usize> = function.loops().into_iter().flatten().collect();
    for instruction in function.instructions() {
        let own = module
            .place(instruction.loc())
            .and_then(|place| read_place(&place));
        place = own.unwrap_or(place);
        let line = lines.entry(place.clone()).or_default();
        line.ptx.push(instruction.text());
        line.blocks.insert(instruction.block);
        line.in_loop |= loops.contains(&instruction.block);
    }
}

/// Reads a place of the source, written as `file:line`.
fn read_place(place: &str) -> Option<SourceLine> {
    let (file, line) = place.rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

/// Adds the machine code of a function as nvdisasm prints it: lines with an address, after comments
/// with the source location.
fn add_sass(lines: &mut Lines, sass: &str, kernel: &str) {
    let start = format!(".text.{kernel}:");
    let body = sass
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != start)
        .skip(1);
    let mut place = SourceLine::default();
    for line in
        body.take_while(|line| !line.starts_with(".section") && !line.starts_with("//-----"))
    {
        if let Some(rest) = line.strip_prefix("//## File \"") {
            let mut parts = rest.split("\", line ");
            let file = parts.next().unwrap_or_default().to_owned();
            let number = parts.next().unwrap_or_default();
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            // Line 0 means no line, so the instructions belong to the line before.
            if let Ok(number @ 1..) = digits.parse() {
                place = (file, number);
            }
        } else if line.starts_with("/*") && line.ends_with(';') && !line.contains(" NOP") {
            let text = line.split_once("*/").map_or(line, |(_, text)| text).trim();
            lines
                .entry(place.clone())
                .or_default()
                .sass
                .push(text.to_owned());
        }
    }
}

/// Returns the same listing as JSON.
fn json(
    kernel: &str,
    arch: &str,
    resources: Option<&Resources>,
    lines: &Lines,
) -> serde_json::Value {
    let lines = lines.iter().map(|((file, number), line)| {
        serde_json::json!({
            "file": file,
            "line": number,
            "rust": source_line(file, *number),
            "ptx": line.ptx,
            "blocks": line.blocks,
            "in_loop": line.in_loop,
            "sass": line.sass,
        })
    });
    let lines: Vec<_> = lines.collect();
    serde_json::json!({ "kernel": kernel, "arch": arch, "resources": resources, "lines": lines })
}

fn print(lines: &Lines, with_sass: bool) {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic);
    if !std::io::stdout().is_terminal() {
        table.set_width(180);
    }
    let header = ["Rust", "PTX", "SASS"];
    table.set_header(header[..if with_sass { 3 } else { 2 }].to_vec());
    for ((file, number), line) in lines {
        let source = match file.as_str() {
            "" => "(no line)".to_owned(),
            _ => format!("{file}:{number}\n{}", source_line(file, *number)),
        };
        let source = format!("{source}\n{}", where_it_runs(line));
        let mut row = vec![Cell::new(source), Cell::new(line.ptx.join("\n"))];
        if with_sass {
            row.push(Cell::new(line.sass.join("\n")));
        }
        table.add_row(row);
    }
    say(table.trim_fmt());
}

/// Returns the basic blocks of a line: `block 3`, `blocks 3, 5, in a loop`.
fn where_it_runs(line: &Line) -> String {
    let blocks: Vec<_> = line.blocks.iter().map(usize::to_string).collect();
    let noun = if blocks.len() == 1 { "block" } else { "blocks" };
    let in_loop = if line.in_loop { ", in a loop" } else { "" };
    match blocks.is_empty() {
        true => String::new(),
        false => format!("{noun} {}{in_loop}", blocks.join(", ")),
    }
}

/// Returns a line of a file in this repository, or an empty string for a file of a library.
fn source_line(file: &str, number: u32) -> String {
    let text = fs::read_to_string(project::root().join(file)).unwrap_or_default();
    let index = (number as usize).saturating_sub(1);
    text.lines()
        .nth(index)
        .unwrap_or_default()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>; .reg .pred %p<3>;\n.loc 1 7 1\nadd.s32 %r1, %r2, %r3;\n@%p1 bra $L1;\n@!%p2\tbra $L1;\n.loc 1 0 0\n\
                       shl.b32 %r1, %r1, 2;\n$L1:\n.loc 1 8 1\nret;\n}\n.file 1 \"a.rs\"\n";

    fn ptx_lines() -> Lines {
        let (mut lines, module) = (Lines::new(), ptx::Module::parse(PTX).expect("PTX"));
        add_function(&mut lines, &module, &module.functions[0]);
        lines
    }

    #[test]
    fn guards_are_shown_with_their_register() {
        let lines = ptx_lines();
        let first = &lines[&("a.rs".to_owned(), 7)].ptx;
        assert_eq!(first[1..3], ["@%p1 bra $L1", "@!%p2 bra $L1"]);
    }

    #[test]
    fn what_has_no_line_goes_with_the_line_before() {
        let lines = ptx_lines();
        let first = &lines[&("a.rs".to_owned(), 7)].ptx;
        assert_eq!(first.last().expect("four"), "shl.b32 %r1, %r1, 2");
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn a_line_is_told_with_its_blocks_and_whether_they_are_in_a_loop() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<2>; .reg .pred %p<2>;\n.loc 1 7 1\nmov.u32 %r1, 0;\n$L1:\n.loc 1 8 1\nadd.s32 %r1, %r1, 1;\n@%p1 bra $L1;\n\
                    .loc 1 9 1\nret;\n}\n.file 1 \"a.rs\"\n";
        let (mut lines, module) = (Lines::new(), ptx::Module::parse(text).expect("PTX"));
        add_function(&mut lines, &module, &module.functions[0]);
        let told = |number| where_it_runs(&lines[&("a.rs".to_owned(), number)]);
        assert_eq!(
            [told(7), told(8), told(9)],
            ["block 0", "block 1, in a loop", "block 2"]
        );
    }

    #[test]
    fn json_has_each_line_with_what_it_became() {
        let json = json("k", "sm_80", None, &ptx_lines());
        assert_eq!(json["lines"][1]["line"], 8);
        assert_eq!(json["lines"][1]["ptx"], serde_json::json!(["ret"]));
    }

    #[test]
    fn machine_code_goes_to_the_line_that_the_comment_names() {
        let sass = ".text.other:\n  /*0000*/  EXIT ;\n.text.k:\n\t//## File \"gpu/src/a.rs\", line 7 inlined at \"gpu/src/b.rs\", line 9\n\
                    \t/*0000*/   MOV R1, R2 ;\n\t//## File \"gpu/src/a.rs\", line 8\n\t/*0010*/   EXIT ;\n\t.section .x\n\t/*0020*/  BRA ;\n";
        let mut lines = Lines::new();
        add_sass(&mut lines, sass, "k");
        let at = |number| &lines[&("gpu/src/a.rs".to_owned(), number)].sass;
        assert_eq!(
            (at(7), at(8)),
            (&vec!["MOV R1, R2 ;".to_owned()], &vec!["EXIT ;".to_owned()])
        );
        assert_eq!(lines.len(), 2);
    }
}
