//! What a user can set about the simulator: environment variables, and the switches of the Rust API.
//!
//! | variable | what it sets |
//! | --- | --- |
//! | `LANEWISE_MODEL` | the device model: `h200` (the default), `b200`, `rtx4090`, `v100`, `k40` |
//! | `LANEWISE_SIM_DEVICES` | how many devices there are: 1 by default, 16 at most |
//! | `LANEWISE_SIM_MEMORY` | bytes of memory of each device, with `K`, `M` or `G` after the number; the model's by default |
//! | `LANEWISE_SEED` | which interleaving of warps a launch runs: 0 by default |
//! | `LANEWISE_BUDGET` | warp instructions after which a launch counts as hung |

use crate::abi::CUresult;
use crate::error::{Error, Result, ensure};
use parking_lot::Mutex;
use sim::{Checks, DeviceModel};

/// What the environment says about the devices.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) model: DeviceModel,
    pub(crate) count: u32,
}

/// Reads `LANEWISE_MODEL`, `LANEWISE_SIM_DEVICES` and `LANEWISE_SIM_MEMORY`.
pub(crate) fn devices() -> Result<Devices> {
    let name = variable("LANEWISE_MODEL").unwrap_or_else(|| "h200".into());
    let mut model = DeviceModel::named(&name).map_err(|error| {
        Error::loud(
            CUresult::ERROR_INVALID_VALUE,
            format_args!("LANEWISE_MODEL: {error}"),
        )
    })?;
    if let Some(text) = variable("LANEWISE_SIM_MEMORY") {
        model.memory = bytes(&text).ok_or_else(|| {
            wrong(
                "LANEWISE_SIM_MEMORY",
                &text,
                "write a number of bytes above 0, such as 1073741824, 512M or 4G",
            )
        })?;
    }
    let count = number("LANEWISE_SIM_DEVICES")?.unwrap_or(1);
    let count = u32::try_from(count)
        .ok()
        .filter(|count| (1..=16).contains(count));
    let count = count.ok_or_else(|| {
        wrong(
            "LANEWISE_SIM_DEVICES",
            &variable("LANEWISE_SIM_DEVICES").unwrap_or_default(),
            "write 1 to 16",
        )
    })?;
    Ok(Devices { model, count })
}

/// What holds for launches: read from the environment once, changed by the Rust API.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Launches {
    pub(crate) seed: u64,
    pub(crate) budget: Option<u64>,
    pub(crate) checks: Checks,
    pub(crate) count: bool,
}

static LAUNCHES: Mutex<Option<Launches>> = Mutex::new(None);

/// How launches run from now on.
pub(crate) fn launches() -> Launches {
    *LAUNCHES
        .lock()
        .get_or_insert_with(|| from_environment().unwrap_or_default())
}

/// Changes how launches run from now on.
pub(crate) fn change_launches(change: impl FnOnce(&mut Launches)) {
    change(
        LAUNCHES
            .lock()
            .get_or_insert_with(|| from_environment().unwrap_or_default()),
    );
}

/// Sees that `LANEWISE_SEED` and `LANEWISE_BUDGET` can be read, so that `cuInit` can say when they cannot.
pub(crate) fn check_launches() -> Result {
    from_environment().map(|_| ())
}

fn from_environment() -> Result<Launches> {
    let budget = number("LANEWISE_BUDGET")?;
    ensure!(
        budget != Some(0),
        ERROR_INVALID_VALUE,
        "LANEWISE_BUDGET is 0; no kernel could run an instruction"
    );
    Ok(Launches {
        seed: number("LANEWISE_SEED")?.unwrap_or(0),
        budget,
        ..Launches::default()
    })
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

fn number(name: &str) -> Result<Option<u64>> {
    let Some(text) = variable(name) else {
        return Ok(None);
    };
    text.trim()
        .replace('_', "")
        .parse()
        .map(Some)
        .map_err(|_| wrong(name, &text, "write a whole number, 0 or above"))
}

fn wrong(name: &str, text: &str, what_to_do: &str) -> Error {
    Error::loud(
        CUresult::ERROR_INVALID_VALUE,
        format_args!("{name} is `{text}`; {what_to_do}"),
    )
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
