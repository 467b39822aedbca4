//! The program `wrong`: the library of wrong kernels, on a GPU and on the simulator.
//!
//! `cargo xtask diff-sanitizer` starts it; a bundle carries it to a machine with a GPU.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use lanewise::{Backend, Device};
use wrong::case::{Case, Part};
use wrong::launched::{Ending, Launcher};
use wrong::sanitizer::{self, Outcome, Record, Session, TOOLS};
use wrong::simulated;

/// Small wrong kernels and their right twins.
#[derive(Debug, Parser)]
#[command(name = "wrong")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the cases' names
    List(Filter),
    /// Launch a kernel of these cases on the driver's device, and say how it ended
    Run {
        /// Which of the two kernels
        #[arg(long, value_enum, default_value_t = Which::Wrong)]
        part: Which,
        /// Names as `list` prints them
        #[arg(required = true)]
        cases: Vec<String>,
    },
    /// Hold every case against its report on the simulator, under all checks and with many seeds
    Simulate {
        /// Seeds, from 0
        #[arg(long, default_value_t = 32)]
        seeds: u64,
        #[command(flatten)]
        filter: Filter,
    },
    /// Run every case and its twin under each tool of compute-sanitizer, and print which finds which
    Sanitizer(Sanitizer),
}

/// Which cases.
#[derive(Debug, clap::Args)]
struct Filter {
    /// Only cases whose name has this in it: `race/`, `ptx/sync/counts_differ`
    filter: Option<String>,
}

impl Filter {
    fn cases(&self) -> Result<Vec<Case>> {
        let has = |case: &Case| {
            let only = self.filter.as_deref().unwrap_or_default();
            case.id().contains(only)
        };
        let cases: Vec<Case> = Case::all().filter(has).collect();
        if cases.is_empty() {
            bail!("no case has that in its name; `wrong list` prints all");
        }
        Ok(cases)
    }
}

#[derive(Debug, clap::Args)]
struct Sanitizer {
    #[command(flatten)]
    filter: Filter,
    /// Write the result as JSON, as `tests/wrong/results` has it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The program compute-sanitizer
    #[arg(long, value_name = "PROGRAM", default_value = "compute-sanitizer")]
    sanitizer: PathBuf,
    /// Processes side by side; as many as the machine has cores, unless this is given
    #[arg(long)]
    jobs: Option<usize>,
    /// Seconds that a kernel may take
    #[arg(long, default_value_t = 10)]
    limit: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    Wrong,
    Right,
}

impl From<Which> for Part {
    fn from(which: Which) -> Self {
        match which {
            Which::Wrong => Part::Wrong,
            Which::Right => Part::Right,
        }
    }
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::List(filter) => list(&filter),
        Command::Run { part, cases } => launch(part.into(), &cases),
        Command::Simulate { seeds, filter } => simulate(seeds, &filter),
        Command::Sanitizer(args) => sanitizer(&args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn list(filter: &Filter) -> Result<ExitCode> {
    for case in filter.cases()? {
        println!("{}: {}", case.id(), case.says());
    }
    Ok(ExitCode::SUCCESS)
}

/// Launches cases until one takes the device down.
fn launch(part: Part, names: &[String]) -> Result<ExitCode> {
    let mut launcher = Launcher::new().map_err(anyhow::Error::msg)?;
    for name in names {
        let case = Case::all().find(|case| case.id() == *name);
        let case = case.with_context(|| format!("there is no case `{name}`"))?;
        let ending = launcher.run(&case, part, &mut || sanitizer::say_launched(name));
        sanitizer::say_ended(name, &ending);
        if ending != Ending::Ended {
            // Not by `return`: on a device that is down, taking things down in order may hang.
            std::process::exit(1)
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn simulate(seeds: u64, filter: &Filter) -> Result<ExitCode> {
    let cases = filter.cases()?;
    let count = cases.len();
    let problems = simulated::problems(cases.into_iter(), seeds, &mut |_| {});
    for problem in &problems {
        println!("{problem}");
    }
    println!(
        "{count} cases and their twins, {seeds} seeds each, all checks: {} problems",
        problems.len()
    );
    Ok(if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn sanitizer(args: &Sanitizer) -> Result<ExitCode> {
    let cases = args.filter.cases()?;
    let program = std::env::current_exe().context("this program does not know its own path")?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let session = Session {
        sanitizer: &args.sanitizer,
        program: &program,
        jobs: args.jobs.unwrap_or(cores),
        limit: Duration::from_secs(args.limit),
    };
    let version = session.version().with_context(|| {
        format!(
            "cannot start `{}`; `--sanitizer` says where it is",
            args.sanitizer.display()
        )
    })?;
    let (device, driver) = device()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let cases = session.run(&cases, &|done, all| {
        if done % 100 == 0 || done == all {
            eprintln!("{done} of {all} processes");
        }
    });
    let record = Record {
        device,
        driver,
        sanitizer: version,
        date: lanewise_diff::report::date(now.map_or(0, |since| since.as_secs())),
        limit: args.limit,
        cases,
    };
    print(&record);
    if let Some(path) = &args.out {
        let text = serde_json::to_string_pretty(&record)?;
        std::fs::write(path, text + "\n")
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The names of the device and of its driver.
fn device() -> Result<(String, String)> {
    let device = Device::open()?;
    let driver = match device.backend() {
        Backend::Cuda => std::fs::read_to_string("/proc/driver/nvidia/version")
            .ok()
            .and_then(|text| text.lines().next().map(str::to_owned))
            .unwrap_or_else(|| "unknown".into()),
        Backend::Sim => "the simulator behind the driver's calls".into(),
    };
    Ok((device.properties().name.clone(), driver))
}

/// What each tool made of each case, a line a case; silence is a dash.
fn print(record: &Record) {
    for (name, answers) in &record.cases {
        for (part, by) in [("wrong", &answers.wrong), ("right", &answers.right)] {
            if part == "right" && by.is_empty() {
                continue;
            }
            let outcomes = TOOLS.map(|tool| match by.get(tool).map(|answer| answer.outcome) {
                None | Some(Outcome::Silent) => "-",
                Some(Outcome::Found) => "found",
                Some(Outcome::Failed) => "failed",
                Some(Outcome::Hangs) => "hangs",
                Some(Outcome::Refused) => "refused",
                Some(Outcome::Late) => "unknown",
            });
            println!("{name} {part}: {}", outcomes.join(" "));
        }
    }
    println!(
        "{} cases under {}: {}, {}, {}",
        record.cases.len(),
        TOOLS[1..].join(", "),
        record.device,
        record.sanitizer,
        record.date
    );
}
