//! The settings of the environment for the simulated devices and their launches. The variables are
//! rows of [`lanewise_variables`].

use crate::abi::CUresult;
use crate::error::{Error, Result};
use crate::log;
use lanewise_sim::{Checks, DeviceModel, Schedule};
use lanewise_variables::{
    BUDGET, CHECKS, CHECKS_ACTION, COUNTERS, CUDA_DEVICE_MAX_CONNECTIONS, LOG, MODEL, RECORD,
    SCHEDULE, SEED, SIM_DEVICES, SIM_MEMORY, SIM_PEERS, STEPS, SUMMARY, TRY, Variable,
};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The largest number of devices that can be requested.
pub(crate) const MOST_DEVICES: usize = 16;

/// The number of devices if the environment does not set it.
static USUAL_DEVICES: AtomicU32 = AtomicU32::new(1);

/// The settings of the environment for the devices.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) model: DeviceModel,
    pub(crate) count: u32,
}

/// Reads the variables of [`lanewise_variables::Group::Device`] that concern simulated devices.
pub(crate) fn devices() -> Result<Devices> {
    let name = MODEL.get().unwrap_or_else(|| "h200".into());
    let mut model = DeviceModel::named(&name).map_err(|error| wrong(&MODEL, &name, &error))?;
    if let Some(text) = SIM_MEMORY.get() {
        model.memory = bytes(&text).ok_or_else(|| untabled(&SIM_MEMORY, &text))?;
    }
    peers()?;
    let count = match number(&SIM_DEVICES, 1..=MOST_DEVICES as u64)? {
        Some(count) => count as u32,
        None => USUAL_DEVICES.load(Ordering::Relaxed),
    };
    Ok(Devices { model, count })
}

/// Sets the number of simulated devices, 1 to 16, for the case that `LANEWISE_SIM_DEVICES` does
/// not set it.
///
/// A program calls it before it opens its first device: after `cuInit` it has no effect. It has
/// none on a GPU either. Tests use it to give each thread of the test harness its own device,
/// because a blocking copy waits for the work of all streams of its device.
pub fn simulate_devices(count: usize) {
    USUAL_DEVICES.store(count.clamp(1, MOST_DEVICES) as u32, Ordering::Relaxed);
}

/// Returns how many hardware queues lead from streams to a device. As NVIDIA's driver does, it
/// ignores a value that is no number from 1 to 32.
pub(crate) fn connections() -> u32 {
    static CONNECTIONS: OnceLock<u32> = OnceLock::new();
    *CONNECTIONS.get_or_init(|| {
        let said = CUDA_DEVICE_MAX_CONNECTIONS.get();
        let said = said.and_then(|text| text.trim().parse().ok());
        said.filter(|count| (1..=32).contains(count)).unwrap_or(8)
    })
}

/// Returns whether simulated devices can access one another's memory.
pub(crate) fn peers() -> Result<bool> {
    match SIM_PEERS.get().as_deref() {
        None | Some("1") => Ok(true),
        Some("0") => Ok(false),
        Some(other) => Err(untabled(&SIM_PEERS, other)),
    }
}

/// The effect of a check's finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFinding {
    /// It ends the launch with `CUDA_ERROR_LAUNCH_FAILED`. The error stays with the context, as
    /// a fault does.
    #[default]
    Fault,
    /// It is printed on stderr, and the launch counts as successful.
    Report,
}

/// The settings of the environment for every launch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Launches {
    pub(crate) seed: u64,
    pub(crate) schedule: Schedule,
    /// Whether the steps of a schedule other than the plain one are printed.
    pub(crate) steps: bool,
    pub(crate) budget: Option<u64>,
    pub(crate) checks: Checks,
    pub(crate) on_finding: OnFinding,
    /// Whether findings that do not end the launch are not printed on stderr.
    pub(crate) quiet: bool,
    pub(crate) count: bool,
    /// Whether the first launch of each kernel is recorded.
    pub(crate) record: bool,
}

static LAUNCHES: OnceLock<Result<Launches>> = OnceLock::new();

/// The seed that the program has set by `lanewise_set_seed`, if it has set one. Each launch reads
/// it, so it is not behind a lock.
static OWN_SEED: AtomicU64 = AtomicU64::new(0);
static HAS_OWN_SEED: AtomicBool = AtomicBool::new(false);

/// Sets the seed of later launches.
pub(crate) fn set_seed(seed: u64) {
    OWN_SEED.store(seed, Ordering::Relaxed);
    HAS_OWN_SEED.store(true, Ordering::Release);
}

/// Returns how launches run if no observer changes it.
pub(crate) fn launches() -> Launches {
    // A wrong setting has made `cuInit` fail, so no launch uses it.
    let mut launches = check_launches().unwrap_or_default();
    if HAS_OWN_SEED.load(Ordering::Acquire) {
        launches.seed = OWN_SEED.load(Ordering::Relaxed);
    }
    launches
}

/// Returns how launches run, or which variable cannot be read, so that `cuInit` can report it.
pub(crate) fn check_launches() -> Result<Launches> {
    LAUNCHES.get_or_init(from_environment).clone()
}

fn from_environment() -> Result<Launches> {
    let budget = number(&BUDGET, 1..=u64::MAX)?;
    switch(&TRY)?; // `inside` has looked at it
    log::asked().map_err(|text| untabled(&LOG, &text))?;
    let checks = match CHECKS.get() {
        None => Checks::default(),
        Some(text) => text
            .parse()
            .map_err(|error| wrong(&CHECKS, &text, &error))?,
    };
    let schedule = match SCHEDULE.get() {
        None => Schedule::default(),
        Some(text) => text
            .parse()
            .map_err(|error| wrong(&SCHEDULE, &text, &error))?,
    };
    let on_finding = match CHECKS_ACTION.get().as_deref() {
        None | Some("fault") => OnFinding::Fault,
        Some("report") => OnFinding::Report,
        Some(other) => return Err(untabled(&CHECKS_ACTION, other)),
    };
    Ok(Launches {
        seed: number(&SEED, 0..=u64::MAX)?.unwrap_or(0),
        schedule,
        steps: switch(&STEPS)?,
        budget,
        checks,
        on_finding,
        quiet: false,
        count: counters_file().is_some() || record_file().is_some() || summary()?,
        record: record_file().is_some(),
    })
}

/// Returns the file for the counters, which is written when the program ends. `%p` stands for the
/// process ID, for programs that start others.
pub(crate) fn counters_file() -> Option<PathBuf> {
    of_process(&COUNTERS)
}

/// Returns the file for what warps execute, in the same way.
pub(crate) fn record_file() -> Option<PathBuf> {
    of_process(&RECORD)
}

fn of_process(variable: &Variable) -> Option<PathBuf> {
    let path = variable.get()?;
    Some(path.replace("%p", &std::process::id().to_string()).into())
}

/// Returns whether a summary is printed when the program ends.
pub(crate) fn summary() -> Result<bool> {
    switch(&SUMMARY)
}

/// Returns whether a variable that is off by default is on.
fn switch(variable: &Variable) -> Result<bool> {
    match variable.get().as_deref() {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(untabled(variable, other)),
    }
}

/// Returns the variable's whole number if it is in the range `meant`. A budget, for example, must
/// not be 0.
fn number(variable: &Variable, meant: RangeInclusive<u64>) -> Result<Option<u64>> {
    let Some(text) = variable.get() else {
        return Ok(None);
    };
    let number = text.replace('_', "").parse().ok();
    match number.filter(|number| meant.contains(number)) {
        Some(number) => Ok(Some(number)),
        None => Err(untabled(variable, &text)),
    }
}

/// Returns the error of a value that is not among those in the table.
fn untabled(variable: &Variable, text: &str) -> Error {
    Error::loud(
        CUresult::ERROR_INVALID_VALUE,
        variable.refusal_by_table(text),
    )
}

/// Returns the error of a value, where `why` lists the possible values.
fn wrong(variable: &Variable, text: &str, why: &dyn std::error::Error) -> Error {
    let message = variable.refusal(text, &why.to_string());
    Error::loud(CUresult::ERROR_INVALID_VALUE, message)
}

/// Converts a size such as `"512M"` to bytes.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 1 << 10),
        (at, 'm' | 'M') => (&text[..at], 1 << 20),
        (at, 'g' | 'G') => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: u64 = digits.trim().replace('_', "").parse().ok()?;
    number.checked_mul(unit).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_read_with_and_without_a_unit() {
        assert_eq!(bytes("4096"), Some(4096));
        assert_eq!(bytes("512M"), Some(512 << 20));
        assert_eq!(bytes(" 4 g"), Some(4 << 30));
        for wrong in ["", "0", "-1", "4T", "M", "99999999999G", "é"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
