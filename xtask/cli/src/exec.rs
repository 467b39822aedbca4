//! `lanewise exec`: runs any program that uses the driver API on the simulated GPU.
//!
//! The program is started with the variables that choose the device, the checks and the counters.
//! If it contains no driver, the drop-in `libcuda.so.1` is put on its library path. The driver in
//! the program does the rest, and prints the summary when the program ends.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};

use anyhow::{Context, Result};
use lanewise_variables as variables;
use serde::Serialize;

use crate::output::say_json;
use crate::program::Program;

/// Run a program that uses CUDA's driver API on the simulated GPU
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The exit code is the program's.\n\nExamples:\n  cargo lanewise exec -- python vector_add.py\n  cargo lanewise exec --checks race --counters out.json -- ./my_program --size 1000\n  cargo lanewise exec --model rtx4090 -- ctest --output-on-failure"
)]
pub struct Args {
    /// The GPU to simulate, such as `rtx4090`
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The checks, separated by commas: `race`, `sync`, `memory`, `init`, or `all` of
    /// these, and `leak`
    #[arg(long, value_name = "LIST")]
    checks: Option<String>,
    /// Only print findings; the launch succeeds
    #[arg(long)]
    report: bool,
    /// The seed for the order of warps
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write the counters of each kernel to this file, as JSON
    #[arg(long, value_name = "FILE")]
    counters: Option<PathBuf>,
    /// Print the result as JSON, with the kernels' counters; the program's own output
    /// goes to stderr
    #[arg(long)]
    json: bool,
    /// The program and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

/// Runs the program and returns its exit code.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let program = Program::find(&args.program)?;
    let own = Counters::new(args.counters.as_deref())?;
    let mut command = program.command();
    let options = [
        (&variables::MODEL, args.model.clone()),
        (&variables::CHECKS, args.checks.clone()),
        (&variables::SEED, args.seed.map(|seed| seed.to_string())),
        (
            &variables::CHECKS_ACTION,
            args.report.then(|| "report".to_owned()),
        ),
    ];
    for (variable, value) in options {
        if let Some(value) = value {
            command.env(variable.name, value);
        }
    }
    program.check_settings(&command)?;
    command.env(variables::COUNTERS.name, own.path());
    if args.json {
        // Standard output is only for the JSON document.
        command.stdout(std::io::stderr());
    } else {
        command.env(variables::SUMMARY.name, "1");
    }
    let status = command
        .status()
        .with_context(|| format!("cannot run `{}`", args.program[0].to_string_lossy()))?;
    if args.json {
        say_json(&ProgramOutcome::of(status, own.path()))?;
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
    Ok(code_of(status))
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

/// Returns the program's exit code, or 128 plus the number of a signal, as in shells.
pub(crate) fn code_of(status: ExitStatus) -> ExitCode {
    ExitCode::from(number_of(status))
}

fn number_of(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
