//! The program `wrong`: the library of wrong kernels, on a GPU and on the simulator.
//!
//! `cargo xtask diff-sanitizer` starts it; a bundle carries it to a machine with a GPU.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use lanewise::{Backend, Device};
use lanewise_records::Provenance;
use wrong::case::{Case, Variant};
use wrong::launched::{Ending, Launcher};
use wrong::sanitizer::{self, Answer, Outcome, Record, Session, TOOLS};
use wrong::served::{self, Request};
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
        #[arg(long, value_enum, default_value_t = VariantName::Wrong)]
        part: VariantName,
        /// Names as `list` prints them
        #[arg(required = true)]
        cases: Vec<String>,
    },
    /// Launch what standard input asks for, each in a process forked from this one
    #[command(hide = true)]
    Serve,
    /// Compare every case with its report on the simulator, under all checks and with many seeds
    Simulate {
        /// Seeds, from 0
        #[arg(long, default_value_t = 32)]
        seeds: u64,
        #[command(flatten)]
        filter: Filter,
    },
    /// Run every case and its twin under each tool of compute-sanitizer, and print
    /// which finds which
    Sanitizer(Sanitizer),
}

/// Which cases to run.
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
    /// Write the result as JSON, as `tests/wrong/results` has it; what the file has already is
    /// not run again
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The program compute-sanitizer
    #[arg(long, value_name = "PROGRAM", default_value = "compute-sanitizer")]
    sanitizer: PathBuf,
    /// Processes side by side; as many as the machine has cores, unless this is given
    #[arg(long)]
    jobs: Option<usize>,
    /// Seconds that a kernel may take
    #[arg(long, default_value_t = 6)]
    limit: u64,
    /// Seconds in which processes begin; what is left another call does
    #[arg(long, default_value_t = 3600)]
    within: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum VariantName {
    Wrong,
    Right,
}

impl From<VariantName> for Variant {
    fn from(which: VariantName) -> Self {
        match which {
            VariantName::Wrong => Variant::Wrong,
            VariantName::Right => Variant::Right,
        }
    }
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::List(filter) => list(&filter),
        Command::Run { part, cases } => launch(part.into(), &cases),
        Command::Serve => serve(),
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

/// How long a tool has to write what it has to say of a case.
const PAUSE: Duration = Duration::from_millis(100);

/// Launches cases until one takes the device down.
fn launch(part: Variant, names: &[String]) -> Result<ExitCode> {
    let mut launcher = Launcher::new().map_err(anyhow::Error::msg)?;
    for name in names {
        let case = Case::all().find(|case| case.id() == *name);
        let case = case.with_context(|| format!("there is no case `{name}`"))?;
        let ending = launcher.run(&case, part, &mut || sanitizer::say_launched(name));
        if names.len() > 1 {
            // A tool may write from a thread or a process of its own, and what it writes is taken
            // for the case before.
            std::thread::sleep(PAUSE);
        }
        sanitizer::say_ended(name, &ending);
        if matches!(ending, Ending::Failed(_)) {
            // Not by `return`: on a device that is down, taking things down in order may hang.
            std::process::exit(1)
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn serve() -> Result<ExitCode> {
    let launched = |request: &Request| {
        let launched = launch(request.part, std::slice::from_ref(&request.case));
        launched.map_or_else(
            |error| {
                eprintln!("error: {error:#}");
                1
            },
            |_| 0,
        )
    };
    // SAFETY: nothing has begun a thread, and `launch` is called in other processes.
    unsafe { served::serve(launched) }?;
    Ok(ExitCode::SUCCESS)
}

fn simulate(seeds: u64, filter: &Filter) -> Result<ExitCode> {
    let cases = filter.cases()?;
    let count = cases.len();
    let program = std::env::current_exe().context("this program does not know its own path")?;
    let problems = simulated::problems(&program, cases.into_iter(), seeds, &mut |_| {});
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
        within: Duration::from_secs(args.within),
    };
    let version = session.version().with_context(|| {
        format!(
            "cannot start `{}`; `--sanitizer` says where it is",
            args.sanitizer.display()
        )
    })?;
    let place = place()?;
    let mut record = Record {
        device: place.device,
        driver: place.driver,
        sanitizer: version,
        date: place.date,
        limit: args.limit,
        cases: BTreeMap::new(),
    };
    if let Some(path) = args.out.as_deref().filter(|path| path.exists()) {
        let text = std::fs::read_to_string(path)?;
        let known: Record = serde_json::from_str(&text)
            .with_context(|| format!("`{}` holds something else", path.display()))?;
        if (&known.device, &known.sanitizer) != (&record.device, &record.sanitizer) {
            bail!(
                "`{}` is of another device or another compute-sanitizer",
                path.display()
            );
        }
        record.cases = known.cases;
    }
    let mut problem = None;
    session.run(&cases, &mut record, &mut |record, done, left| {
        eprintln!("{done} processes, {left} left");
        if let Some(path) = &args.out
            && let Err(error) = write(record, path)
        {
            problem = Some(error);
        }
    });
    print(&record);
    if let Some(path) = &args.out {
        write(&record, path)?;
    }
    problem.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Writes the record so that there is a whole one at all times.
fn write(record: &Record, path: &Path) -> Result<()> {
    let text = serde_json::to_string_pretty(record)? + "\n";
    let beside = path.with_extension("new");
    std::fs::write(&beside, text)
        .and_then(|()| std::fs::rename(&beside, path))
        .with_context(|| format!("cannot write `{}`", path.display()))
}

/// Where and when the session runs.
fn place() -> Result<Provenance> {
    let device = Device::open()?;
    let is_gpu = device.backend() == Backend::Cuda;
    Ok(Provenance::now(&device.properties().name, is_gpu))
}

/// What each tool made of each case, a line a case; silence is a dash, and twins that all leave
/// alone are not listed.
fn print(record: &Record) {
    for (name, answers) in &record.cases {
        for part in [Variant::Wrong, Variant::Right] {
            let by = answers.of(part);
            let silent = |answer: &Answer| answer.outcome == Outcome::Silent;
            if part == Variant::Right && by.values().all(silent) {
                continue;
            }
            let outcomes = TOOLS.map(|tool| match by.get(tool).map(|answer| answer.outcome) {
                None => "?",
                Some(Outcome::Silent) => "-",
                Some(Outcome::Found) => "found",
                Some(Outcome::Failed) => "failed",
                Some(Outcome::Hangs) => "hangs",
                Some(Outcome::Refused) => "refused",
                Some(Outcome::Late) => "unknown",
            });
            println!("{name} {}: {}", part.name(), outcomes.join(" "));
        }
    }
    println!(
        "{} cases under {}: {}, {}, {}",
        record.cases.len(),
        TOOLS.join(", "),
        record.device,
        record.sanitizer,
        record.date
    );
}
