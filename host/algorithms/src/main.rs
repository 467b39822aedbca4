//! Times the algorithms at full size, and compares their results with the CPU's.

mod jobs;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use lanewise::{Backend, Device};
use lanewise_records::{Beside, Keep, Row, columns};

use jobs::{JOBS, Measured, Runner, SPACES};

/// Time the algorithms of the library at full size, and compare their results with the CPU
#[derive(Parser)]
#[command(
    max_term_width = 100,
    after_help = "Examples:\n  algorithms                       # all of them, 2^28 elements\n  algorithms --log2 16 scan soft   # some of them, small\n  algorithms --json sum > sum.json\n  algorithms --list                # their names\n  algorithms --compare h200.json   # fails if one is slower than it was\n  algorithms --tune sum fft        # with each value that a caller can choose"
)]
struct Args {
    /// Those whose name begins with one of these; all if none is named
    names: Vec<String>,
    /// The logarithm of the number of elements to base 2
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(10..=30))]
    log2: u32,
    /// How often each is measured; the median counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// What NVIDIA's libraries took on the same GPU: lines of a name of these, milliseconds, and
    /// the library
    #[arg(long, value_name = "FILE")]
    beside: Option<PathBuf>,
    #[command(flatten)]
    keep: Keep,
    /// Measure those of which a caller can choose something, with each value of the choice
    #[arg(long, conflicts_with = "beside")]
    tune: bool,
    /// Print the names and end
    #[arg(long)]
    list: bool,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// The result of a job: its row, which has no times if it failed, and why it failed.
#[derive(serde::Serialize)]
struct Line {
    #[serde(flatten)]
    row: Row,
    rate: Option<String>,
    error: Option<String>,
}

impl Line {
    fn text(&self) -> String {
        if let Some(error) = &self.error {
            return format!("{:18} {error}", self.row.name);
        }
        let [time, rate, library, percent] = columns(&self.row);
        let beside = match library.as_str() {
            "-" => String::new(),
            _ => format!("   {percent:>4} % of {library}"),
        };
        format!("{:18} {time:>9} {rate:>15}{beside}", self.row.name)
    }
}

/// Reads what the libraries took: lines of a name, milliseconds and the library.
fn libraries(path: &Path) -> Result<BTreeMap<String, Beside>> {
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))?;
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, time) = (words.next()?, words.next()?.parse().ok()?);
        let library = words.collect::<Vec<_>>().join(" ");
        let is_sound = time > 0.0 && !library.is_empty() && JOBS.iter().any(|job| job.0 == name);
        let beside = Beside {
            name: library,
            milliseconds: vec![time],
        };
        is_sound.then(|| (name.to_owned(), beside))
    };
    let lines = text.lines().filter(|text| !text.trim().is_empty());
    lines
        .map(|text| {
            let expected = "expected an algorithm's name, milliseconds and a library";
            line(text).with_context(|| format!("`{shown}`: {expected}, found `{text}`"))
        })
        .collect()
}

/// Prints a line. If the reader has closed the pipe (`| head`), this is not an error.
fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let chosen = chosen(&args)?;
    if args.list {
        for (name, _) in chosen {
            say(&name);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut beside = match &args.beside {
        Some(path) => libraries(path)?,
        None => BTreeMap::new(),
    };
    let device = Device::open()?;
    let stream = device.stream()?;
    let run = Runner {
        device,
        stream,
        len: 1 << args.log2,
        rounds: args.rounds,
    };
    let mut lines = Vec::new();
    for (name, job) in chosen {
        let (measured, error) = match job(&run) {
            Ok(measured) => (Some(measured), None),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        let row = jobs::row(&name, run.len, measured, beside.remove(&name));
        let rate = row.rate();
        let line = Line { row, rate, error };
        if !args.json {
            say(&line.text());
        }
        lines.push(line);
    }
    if args.json {
        say(&serde_json::to_string_pretty(&lines)?);
    }
    let is_slower = keep(&args, &run.device, &lines)?;
    let is_good = lines.iter().all(|line| line.error.is_none());
    Ok(if is_good && !is_slower {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A job to run, and its name.
type Chosen = (String, Box<dyn Fn(&Runner) -> Result<Measured>>);

/// Returns the jobs that the options name, or the values of what can be chosen of them.
fn chosen(args: &Args) -> Result<Vec<Chosen>> {
    let all: Vec<(&str, Chosen)> = if args.tune {
        let values = SPACES.iter().flat_map(|space| {
            space.values.iter().map(move |value| {
                let name = format!("{}.{}({value})", space.job, space.of);
                let measure: Box<dyn Fn(&Runner) -> _> =
                    Box::new(|run| (space.measure)(run, *value));
                (space.job, (name, measure))
            })
        });
        values.collect()
    } else {
        let jobs = JOBS.iter().map(|(name, job)| {
            let measure: Box<dyn Fn(&Runner) -> _> = Box::new(job);
            (*name, ((*name).to_owned(), measure))
        });
        jobs.collect()
    };
    let begins = |part: &String, name: &str| name.starts_with(part.as_str());
    let is_there = |part: &&String| all.iter().any(|(name, _)| begins(part, name));
    if let Some(none) = args.names.iter().find(|part| !is_there(part)) {
        bail!("no algorithm's name begins with `{none}` (`algorithms --list` has the names)");
    }
    let is_chosen =
        |name: &str| args.names.is_empty() || args.names.iter().any(|part| begins(part, name));
    Ok(all
        .into_iter()
        .filter(|(name, _)| is_chosen(name))
        .map(|(_, job)| job)
        .collect())
}

/// Compares and records the rows, as the options say. Returns whether one is slower than before.
fn keep(args: &Args, device: &Device, lines: &[Line]) -> Result<bool> {
    let sound = lines.iter().filter(|line| line.error.is_none());
    let rows = sound.map(|line| line.row.clone()).collect();
    let is_gpu = device.backend() == Backend::Cuda;
    let session = args.keep.session(&device.properties().name, is_gpu, rows);
    args.keep.finish(&session, args.json)
}
