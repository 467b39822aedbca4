//! `patterns rank`: one rank of an all-reduce between processes, by NCCL.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use lanewise::{Backend, Device, DeviceBuffer};
use lanewise_patterns::multi_gpu::meeting::Rendezvous;
use lanewise_patterns::multi_gpu::nccl::Nccl;
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
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "address",
        conflicts_with = "address"
    )]
    id: Option<PathBuf>,
    /// Rank 0's address, at which it tells the others the group's id
    #[arg(long, value_name = "HOST:PORT")]
    address: Option<String>,
    /// Elements of each rank
    #[arg(long, default_value_t = 1 << 26)]
    size: usize,
}

const EXAMPLES: &str = "\
Several processes need NCCL (libnccl.so.2) and a GPU each; one process also works without: `patterns run collectives`.

Examples, in two shells, or by an address on two machines:
  patterns rank --rank 0 --of 2 --id /tmp/group
  patterns rank --rank 1 --of 2 --id /tmp/group

  patterns rank --rank 0 --of 2 --address node1:29500
  patterns rank --rank 1 --of 2 --address node1:29500";

/// How long ranks wait for one another.
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
    let meeting = match (args.address, args.id) {
        (Some(address), _) => Rendezvous::Address(address),
        (None, Some(file)) => Rendezvous::File(file),
        (None, None) => bail!("--id or --address says how the ranks meet"),
    };
    let nccl = Nccl::open()?;
    let id = match args.rank {
        0 => {
            let id = nccl.unique_id()?;
            meeting.tell(id, args.of, PATIENCE)?;
            id
        }
        _ => meeting.ask(args.rank, PATIENCE)?,
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
        times.push(time.as_secs_f64());
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
