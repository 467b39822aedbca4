//! `lanewise sanitize`: runs a program under all checks, with several orders of its warps, and
//! lists all findings.
//!
//! It corresponds to compute-sanitizer on a GPU. The program runs once for each seed with the
//! simulated driver, which writes the findings of its checks to a file. A finding does not end the
//! launch, so one run can have several. A finding that several runs have is listed once.

mod findings;
mod formats;

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use anyhow::{Context, Result, ensure};
use lanewise_variables as variables;

use crate::output::{say, say_json};
use crate::program::{Program, code_of};
use crate::progress::Progress;
use crate::simulation::Simulation;
use findings::Findings;

/// Run a program on the simulated GPU under all checks, with several seeds, and list what they find
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The exit code is 0 if nothing was found, 1 if something was, and the program's own if it failed for another reason.\n\n\
                  Examples:\n  cargo lanewise sanitize -- cargo test\n  cargo lanewise sanitize --checks race --seeds 32 -- ./my_program\n  \
                  cargo lanewise sanitize --github -- python -m pytest tests/gpu\n  cargo lanewise sanitize --schedule pct,weak --seeds 100 -- ./my_program\n  \
                  cargo lanewise sanitize --schedule pct,weak --replay 7 -- ./my_program\n  \
                  cargo lanewise sanitize --checks all,leak -- ./my_program"
)]
pub struct Args {
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    pub(crate) program: Vec<OsString>,
    #[command(flatten)]
    pub(crate) simulation: Simulation,
    #[command(flatten)]
    pub(crate) formats: Formats,
}

/// What is done with the findings besides printing them.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Formats {
    /// Run this seed once, and show the steps of its schedule
    #[arg(long, value_name = "SEED", conflicts_with_all = ["seed", "seeds"])]
    replay: Option<u64>,
    /// Write SARIF 2.1.0 to this file, for code hosts to show beside the lines
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Print annotations for GitHub Actions, and write the step's summary there
    #[arg(long)]
    github: bool,
}

/// The checks without the option.
const ALL: &str = "all,init=strict";

/// Runs the program once for each seed and prints the findings.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut simulation = args.simulation.clone();
    simulation.checks.get_or_insert(ALL.into());
    run_all(&simulation, &args.formats, &args.program)
}

/// The same, with no checks but those that are asked for.
pub(crate) fn run_all(
    simulation: &Simulation,
    formats: &Formats,
    words: &[OsString],
) -> Result<ExitCode> {
    let seeds: Vec<u64> = match formats.replay {
        Some(seed) => vec![seed],
        None => simulation.all_seeds().collect(),
    };
    let program = Program::find(words)?;
    let runs = Runs {
        simulation,
        replays: formats.replay.is_some(),
        program: &program,
    };
    program.check_settings(&runs.command(seeds[0]))?;
    let mut findings = Findings::default();
    let mut failed = None;
    let progress = Progress::start("running");
    for (number, &seed) in seeds.iter().enumerate() {
        progress.now(format!("seed {seed}"));
        let status = runs.once(seed, number == 0, &mut findings);
        let status =
            status.with_context(|| format!("cannot run `{}`", words[0].to_string_lossy()))?;
        if !status.success() {
            failed.get_or_insert(status);
        }
    }
    drop(progress);
    ensure!(findings.drivers > 0, "{}", program.not_initialised());
    if formats.github {
        formats::github(&findings).iter().for_each(say);
        if let Some(path) = variables::GITHUB_STEP_SUMMARY.path() {
            append(&path, &formats::summary(&findings))?;
        }
    }
    if simulation.json {
        say_json(&findings)?;
    } else {
        say(formats::text(&findings));
    }
    // The file is written last, so the findings are printed even if it cannot be written.
    if let Some(path) = &formats.sarif {
        std::fs::write(path, format!("{:#}\n", formats::sarif(&findings)))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(match failed {
        _ if !findings.is_empty() => simulation.code_of_findings(ExitCode::from(1)),
        Some(status) => code_of(status),
        None => ExitCode::SUCCESS,
    })
}

/// Adds text to the end of a file. Other steps and runs write the same one.
fn append(path: &Path, text: &str) -> Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| writeln!(file, "{text}"))
        .with_context(|| format!("cannot write `{}`", path.display()))
}

/// The runs of a program.
struct Runs<'a> {
    simulation: &'a Simulation,
    /// Whether the steps of the schedule are shown.
    replays: bool,
    program: &'a Program,
}

impl Runs<'_> {
    /// Returns the command that runs the program with this seed.
    fn command(&self, seed: u64) -> Command {
        let mut command = self.program.command();
        self.simulation.set(&mut command, Some(seed));
        command
            .env(variables::CHECKS_ACTION.name, "report")
            .env(variables::LOG.name, "off");
        if self.replays {
            command.env(variables::STEPS.name, "1");
        }
        command
    }

    /// Runs the program once. Only the first run's output is shown, because the output of the
    /// others is the same, except for races.
    fn once(&self, seed: u64, is_first: bool, findings: &mut Findings) -> Result<ExitStatus> {
        let folder = Folder::new()?;
        let mut command = self.command(seed);
        // The program may start other processes, and each writes its own file.
        command.env(variables::COUNTERS.name, folder.0.join("%p.json"));
        if !is_first {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        } else if self.simulation.json {
            // Standard output is only for the document.
            command.stdout(std::io::stderr());
        }
        let status = command.status()?;
        findings.read(&folder.0, seed)?;
        Ok(status)
    }
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
