//! `patterns rank`: one rank of an all-reduce between processes, by NCCL.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use lanewise::{Backend, Device, DeviceBuffer};
use lanewise_patterns::multi_gpu::nccl::{Id, Nccl};
use lanewise_patterns::streams::jobs::timed;

use super::output::say;

/// Options of `patterns rank`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// This process's rank, from 0; it takes the device of that number
    #[arg(long)]
    rank: usize,
    /// How many there are
    #[arg(long)]
    of: usize,
    /// A file by which rank 0 tells the others the group's id; it should not be there before
    #[arg(long, value_name = "FILE")]
    id: PathBuf,
    /// Elements of each rank
    #[arg(long, default_value_t = 1 << 26)]
    size: usize,
}

const EXAMPLES: &str = "\
Several processes need NCCL (libnccl.so.2) and a GPU each; one process also works without: `patterns run collectives`.

Example, in two shells:
  patterns rank --rank 0 --of 2 --id /tmp/group
  patterns rank --rank 1 --of 2 --id /tmp/group";

/// How long a rank waits for rank 0's id.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is measured; the median counts.
const REPEATS: usize = 21;

/// Takes part in the all-reduce, checks it and takes its time.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    ensure!(
        args.rank < args.of,
        "rank {} of {}: ranks are counted from 0",
        args.rank,
        args.of
    );
    let devices = Device::count().context("cannot open a device")?;
    let device = Device::at(args.rank % devices).context("cannot open a device")?;
    ensure!(
        device.backend() == Backend::Cuda,
        "simulated devices belong to one process: `patterns run collectives` works with several there"
    );
    let nccl = Nccl::open()?;
    let id = match args.rank {
        0 => {
            let id = nccl.unique_id()?;
            publish(&args.id, id.bytes())?;
            id
        }
        _ => Id::from_bytes(&await_id(&args.id, PATIENCE)?)?,
    };
    let rank = nccl.rank(&device, id, args.rank, args.of)?;
    let stream = device.stream()?;
    // The sum of 1, 2, ..., which every rank can check by itself.
    let own = vec![(args.rank + 1) as f32; args.size];
    let mut buffer = DeviceBuffer::from_slice(&device, &own)?;
    rank.all_reduce(&stream, &mut buffer)?;
    let sum = (args.of * (args.of + 1) / 2) as f32;
    ensure!(
        buffer.to_vec()?.iter().all(|&found| found == sum),
        "the sum is not {sum} everywhere"
    );
    let mut times = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let time = timed(&stream, || rank.all_reduce(&stream, &mut buffer))?;
        times.push(time.seconds());
    }
    times.sort_by(f64::total_cmp);
    let (seconds, ranks) = (times[REPEATS / 2], args.of as f64);
    let bus = 4.0 * args.size as f64 * 2.0 * (ranks - 1.0) / ranks / seconds / 1e9;
    say(format_args!(
        "rank {} of {} on {}, {}: {} elements in {:.3} ms, bus bandwidth {bus:.1} GB/s",
        args.rank,
        args.of,
        device.properties().name,
        rank.name(),
        args.size,
        seconds * 1e3
    ));
    Ok(ExitCode::SUCCESS)
}

/// Writes the id such that whoever finds the file finds all of it.
fn publish(file: &Path, id: &[u8]) -> Result<()> {
    let unfinished = file.with_extension("unfinished");
    std::fs::write(&unfinished, id)
        .and_then(|()| std::fs::rename(&unfinished, file))
        .with_context(|| format!("cannot write `{}`", file.display()))
}

/// The id, once rank 0 has written it.
fn await_id(file: &Path, patience: Duration) -> Result<Vec<u8>> {
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Ok(id) = std::fs::read(file) {
            return Ok(id);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    bail!(
        "no id in `{}` after {} s: is rank 0 running?",
        file.display(),
        patience.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_finds_the_id_that_rank_0_writes_and_gives_up_without() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("id");
        let waits = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| await_id(&file, PATIENCE));
            publish(&file, &[7; 128]).expect("a file");
            waiting.join().expect("no panic")
        });
        assert_eq!(waits.expect("an id"), [7; 128]);
        assert!(await_id(&folder.path().join("none"), Duration::ZERO).is_err());
    }
}
