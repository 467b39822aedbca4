//! What the environment says about the simulated devices and their launches. The variables are rows
//! of [`lanewise_variables`].

use crate::abi::CUresult;
use crate::error::{Error, Result};
use crate::log;
use lanewise_sim::{Checks, DeviceModel, Schedule};
use lanewise_variables::{
    BUDGET, CHECKS, CHECKS_ACTION, COUNTERS, CUDA_DEVICE_MAX_CONNECTIONS, LOG, MODEL, SCHEDULE,
    SEED, SIM_DEVICES, SIM_MEMORY, SIM_PEERS, STEPS, SUMMARY, TRY, Variable,
};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The most devices that can be asked for.
pub(crate) const MOST_DEVICES: usize = 16;

/// How many there are where the environment does not say.
static USUAL_DEVICES: AtomicU32 = AtomicU32::new(1);

/// What the environment says about the devices.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) model: DeviceModel,
    pub(crate) count: u32,
}

/// Reads the variables of [`lanewise_variables::Group::Device`] that are about simulated devices.
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

/// Sets how many devices the simulator has, from 1 to 16, unless `LANEWISE_SIM_DEVICES` says it.
///
/// A program calls it before it opens its first device: after `cuInit` it has no effect. It has
/// none on a GPU either. Tests use it to give each of the test harness's threads a device of its
/// own, for a blocking copy waits for the work of all streams of its device.
pub fn simulate_devices(count: usize) {
    USUAL_DEVICES.store(count.clamp(1, MOST_DEVICES) as u32, Ordering::Relaxed);
}

/// How many hardware queues lead from streams to a device. As NVIDIA's driver does, it takes what
/// is no number from 1 to 32 for nothing said.
pub(crate) fn connections() -> u32 {
    static CONNECTIONS: OnceLock<u32> = OnceLock::new();
    *CONNECTIONS.get_or_init(|| {
        let said = CUDA_DEVICE_MAX_CONNECTIONS.get();
        let said = said.and_then(|text| text.trim().parse().ok());
        said.filter(|count| (1..=32).contains(count)).unwrap_or(8)
    })
}

/// Whether simulated devices reach one another's memory.
pub(crate) fn peers() -> Result<bool> {
    match SIM_PEERS.get().as_deref() {
        None | Some("1") => Ok(true),
        Some("0") => Ok(false),
        Some(other) => Err(untabled(&SIM_PEERS, other)),
    }
}

/// What a finding of a check does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFinding {
    /// It ends the launch with `CUDA_ERROR_LAUNCH_FAILED`, which stays with the context, as a fault
    /// does.
    #[default]
    Fault,
    /// It is printed on stderr, and the launch counts as good.
    Report,
}

/// What the environment asks of every launch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Launches {
    pub(crate) seed: u64,
    pub(crate) schedule: Schedule,
    /// Whether the steps of a schedule that is not the plain one are printed.
    pub(crate) steps: bool,
    pub(crate) budget: Option<u64>,
    pub(crate) checks: Checks,
    pub(crate) on_finding: OnFinding,
    /// Whether findings that do not end the launch are kept from stderr.
    pub(crate) quiet: bool,
    pub(crate) count: bool,
}

static LAUNCHES: OnceLock<Result<Launches>> = OnceLock::new();

/// How launches run, if nobody observes them.
pub(crate) fn launches() -> Launches {
    // A wrong setting has made `cuInit` fail, so there is no launch with it.
    check_launches().unwrap_or_default()
}

/// The same, or which variable cannot be read, so that `cuInit` can say it.
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
        count: counters_file().is_some() || summary()?,
    })
}

/// Where the counters go when the program ends; `%p` is the process's number, for programs that
/// start others.
pub(crate) fn counters_file() -> Option<PathBuf> {
    let path = COUNTERS.get()?;
    Some(path.replace("%p", &std::process::id().to_string()).into())
}

/// Whether a summary is printed when the program ends.
pub(crate) fn summary() -> Result<bool> {
    switch(&SUMMARY)
}

/// Whether a variable that is off by itself is on.
fn switch(variable: &Variable) -> Result<bool> {
    match variable.get().as_deref() {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(untabled(variable, other)),
    }
}

/// A whole number of those that are meant; 0 is not one of a budget.
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

/// The error of a value that is none of those which the table lists.
fn untabled(variable: &Variable, text: &str) -> Error {
    Error::loud(
        CUresult::ERROR_INVALID_VALUE,
        variable.refusal_by_table(text),
    )
}

/// The same, where what reads the value says what it could be.
fn wrong(variable: &Variable, text: &str, why: &dyn std::error::Error) -> Error {
    let message = variable.refusal(text, &why.to_string());
    Error::loud(CUresult::ERROR_INVALID_VALUE, message)
}

/// `"512M"` as bytes.
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
