//! `patterns run <pattern>`: each variant, right or not, and how fast.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use lanewise::checks::Checking;
use lanewise_patterns::{Setup, published, timeline};
use serde_json::json;

use super::output::{say, say_json};
use super::plot;
use super::report::{self, Line};
use super::select::Choice;

/// Options of `patterns run`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES
)]
pub(crate) struct Args {
    /// A pattern, or a variant's pattern; `patterns list` names them
    pattern: String,
    /// How much: elements of a vector, rows and columns of a matrix
    #[arg(long)]
    size: Option<usize>,
    /// Rows of a matrix, where they are not as many as its columns
    #[arg(long)]
    rows: Option<usize>,
    /// How far, where the pattern has an offset or a stride: in elements
    #[arg(long)]
    by: Option<u32>,
    /// Threads of a block, where the variant lets one choose
    #[arg(long)]
    block: Option<u32>,
    /// Run and time without comparing: the CPU takes minutes for what a GPU is measured at
    #[arg(long)]
    no_reference: bool,
    /// Which pseudo-random input
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Who runs the kernels
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    device: Choice,
    /// What to check on the simulator: `race`, `sync`, `memory`, `init`, with commas between
    /// them, or `all`
    #[arg(long, value_name = "LIST")]
    checks: Option<Checking>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Run the pattern over its range too, and draw it into this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    /// Write what was done when into this file, for Perfetto or `chrome://tracing`
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Draw what each variant has the streams and the host do into this file, as SVG
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
}

const EXAMPLES: &str = "\
On a GPU the table has times, on the simulator counters. Exits with 1 when a variant that has to agree with the CPU does not,
or does not run, or the checks found something in it.

Examples:
  patterns run vector_add                              each variant at the pattern's own size
  patterns run transpose --size 1000 --rows 37         a matrix of 37 rows and 1000 columns
  patterns run misaligned_read --by 8                  from an offset of 8 elements
  patterns run reduce_neighbored --block 128 --json    blocks of 128 threads, for a program to read
  patterns run gemm --size 8192 --no-reference         times, and no word on whether it is right
  patterns run increment --checks race                 and what the race check finds in each variant
  patterns run offset_stride --plot charts             charts/offset_stride.svg: strides 1 to 32
  patterns run overlap --timeline overlap.svg          streams as rows, copies and kernels as bars
  patterns run nested_reduce --device sim              on the simulator, even where there is a GPU";

/// Runs the pattern's variants.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let pattern = lanewise_patterns::find(&args.pattern).with_context(|| {
        format!(
            "there is no pattern `{}`; `patterns list` names them",
            args.pattern
        )
    })?;
    if args.trace.is_some() || args.timeline.is_some() {
        lanewise::trace::keep(); // before the driver starts
    }
    let device = args.device.open()?;
    let size = args.size.unwrap_or(pattern.size.default);
    let setup = Setup {
        rows: args.rows,
        by: args.by,
        block: args.block,
        is_checked: !args.no_reference,
        ..Setup::new(size, args.seed)
    };
    let lines: Vec<Line> = pattern
        .variants
        .iter()
        .map(|variant| Line::run(&device, variant, setup, args.checks))
        .collect();
    if args.json {
        let mut report = report::json(&lines, &device);
        report["pattern"] = json!(pattern.name);
        report["seed"] = json!(args.seed);
        say_json(&report);
    } else {
        let (of, seed, name) = (pattern.size.of, args.seed, &device.properties().name);
        say(format_args!("{}: {}", pattern.name, pattern.summary));
        say(format_args!(
            "{size} {of}, seed {seed}, on {name} ({})",
            device.backend()
        ));
        report::say(&lines, device.backend());
        if report::shows_times(&lines) && lines.iter().any(Line::has_bandwidth) {
            let most = device.properties().theoretical_bandwidth() / 1e9;
            say(format_args!(
                "The device's memory moves {most:.0} GB/s at most, by its clock and its bus."
            ));
        }
        published::about(pattern.name).for_each(say);
    }
    if let Some(folder) = &args.plot {
        let path = plot::draw(&device, pattern, setup, folder)?;
        // Standard error, so that `--json` stays readable.
        eprintln!("wrote {}", path.display());
    }
    if args.trace.is_some() || args.timeline.is_some() {
        let trace = lanewise::trace::so_far();
        if let Some(path) = &args.trace {
            write(path, &trace.to_string())?;
        }
        if let Some(path) = &args.timeline {
            let names: Vec<&str> = pattern
                .variants
                .iter()
                .map(|variant| variant.name)
                .collect();
            let drawn =
                timeline::draw(&timeline::panels(&trace, &names), device.backend().times())?;
            write(path, &drawn)?;
        }
    }
    Ok(if lines.iter().all(Line::is_good) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Writes a file that was asked for, and says so on standard error, so that
/// `--json` stays readable.
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    eprintln!("wrote {}", path.display());
    Ok(())
}
