//! `lanewise figure`: draws what a kernel did on the simulated GPU, as SVG.
//!
//! The simulated driver records what warps execute (`LANEWISE_RECORD`), and each kind of figure is
//! a view of that record. The book's figures are made by the same functions.

mod access;
mod banks;
mod flow;
mod lanes;
mod phases;
mod record;
mod tiles;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use lanewise_svg::{Anchor, Svg};
use lanewise_variables as variables;

use crate::output::say;
use crate::program::Program;
pub use record::Record;
use record::{Access, Kernel, Step};
use tiles::Owner;

/// Draw what a kernel does on the simulated GPU, as SVG
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The first launch of the kernel is drawn, of its first blocks.\n\nExamples:\n  cargo lanewise figure access my_kernel --store -- cargo run\n  cargo lanewise figure banks my_kernel --load 2 --warp 1 -- cargo test transposes\n  cargo lanewise figure tiles my_kernel --columns 64 --out tiles.svg -- ./my_program"
)]
pub struct Args {
    /// What to draw
    kind: Kind,
    /// The kernel, by its name or a part of it
    kernel: String,
    #[command(flatten)]
    choice: Choice,
    /// Write the picture to this file [default: KIND-KERNEL.svg]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw from this file, which a program wrote for `LANEWISE_RECORD`, and run none
    #[arg(long, value_name = "FILE", conflicts_with = "program")]
    record: Option<PathBuf>,
    /// The program and its arguments
    #[arg(
        last = true,
        value_name = "PROGRAM",
        required_unless_present = "record"
    )]
    program: Vec<OsString>,
}

/// A kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The lanes of a load or store, and the sectors of global memory that they touch
    Access,
    /// The words of shared memory that a load or store accesses, by bank
    Banks,
    /// Which lanes of a warp run, over time
    Lanes,
    /// Which threads of a block store, from barrier to barrier
    Phases,
    /// What threads add to elements in memory, step by step
    Tree,
    /// What the lanes of a warp read from each other by shuffles
    Butterfly,
    /// Which block, warp, lane or trip of a loop accesses which element
    Tiles,
}

/// Which part of a record is drawn.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Choice {
    /// The first load, or the N-th, of those of its memory
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    load: Option<usize>,
    /// The first store, or the N-th
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", conflicts_with = "load")]
    store: Option<usize>,
    /// The first atomic, or the N-th
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1", conflicts_with_all = ["load", "store"])]
    atomic: Option<usize>,
    /// The N-th time that the warp executes it
    #[arg(long, value_name = "N", default_value_t = 1)]
    time: usize,
    /// The block, by its linear index
    #[arg(long, value_name = "N", default_value_t = 0)]
    block: u64,
    /// The warp of the block
    #[arg(long, value_name = "N", default_value_t = 0)]
    warp: u32,
    /// For `tiles`: whose elements have one colour
    #[arg(long, value_name = "OWNER", default_value = "block")]
    by: Owner,
    /// For `tiles`: elements in a row
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=128))]
    columns: u64,
    /// For `tree`: how many elements
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(2..=64))]
    elements: u16,
}

/// Runs the program, or reads the record of an earlier run, and draws.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let record = match &args.record {
        Some(path) => Record::read(path)?,
        None => {
            let program = Program::find(&args.program)?;
            let mut command = program.command();
            program.check_settings(&command)?;
            record_of(&mut command)?
        }
    };
    let picture = draw(args.kind, &args.kernel, &args.choice, &record)?;
    let out = args.out.clone().unwrap_or_else(|| {
        let kind = args.kind.to_possible_value();
        let kind = kind.as_ref().map_or("figure", |kind| kind.get_name());
        let kernel = args
            .kernel
            .replace(|c: char| !c.is_alphanumeric() && c != '_', "_");
        format!("{kind}-{kernel}.svg").into()
    });
    write(&out, &picture)?;
    say(format_args!("wrote {}", out.display()));
    Ok(ExitCode::SUCCESS)
}

/// Runs a program on the simulated GPU and returns what its warps executed.
///
/// # Errors
/// An error if the program fails or makes no call of the driver.
pub fn record_of(command: &mut Command) -> Result<Record> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let file = folder.path().join("record.json");
    let output = command
        .env(variables::RECORD.name, &file)
        .output()
        .with_context(|| format!("cannot run {:?}", command.get_program()))?;
    ensure!(
        output.status.success(),
        "the program failed ({}):\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Record::read(&file)
}

/// Draws a figure of a kernel.
///
/// # Errors
/// An error that says what there is, if the record has no such kernel, block, warp or access.
pub fn draw(kind: Kind, kernel: &str, choice: &Choice, record: &Record) -> Result<String> {
    let kernel = record.kernel(kernel)?;
    let (block, warp) = (choice.block, choice.warp);
    let steps: Vec<&Step> = kernel.of_warp(block, warp).collect();
    ensure!(
        !steps.is_empty(),
        "the record has no block {block} with a warp {warp}: it has {:?} blocks of {:?} threads, and the first of them are recorded",
        kernel.grid,
        kernel.block
    );
    let whose = format!("block {block}, warp {warp}");
    let at = |step| match (block, warp) {
        (0, 0) => kernel.place(step),
        _ => format!("{}, {whose}", kernel.place(step)),
    };
    Ok(match kind {
        Kind::Access => {
            let (step, access) = choice.access(kernel, &steps, |access| access.array.is_some())?;
            access::draw(kernel, access, &at(step))
        }
        Kind::Banks => {
            let (step, access) = choice.access(kernel, &steps, |access| access.array.is_none())?;
            banks::draw(kernel, access, &at(step))
        }
        Kind::Tiles => {
            let (step, access) = choice.access(kernel, &steps, |access| access.array.is_some())?;
            let what = format!("{}, by {}", kernel.place(step), tiles::name(choice.by));
            let of = (step.instruction, access.array);
            tiles::draw(kernel, of, (choice.by, choice.columns), &what)
        }
        Kind::Lanes => {
            let left = kernel.threads().saturating_sub(warp * 32).min(32);
            let exist = u32::MAX.checked_shr(32 - left).unwrap_or(0);
            lanes::draw(kernel, &steps, exist, &whose)
        }
        Kind::Phases => {
            let what = format!("block {block}: threads that store");
            phases::draw(kernel, block, &what)
        }
        Kind::Tree => {
            let what = format!("block {block}");
            flow::tree(kernel, block, choice.elements.into(), &what)
        }
        Kind::Butterfly => {
            ensure!(
                steps.iter().any(|step| step.sources.is_some()),
                "{whose} of `{}` executes no shuffle",
                kernel.name
            );
            flow::butterfly(kernel, &steps, &whose)
        }
    })
}

/// Writes the numbers of some of 32 columns, lanes or banks, above them.
fn numbers(svg: &mut Svg, left: f64, column: f64, baseline: f64) {
    for number in [0, 8, 16, 24, 31] {
        let middle = left + column * (f64::from(number) + 0.5);
        svg.text((middle, baseline), Anchor::Middle, &number.to_string());
    }
}

impl Choice {
    /// Returns the kind of access that is asked for, if one is, and its number from 1.
    fn asked(&self) -> (Option<&'static str>, usize) {
        let kinds = [
            ("load", self.load),
            ("store", self.store),
            ("atomic", self.atomic),
        ];
        let asked = kinds
            .into_iter()
            .find_map(|(kind, number)| Some((Some(kind), number?)));
        asked.unwrap_or((None, 1))
    }

    /// Returns the access of a warp that is asked for, among those to a memory.
    fn access<'k>(
        &self,
        kernel: &Kernel,
        steps: &[&'k Step],
        is_meant: impl Fn(&Access) -> bool,
    ) -> Result<(&'k Step, &'k Access)> {
        let (kind, number) = self.asked();
        let fits =
            |access: &&Access| is_meant(access) && kind.is_none_or(|kind| access.kind == kind);
        let of_step = |step: &&'k Step| Some((*step, step.accesses.iter().find(fits)?));
        let found: Vec<(&Step, &Access)> = steps.iter().filter_map(of_step).collect();
        let mut instructions: Vec<usize> = Vec::new();
        for (step, _) in &found {
            if !instructions.contains(&step.instruction) {
                instructions.push(step.instruction);
            }
        }
        let Some(&instruction) = number.checked_sub(1).and_then(|i| instructions.get(i)) else {
            let names = instructions
                .iter()
                .map(|&of| kernel.instructions[of].name.as_str());
            let names: Vec<&str> = names.collect();
            bail!(
                "`{}` has no such access; there are {}: {}",
                kernel.name,
                names.len(),
                names.join(", ")
            );
        };
        let mut times = found
            .iter()
            .filter(|(step, _)| step.instruction == instruction);
        let time = self.time.saturating_sub(1);
        let access = times.nth(time).copied();
        access.with_context(|| format!("the warp executes it less than {} times", self.time))
    }
}

/// Writes a picture.
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}
