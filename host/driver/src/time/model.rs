//! The cost of an operation: the model of modelled time.
//!
//! | operation | time | occupies |
//! | --- | --- | --- |
//! | kernel | *launches* + the longer of *memory* and *issue* | the part of the multiprocessors that its blocks fill |
//! | copy, pinned memory | [`COPY_LATENCY`] + bytes / rate of the direction | that direction's copy engine |
//! | copy, pageable memory | [`COPY_LATENCY`] + bytes / pageable rate | that direction's copy engine |
//! | copy within the device | [`COPY_LATENCY`] + 2 bytes / memory rate | the multiprocessors |
//! | copy to or from a peer | [`COPY_LATENCY`] + bytes / peer rate | the device's engine for peers |
//! | the same without peer access | [`COPY_LATENCY`] + bytes / rate to the host + bytes / rate from it | the same |
//! | memset | [`COPY_LATENCY`] + bytes / memory rate | the multiprocessors |
//! | event, wait, host function | nothing | nothing |
//!
//! *Launches* is one launch latency. A kernel that launches kernels adds [`CHILD_LATENCY`] for
//! each child of the longest chain that ran one after another, and [`DEVICE_LAUNCH`] for every
//! child. *Memory* is the number of bytes that threads accessed in global memory, divided by the
//! device's streaming rate. If counters are on, it is 32 bytes for each sector that was accessed,
//! divided by that rate. *Issue* is the number of warp instructions, divided by the schedulers of
//! the multiprocessors that have a block, at one instruction a clock each. All rates are those of
//! the device model.
//!
//! This is only a roofline model. It has no caches, no exposed latency when there are too few
//! warps, and no bank conflicts. It counts PTX instructions, not machine instructions. It
//! distinguishes a kernel that moves twice the bytes from one that does not, and shows what
//! overlaps. It does not predict a GPU's times.

use super::Nanoseconds;
use super::engine::{Engine, WHOLE};
use super::operation::Cost;
use lanewise_sim::{DeviceModel, ExecutionSummary};

/// The time from the start of a copy or memset to its first byte: about the time of an H200 for an
/// empty copy between events.
const COPY_LATENCY: f64 = 1.5e-6;

/// The time that a launch from a kernel occupies the unit that distributes grids, whatever else
/// runs. On an H200 (driver 580.159.04, 2026-11-21) 2048 blocks with eight children each, side by
/// side, take 26.3 ms (`recursive_reduce`).
const DEVICE_LAUNCH: f64 = 1.6e-6;
/// The time from the end of a grid to the beginning of a child that waits for it. On the same H200,
/// 16384 such children one after another take 256.6 ms (`recursive_reduce_nosync`), and eight take
/// 137 us (`recursive_reduce2`).
const CHILD_LATENCY: f64 = 14.1e-6;

/// The direction of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    HostToDevice {
        pinned: bool,
    },
    DeviceToHost {
        pinned: bool,
    },
    DeviceToDevice,
    /// Between two devices. `direct` means that one device can access the other; otherwise the copy
    /// goes through pinned memory of the host.
    DeviceToPeer {
        direct: bool,
    },
    /// Host memory to host memory: the host copies, and no engine of the device is used.
    HostToHost,
}

/// Returns the cost of a copy of `bytes`.
pub(crate) fn copy(model: &DeviceModel, direction: Direction, bytes: u64) -> Cost {
    let rates = &model.rates;
    let (engine, rate) = match direction {
        Direction::HostToDevice { pinned: true } => (Engine::HostToDevice, rates.host_to_device),
        Direction::HostToDevice { pinned: false } => (Engine::HostToDevice, rates.pageable),
        Direction::DeviceToHost { pinned: true } => (Engine::DeviceToHost, rates.device_to_host),
        Direction::DeviceToHost { pinned: false } => (Engine::DeviceToHost, rates.pageable),
        Direction::DeviceToDevice => (Engine::Compute(WHOLE), rates.memory / 2.0),
        Direction::DeviceToPeer { direct: true } => (Engine::Peer, rates.peer),
        // The two parts run one after the other, as for a copy that fits the driver's buffer.
        Direction::DeviceToPeer { direct: false } => (
            Engine::Peer,
            1.0 / (1.0 / rates.device_to_host + 1.0 / rates.host_to_device),
        ),
        Direction::HostToHost => return Cost::NOTHING,
    };
    Cost {
        engine,
        duration: nanoseconds(COPY_LATENCY + bytes as f64 / rate),
    }
}

/// Returns the cost of setting `bytes`.
pub(crate) fn set(model: &DeviceModel, bytes: u64) -> Cost {
    let duration = nanoseconds(COPY_LATENCY + bytes as f64 / model.rates.memory);
    Cost {
        engine: Engine::Compute(WHOLE),
        duration,
    }
}

/// Returns the cost of a kernel that did `summary` in blocks, of which `resident` fit
/// on a multiprocessor.
pub(crate) fn kernel(
    model: &DeviceModel,
    summary: &ExecutionSummary,
    sectors: Option<u64>,
    resident: u32,
) -> Cost {
    let multiprocessors = f64::from(model.multiprocessors);
    let blocks = summary.blocks.max(1) as f64;
    let busy = blocks.min(multiprocessors);
    let bytes = match sectors {
        Some(sectors) => sectors * u64::from(model.alignment.sector),
        None => summary.global_read + summary.global_written,
    };
    let memory = bytes as f64 / model.rates.memory;
    let clock = f64::from(model.clock_khz) * 1e3;
    let issue =
        summary.instructions as f64 / (busy * f64::from(model.multiprocessor.schedulers) * clock);
    let launches = model.rates.launch
        + summary.chain.saturating_sub(1) as f64 * CHILD_LATENCY
        + summary.device_launches as f64 * DEVICE_LAUNCH;
    let part = (blocks / (multiprocessors * f64::from(resident.max(1)))).min(1.0);
    Cost {
        engine: Engine::Compute((part * f64::from(WHOLE)).ceil() as u32),
        duration: nanoseconds(launches + memory.max(issue)),
    }
}

/// Converts seconds to whole nanoseconds. `as` converts a value that is too large to the largest
/// one, and NaN to 0.
fn nanoseconds(seconds: f64) -> Nanoseconds {
    (seconds * 1e9).round() as Nanoseconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_copy_of_an_h200_runs_at_the_measured_rate() {
        let cost = copy(
            &DeviceModel::h200(),
            Direction::HostToDevice { pinned: true },
            256 << 20,
        );
        let rate = (256u64 << 20) as f64 / cost.duration as f64;
        assert!((55.0..55.6).contains(&rate), "{rate} GB/s");
        assert_eq!(cost.engine, Engine::HostToDevice);
    }

    #[test]
    fn pageable_copies_are_slower_and_device_copies_faster() {
        let h200 = DeviceModel::h200();
        let time = |direction| copy(&h200, direction, 1 << 28).duration;
        assert!(
            time(Direction::HostToDevice { pinned: false })
                > time(Direction::HostToDevice { pinned: true })
        );
        assert!(time(Direction::DeviceToDevice) < time(Direction::DeviceToHost { pinned: true }));
        assert_eq!(copy(&h200, Direction::HostToHost, 1 << 28), Cost::NOTHING);
    }

    #[test]
    fn a_child_costs_its_place_in_the_chain_and_a_launch() {
        let h200 = DeviceModel::h200();
        let mut summary = ExecutionSummary::default();
        let alone = kernel(&h200, &summary, None, 8).duration;
        summary.chain = 9;
        summary.device_launches = 8;
        let nested = kernel(&h200, &summary, None, 8).duration;
        assert_eq!(
            nested - alone,
            nanoseconds(8.0 * (CHILD_LATENCY + DEVICE_LAUNCH))
        );
        summary.device_launches = 2048 * 8;
        assert!(kernel(&h200, &summary, None, 8).duration > 100 * nested);
    }

    #[test]
    fn an_empty_kernel_costs_the_launch_and_takes_what_its_blocks_fill() {
        let h200 = DeviceModel::h200();
        let empty = ExecutionSummary::default();
        let cost = kernel(&h200, &empty, None, 8);
        assert_eq!(cost.duration, nanoseconds(h200.rates.launch));
        assert_eq!(cost.engine, Engine::Compute(WHOLE.div_ceil(132 * 8)));
    }
}
