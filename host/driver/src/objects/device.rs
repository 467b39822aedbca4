//! The simulated devices. They are made once, in `cuInit`, and never removed.

use crate::abi::{CUdevice, CUresult};
use crate::error::{Error, Result, fail};
use crate::settings;
use crate::time::timeline::{Clock, Timeline};
use std::sync::OnceLock;

/// A device, as the driver sees it.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) ordinal: CUdevice,
    pub(crate) sim: lanewise_sim::Device,
    pub(crate) timeline: Timeline,
}

static DEVICES: OnceLock<Result<Vec<Device>>> = OnceLock::new();

/// Makes the devices that the environment describes.
pub(crate) fn make() -> Result {
    let made = DEVICES.get_or_init(|| {
        settings::check_launches()?;
        let settings::Devices { model, count } = settings::devices()?;
        let clock = Clock::new();
        (0..count)
            .map(|ordinal| {
                let sim = lanewise_sim::Device::new(model.clone()).map_err(|error| {
                    Error::loud(CUresult::ERROR_OUT_OF_MEMORY, with_causes(&error))
                })?;
                let timeline = clock.device(model.rates.copy_engines);
                Ok(Device {
                    ordinal: ordinal as CUdevice,
                    sim,
                    timeline,
                })
            })
            .collect()
    });
    made.as_ref().map(|_| ()).map_err(Clone::clone)
}

/// Returns all devices; none before `cuInit`.
pub(crate) fn all() -> &'static [Device] {
    match DEVICES.get() {
        Some(Ok(devices)) => devices,
        _ => &[],
    }
}

/// Returns the device with this ordinal.
pub(crate) fn get(ordinal: CUdevice) -> Result<&'static Device> {
    match usize::try_from(ordinal)
        .ok()
        .and_then(|index| all().get(index))
    {
        Some(device) => Ok(device),
        None => fail!(
            ERROR_INVALID_DEVICE,
            "there is no device {ordinal}; devices are numbered from 0 and there are {} (LANEWISE_SIM_DEVICES sets how many)",
            all().len()
        ),
    }
}

/// Returns an error's text with the texts of its causes.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
