//! `patterns diff`: the simulator compared with the GPU, instruction by instruction.
//!
//! The cases run in a child process. A kernel that makes the device fail, or that never ends, ends
//! that process too. The next child process continues after that case.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, Result};
use lanewise::Backend;
use lanewise_diff::case::{self, Case};
use lanewise_diff::cases;
use lanewise_diff::machine::{Driver, Simulator};
use lanewise_diff::results::report::OUTCOMES;
use lanewise_diff::{Outcome, Report, Session, Verdict};
use lanewise_records::Provenance;

use super::output::{say, table};
use super::select::Choice;

/// Options of `patterns diff`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only instructions that begin so: `add.`, `cvt.rn.f16`
    only: Vec<String>,
    /// Who is right; `sim` puts the simulator against itself, which tries the harness
    /// and judges nothing
    #[arg(long, value_enum, default_value_t = Choice::Cuda)]
    device: Choice,
    /// Chooses the values
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON, as `host/diff/results` has it
    #[arg(long)]
    json: bool,
    /// Run the cases from this one on and print each outcome: what the child process does
    #[arg(long, hide = true)]
    from: Option<usize>,
}

/// The time limit for a child without output. Compiling a module of kernels takes a second or two.
const SILENCE: Duration = Duration::from_secs(120);

/// Runs the comparison, as parent or as child.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let mut cases = cases::all();
    if !args.only.is_empty() {
        cases.retain(|case| {
            let text = &case.sample.instruction;
            args.only.iter().any(|only| text.starts_with(only))
        });
    }
    if let Some(from) = args.from {
        return child(&args, cases.get(from..).unwrap_or_default());
    }
    let mut report = head(&args)?;
    let mut done = 0;
    while done < cases.len() {
        let before = done;
        let ended = read(&args, done, &mut |outcome| {
            if let Some(case) = cases.get(done) {
                report.add(case, outcome);
            }
            done += 1;
        })?;
        if done < cases.len() && (!ended || done == before) {
            report.add(
                &cases[done],
                Outcome::DeviceFaulted {
                    why: "the process died or went silent".into(),
                },
            );
            done += 1;
        }
    }
    if args.json {
        say(serde_json::to_string_pretty(&report)?);
    } else {
        print(&report);
    }
    Ok(if report.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Makes a report with its head filled in. The device is opened only for its name, because the
/// child runs the kernels.
fn head(args: &Args) -> Result<Report> {
    let device = args.device.open().context(
        "the simulator is compared with a GPU, and there is none here; host/diff/results has what one said",
    )?;
    let is_gpu = device.backend() == Backend::Cuda;
    let place = Provenance::now(&device.properties().name, is_gpu);
    Ok(Report {
        device: place.device,
        compute_capability: device.properties().compute_capability.to_string(),
        driver: place.driver,
        date: place.date,
        seed: args.seed,
        threads: case::THREADS,
        ..Report::default()
    })
}

/// Starts a child at a case and reads its outcomes until it ends. Returns whether it ended by
/// itself and with success.
fn read(args: &Args, from: usize, take: &mut dyn FnMut(Outcome)) -> Result<bool> {
    let mut child = start(args, from)?;
    let output = child.stdout.take().context("the child has no output")?;
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(outcome) => take(outcome),
                // A driver may print, too.
                Err(_) => eprintln!("{line}"),
            },
            Err(RecvTimeoutError::Disconnected) => return Ok(child.wait()?.success()),
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                child.wait()?;
                return Ok(false);
            }
        }
    }
}

fn start(args: &Args, from: usize) -> Result<Child> {
    let program = std::env::current_exe().context("this program does not know its own path")?;
    let device = match args.device {
        Choice::Sim => "sim",
        Choice::Auto | Choice::Cuda => "cuda",
    };
    Command::new(program)
        .args(["diff", "--device", device])
        .args([
            "--seed",
            &args.seed.to_string(),
            "--from",
            &from.to_string(),
        ])
        .args(&args.only)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the process that runs the kernels")
}

/// Runs cases and prints an outcome a line.
fn child(args: &Args, cases: &[Case]) -> Result<ExitCode> {
    let device = args.device.open()?;
    let capability = device.properties().compute_capability;
    let session = Session {
        device: &Driver::new(device)?,
        simulator: &Simulator::new()?,
        sm: capability.major * 10 + capability.minor,
        seed: args.seed,
    };
    let mut output = std::io::stdout();
    session.run(cases, &mut |_, outcome| {
        let line = serde_json::to_string(&outcome).unwrap_or_default();
        // An error means that the parent has ended. It is handled at the next case.
        let _ = writeln!(output, "{line}");
    });
    // This does not return normally, because freeing objects on a failed device may hang.
    std::process::exit(0)
}

fn print(report: &Report) {
    say(format_args!(
        "{} ({}), {}, {}",
        report.device, report.compute_capability, report.driver, report.date
    ));
    let mut table = table(&["outcome", "instructions"], &[1]);
    for outcome in OUTCOMES {
        table.add_row([outcome.to_owned(), report.count(outcome).to_string()]);
    }
    say(table);
    for line in report
        .cases
        .iter()
        .filter(|line| line.outcome.is_wrong() || line.outcome.name() == "nan-payload")
    {
        say(format_args!(
            "{}: {}",
            line.instruction,
            line.outcome.name()
        ));
        match &line.outcome {
            Outcome::Compared(comparison) if comparison.verdict > Verdict::WithinBound => {
                say(format_args!(
                    "    {} of {} threads",
                    comparison.threads, report.threads
                ));
                for example in &comparison.examples {
                    say(format_args!(
                        "    thread {}: {} -> {} is {}, simulated {}",
                        example.thread,
                        example.operands.join(", "),
                        example.field,
                        example.device,
                        example.simulator
                    ));
                }
            }
            Outcome::DeviceFaulted { why } | Outcome::SimulatorFaulted { why } => {
                say(format_args!("    {why}"))
            }
            _ => {}
        }
    }
}
