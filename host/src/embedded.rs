//! The `gpu` crate's PTX, embedded by `build.rs`.
//!
//! One text for each architecture that the build asked for. PTX runs on its own and every later architecture, so the
//! best for a device is the newest that is not newer than it. Source: CUDA programming guide, "PTX Compatibility".

use crate::{ComputeCapability, LoadError};

// `pub const ALL: &[(ComputeCapability, &str)]`, oldest first.
include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The embedded PTX for a device of this compute capability.
///
/// # Errors
/// [`LoadError::TooOldDevice`] when every embedded PTX is for newer devices.
pub fn best_for(device: ComputeCapability) -> Result<&'static str, LoadError> {
    match ALL.iter().rfind(|(target, _)| *target <= device) {
        Some((_, ptx)) => Ok(ptx),
        None => Err(LoadError::TooOldDevice {
            device,
            oldest: ALL.first().map(|(target, _)| *target),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_ptx_that_the_device_can_run_is_chosen() {
        let target = |major, minor| {
            let ptx = best_for(ComputeCapability { major, minor }).expect("there is PTX for it");
            ptx.lines()
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
