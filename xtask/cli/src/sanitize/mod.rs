//! `lanewise sanitize`: runs a program under all checks, with several orders of its warps, and
//! lists all findings.
//!
//! It corresponds to compute-sanitizer on a GPU. The program runs once for each seed with the
//! simulated driver, which writes the findings of its checks to a file. A finding does not end the
//! launch, so one run can have several. A finding that several runs have is listed once.

mod findings;
mod formats;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use lanewise_variables as variables;

use crate::exec;
use crate::output::{say, say_json};
use crate::program::Program;
use crate::progress::Progress;
use findings::Findings;

/// Run a program on the simulated GPU under all checks, with several seeds, and list what they find
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The exit code is 0 if nothing was found, 1 if something was, and the program's own if it failed for another reason.\n\n\
                  Examples:\n  cargo lanewise sanitize -- cargo test\n  cargo lanewise sanitize --tools race --seeds 32 -- ./my_program\n  \
                  cargo lanewise sanitize --github -- python -m pytest tests/gpu\n  cargo lanewise sanitize --schedule pct,weak --seeds 100 -- ./my_program\n  \
                  cargo lanewise sanitize --schedule pct,weak --replay 7 -- ./my_program\n  \
                  cargo lanewise sanitize --tools all,leak -- ./my_program"
)]
pub struct Args {
    /// The checks, separated by commas: `memory`, `race`, `sync`, `init`, or `all` of these;
    /// `init=strict`, which also reports reads that are no use yet; and `leak`
    #[arg(long, value_name = "LIST", default_value = "all,init=strict")]
    tools: String,
    /// How many seeds to run, each another order of warps
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: u64,
    /// The first seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    first: u64,
    /// Run this seed once, and show the steps of its schedule
    #[arg(long, value_name = "SEED", conflicts_with_all = ["first", "seeds"])]
    replay: Option<u64>,
    /// How threads are scheduled at memory accesses: `plain`, `random`, `pct` or `pct:DEPTH`, with
    /// `weak` for old values
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<String>,
    /// The GPU to simulate, such as `rtx4090`
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Write SARIF 2.1.0 to this file, for code hosts to show beside the lines
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Print annotations for GitHub Actions
    #[arg(long)]
    github: bool,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

/// Runs the program once for each seed and prints the findings.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    ensure!(args.seeds > 0, "`--seeds 0` runs nothing");
    let first = args.replay.unwrap_or(args.first);
    let program = Program::find(&args.program)?;
    program.check_settings(&command(args, &program, first))?;
    let mut findings = Findings::default();
    let mut failed = None;
    let progress = Progress::start("running");
    for seed in (0..args.seeds).map(|n| first.wrapping_add(n)) {
        progress.now(format!("seed {seed}"));
        let status = run_once(args, &program, seed, &mut findings)?;
        if !status.success() {
            failed.get_or_insert(status);
        }
    }
    drop(progress);
    ensure!(findings.drivers > 0, "{}", program.not_initialised());
    if args.github {
        formats::github(&findings).iter().for_each(say);
    }
    if args.json {
        say_json(&findings)?;
    } else {
        say(formats::text(&findings));
    }
    // The file is written last, so the findings are printed even if it cannot be written.
    if let Some(path) = &args.sarif {
        std::fs::write(path, format!("{:#}\n", formats::sarif(&findings)))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(match failed {
        _ if !findings.is_empty() => ExitCode::from(1),
        Some(status) => exec::code_of(status),
        None => ExitCode::SUCCESS,
    })
}

/// Returns the command that runs the program with this seed.
fn command(args: &Args, program: &Program, seed: u64) -> Command {
    let mut command = program.command();
    command
        .env(variables::CHECKS.name, &args.tools)
        .env(variables::CHECKS_ACTION.name, "report")
        .env(variables::SEED.name, seed.to_string())
        .env(variables::LOG.name, "off");
    if let Some(schedule) = &args.schedule {
        command.env(variables::SCHEDULE.name, schedule);
    }
    if args.replay.is_some() {
        command.env(variables::STEPS.name, "1");
    }
    if let Some(model) = &args.model {
        command.env(variables::MODEL.name, model);
    }
    command
}

/// Runs the program once. Only the first run's output is shown, because the output of the others is
/// the same, except for races.
fn run_once(
    args: &Args,
    program: &Program,
    seed: u64,
    findings: &mut Findings,
) -> Result<std::process::ExitStatus> {
    let folder = Folder::new()?;
    let mut command = command(args, program, seed);
    // The program may start other processes, and each writes its own file.
    command.env(variables::COUNTERS.name, folder.0.join("%p.json"));
    if seed != args.replay.unwrap_or(args.first) {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    } else if args.json {
        // Standard output is only for the document.
        command.stdout(std::io::stderr());
    }
    let status = command
        .status()
        .with_context(|| format!("cannot run `{}`", args.program[0].to_string_lossy()))?;
    findings.read(&folder.0, seed)?;
    Ok(status)
}

/// A temporary folder for one run's files.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("lanewise-sanitize-{}", std::process::id()));
        // Files of an earlier run would look like those of this run.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path)
            .with_context(|| format!("cannot make `{}`", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
