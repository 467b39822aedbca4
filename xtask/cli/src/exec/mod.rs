//! `lanewise exec`: runs any program that uses the driver API on the simulated GPU.
//!
//! The program is started with the variables that choose the device, the checks and the counters.
//! If it contains no driver, the drop-in `libcuda.so.1` is put on its library path. The driver in
//! the program does the rest, and prints the summary when the program ends.

mod csv;
mod folded;

use std::env;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};

use anyhow::{Context, Result, ensure};
use lanewise_variables as variables;
use serde::Serialize;

use crate::figure::Record;
use crate::output::{say, say_json};
use crate::program::{Program, code_of, number_of};
use crate::sanitize::{self, Formats};
use crate::simulation::Simulation;

/// Run a program that uses CUDA's driver API on the simulated GPU
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The exit code is the program's. With several seeds the program runs as by `sanitize`.\n\nExamples:\n  cargo lanewise exec -- python vector_add.py\n  cargo lanewise exec --checks race --counters out.json -- ./my_program --size 1000\n  cargo lanewise exec --csv - -- ./my_program\n  cargo lanewise exec --model rtx4090 -- ctest --output-on-failure"
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
    pub(crate) results: Results,
}

/// What a run with one seed leaves.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Results {
    /// Only print findings; the launch succeeds
    #[arg(long)]
    report: bool,
    /// Write the counters of each kernel to this file, as JSON
    #[arg(long, value_name = "FILE")]
    counters: Option<PathBuf>,
    /// Write the counters that `ncu` has, too, to this file, as its `--csv --page raw` does; `-` is
    /// the terminal
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the instructions of each kernel's first launch by their Rust lines to this file, as
    /// folded stacks, which programs for flame graphs read
    #[arg(long, value_name = "FILE")]
    folded: Option<PathBuf>,
}

/// Runs the program and returns its exit code.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    run_with(args, &[])
}

/// The same with these variables.
pub(crate) fn run_with(args: &Args, set: &[(&variables::Variable, PathBuf)]) -> Result<ExitCode> {
    let Args {
        simulation,
        results,
        program: words,
    } = args;
    if simulation.seeds > 1 {
        ensure!(
            results.is_none(),
            "`--counters`, `--csv` and `--folded` are of one run; take one seed"
        );
        return sanitize::run_all(simulation, &Formats::default(), words);
    }
    let program = Program::find(words)?;
    let own = Counters::new(results.counters.as_deref())?;
    let mut command = program.command();
    simulation.set(&mut command, simulation.seed);
    command.envs(set.iter().map(|(variable, value)| (variable.name, value)));
    if results.report {
        command.env(variables::CHECKS_ACTION.name, "report");
    }
    program.check_settings(&command)?;
    command.env(variables::COUNTERS.name, own.path());
    let record = tempfile::NamedTempFile::new().context("cannot create a temporary file")?;
    if results.folded.is_some() {
        command.env(variables::RECORD.name, record.path());
    }
    if simulation.json {
        // Standard output is only for the JSON document.
        command.stdout(std::io::stderr());
    } else {
        command.env(variables::SUMMARY.name, "1");
    }
    let status = command
        .status()
        .with_context(|| format!("cannot run `{}`", words[0].to_string_lossy()))?;
    let outcome = ProgramOutcome::of(status, own.path());
    if simulation.json {
        say_json(&outcome)?;
    } else {
        match own.written() {
            Written::Whole => {}
            Written::Begun => eprintln!(
                "lanewise: the program ended {}, and the driver could not say what ran",
                match status.signal() {
                    Some(signal) => format!("by signal {signal}"),
                    None => "without its exit handlers (by `_exit`, or as another program)".into(),
                }
            ),
            Written::Nothing => eprintln!("lanewise: {}", program.not_initialised()),
        }
    }
    if let Some(path) = &results.csv {
        write(path, &csv::text(outcome.driver.as_ref()))?;
    }
    if let Some(path) = &results.folded {
        write(path, &folded::text(&Record::read(record.path())?))?;
    }
    Ok(match outcome.found() {
        true => simulation.code_of_findings(code_of(status)),
        false => code_of(status),
    })
}

impl Results {
    /// Returns whether no file is asked for.
    fn is_none(&self) -> bool {
        self.counters.is_none() && self.csv.is_none() && self.folded.is_none()
    }
}

/// Writes a file, or to standard output if it is called `-`.
fn write(path: &Path, text: &str) -> Result<()> {
    if path.as_os_str() == "-" {
        say(text.trim_end());
        return Ok(());
    }
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

/// The document that `--json` prints.
#[derive(Serialize)]
struct ProgramOutcome {
    /// The program's exit code; 128 plus the signal's number if a signal ended it.
    exit_code: u8,
    /// The simulated driver's summary, as `--counters` writes it; `None` if the program did not
    /// initialise the driver.
    driver: Option<serde_json::Value>,
}

impl ProgramOutcome {
    fn of(status: ExitStatus, counters: &Path) -> Self {
        let text = std::fs::read_to_string(counters).unwrap_or_default();
        Self {
            exit_code: number_of(status),
            driver: serde_json::from_str(&text).ok(),
        }
    }

    /// Returns whether the checks found something, or a kernel failed.
    fn found(&self) -> bool {
        let driver = self.driver.as_ref();
        let list = |name: &str| {
            driver
                .and_then(|it| it[name].as_array())
                .into_iter()
                .flatten()
        };
        let has = |kernel: &serde_json::Value| {
            kernel["findings"]
                .as_array()
                .is_some_and(|it| !it.is_empty())
        };
        list("host").next().is_some() || list("kernels").any(has)
    }
}

/// The placeholder for the process id in the name of such a file.
const PROCESS: &str = "%p";

/// The file for the counters: the user's, or a temporary one. If the file exists, the program has
/// initialised the driver.
struct Counters {
    path: PathBuf,
    is_ours: bool,
}

/// The state of that file. The driver creates it when it is initialised, and fills it when
/// the program ends.
enum Written {
    Nothing,
    Begun,
    Whole,
}

impl Counters {
    fn new(asked: Option<&Path>) -> Result<Counters> {
        let counters = match asked {
            Some(path) => Counters {
                path: std::path::absolute(path)
                    .with_context(|| format!("`{}` is no path", path.display()))?,
                is_ours: false,
            },
            None => {
                let name = format!("lanewise-counters-{}.json", std::process::id());
                Counters {
                    path: env::temp_dir().join(name),
                    is_ours: true,
                }
            }
        };
        // This checks now whether the file can be created, and not after the program has run
        // for an hour.
        let shown = counters.path.to_string_lossy();
        let tried = shown.replace(PROCESS, &std::process::id().to_string());
        std::fs::File::create(&tried)
            .with_context(|| format!("the counters cannot be written to `{tried}`"))?;
        // An old file would look like the file of this run.
        let _ = std::fs::remove_file(tried);
        Ok(counters)
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn written(&self) -> Written {
        if self.path.to_string_lossy().contains(PROCESS) {
            return Written::Whole; // One for each process, under its own name.
        }
        match self.path.metadata() {
            Ok(file) if file.len() > 0 => Written::Whole,
            Ok(_) => Written::Begun,
            Err(_) => Written::Nothing,
        }
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        if self.is_ours {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
