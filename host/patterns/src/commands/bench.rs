//! `patterns bench`: the patterns that have a size for measurements on a GPU.

use std::process::ExitCode;

use anyhow::Result;
use lanewise::{Backend, Device};
use lanewise_patterns::nvidia::nvcc::has_twin;
use lanewise_patterns::{Setup, bench, launch};
use lanewise_records::Keep;
use lanewise_sim::Checks;

use super::costs::{CheckSet, Costs};
use super::output::{say, say_json, table};
use super::report::{self, Line};
use super::select::Choice;

/// Options of `patterns bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these patterns or variants; with `--checks`, kernels of the simulator's benchmark whose
    /// names hold one of these
    only: Vec<String>,
    /// What the simulator's checks cost instead: CPU time of its benchmark kernels under each,
    /// over that of the same kernels unchecked. With a list, as `LANEWISE_CHECKS` takes it, what
    /// those cost together
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, conflicts_with_all = ["full", "no_reference", "device"])]
    checks: Option<Option<Checks>>,
    /// What a launch costs the host instead: by the library, by the driver's call, and by that of
    /// NVIDIA's library
    #[arg(long, conflicts_with_all = ["only", "checks", "full", "no_reference"])]
    launch: bool,
    /// Only the variants that have a twin in CUDA C++, which is timed beside them where nvcc is
    #[arg(long, conflicts_with_all = ["only", "checks", "launch"])]
    twins: bool,
    /// How often each is measured: on a GPU 3 times, in turn with the library, and the median
    /// counts; with `--checks` 10 times, and the quickest counts
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// The peer's sizes on the simulator too; that takes hours
    #[arg(long)]
    full: bool,
    /// Without comparing: the CPU takes minutes for some of the sizes
    #[arg(long)]
    no_reference: bool,
    /// Who runs the kernels
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    device: Choice,
    #[command(flatten)]
    keep: Keep,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Measures the patterns that were named and prints a table.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    if let Some(list) = args.checks {
        let asked = list.map_or_else(CheckSet::each, |checks| Ok(vec![CheckSet::only(checks)]))?;
        let costs = Costs::measure(asked, &args.only, args.rounds.unwrap_or(10))?;
        match args.json {
            true => say_json(&costs.json()),
            false => say(costs),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let device = args.device.open()?;
    if args.launch {
        launches(&device, args.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let full = args.full || device.backend() == Backend::Cuda;
    let named = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let mut rows = Vec::new();
    let lines: Vec<Line> = bench::plan()
        .filter(|(pattern, variant, _)| {
            (named(pattern.name) || named(variant.name)) && (!args.twins || has_twin(variant.name))
        })
        .map(|(pattern, variant, bench_size)| {
            let size = if full {
                bench_size
            } else {
                pattern.size.default
            };
            let setup = Setup {
                is_checked: !args.no_reference,
                rounds: args.rounds.unwrap_or(3),
                ..Setup::new(size, 1)
            };
            let line = Line::run(&device, variant, setup, None);
            rows.extend(line.row(pattern));
            line
        })
        .collect();
    let (name, is_gpu) = (&device.properties().name, device.backend() == Backend::Cuda);
    let session = args.keep.session(name, is_gpu, rows);
    if args.json {
        say_json(&report::json(&lines, &device));
    } else {
        let how = if full {
            "medians of 21 at the sizes of the benchmark"
        } else {
            "small sizes; `--full` takes the peer's"
        };
        say(format_args!(
            "{} ({}): {how}",
            device.properties().name,
            device.backend()
        ));
        report::say(&lines, device.backend());
        let has_library = |line: &Line| line.variant.library.is_some();
        if device.backend() == Backend::Sim && lines.iter().any(has_library) {
            say("NVIDIA's libraries, which some of these are timed beside, run on a GPU.");
        }
    }
    if device.backend() == Backend::Sim && args.only.is_empty() && !args.json {
        machine()?;
    }
    let is_slower = args.keep.finish(&session, args.json)?;
    Ok(if lines.iter().all(Line::is_good) && !is_slower {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What a launch costs the host.
fn launches(device: &Device, as_json: bool) -> Result<()> {
    let rows = launch::measure(device)?;
    if as_json {
        say_json(&serde_json::to_value(rows)?);
        return Ok(());
    }
    say(format_args!(
        "{} ({}): microseconds of the host for a launch that is queued, medians of 21",
        device.properties().name,
        device.backend()
    ));
    let mut table = table(&["launched by", "kernel", "graph of one"], &[1, 2]);
    for row in rows {
        table.add_row([
            row.way.to_owned(),
            format!("{:.2}", row.kernel),
            format!("{:.2}", row.graph),
        ]);
    }
    say(table);
    if device.backend() == Backend::Sim {
        say("On the simulated GPU a launch also runs the kernel, on this host.");
    }
    Ok(())
}

/// How fast the simulator itself is. Its figures are of another kind than a kernel's modelled time:
/// they are of this host.
fn machine() -> Result<()> {
    let bench = sim_figures::speed::Bench::new()?;
    say("\nThe simulator, on one thread of this host:");
    let mut table = table(&["program", "ms", "G lane instructions/s"], &[1, 2]);
    for program in bench.programs() {
        let figure = bench.measure(program, sim_figures::speed::Watch::Nothing, 0.5)?;
        let (time, rate) = (figure.seconds * 1e3, figure.rate() / 1e9);
        table.add_row([
            figure.name.to_owned(),
            format!("{time:.3}"),
            format!("{rate:.2}"),
        ]);
    }
    say(table);
    Ok(())
}
