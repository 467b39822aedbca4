//! The `gpu` crate's PTX, embedded by `build.rs`.
//!
//! Two texts for each architecture that the build asked for: kernels that launch kernels are apart from all others, because
//! their text has to be linked with NVIDIA's device runtime ([`crate::Module::with_device_runtime`]). PTX runs on its own and every later architecture, so the
//! best for a device is the newest that is not newer than it. Source: CUDA programming guide, "PTX Compatibility".

use crate::{ComputeCapability, LoadError};

/// An architecture's PTX.
#[derive(Debug)]
pub struct Embedded {
    /// The oldest device that it runs on.
    pub target: ComputeCapability,
    /// The kernels that launch none.
    pub plain: &'static str,
    /// The kernels that launch kernels.
    pub launching: &'static str,
}

// `pub const ALL: &[Embedded]`, oldest first.
include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The embedded PTX for a device of this compute capability.
///
/// # Errors
/// [`LoadError::TooOldDevice`] when every embedded PTX is for newer devices.
pub fn best_for(device: ComputeCapability) -> Result<&'static Embedded, LoadError> {
    match ALL.iter().rfind(|embedded| embedded.target <= device) {
        Some(embedded) => Ok(embedded),
        None => Err(LoadError::TooOldDevice {
            device,
            oldest: ALL.first().map(|embedded| embedded.target),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_ptx_that_the_device_can_run_is_chosen() {
        let target = |major, minor| {
            let best = best_for(ComputeCapability { major, minor }).expect("there is PTX for it");
            best.plain
                .lines()
                .find_map(|line| line.strip_prefix(".target "))
                .expect("PTX names its target")
                .to_owned()
        };
        assert!(target(8, 0).starts_with("sm_80"));
        assert!(target(8, 9).starts_with("sm_80"));
        assert!(target(9, 0).starts_with("sm_90"));
        assert!(target(10, 0).starts_with("sm_90"));
    }

    #[test]
    fn a_device_older_than_every_ptx_is_refused_with_both_named() {
        let error =
            best_for(ComputeCapability { major: 3, minor: 5 }).expect_err("sm_35 is too old");
        assert_eq!(
            error.to_string(),
            "the embedded PTX is for sm_80 and later, and the device is sm_35: add the older target in host/build.rs"
        );
    }
}
