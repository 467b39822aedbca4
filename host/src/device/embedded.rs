//! Which of a module's texts a device gets.
//!
//! A crate's PTX is embedded for several targets ([`kernel::Module::TEXTS`]). PTX for `sm_80` runs
//! on compute capability 8.0 and everything later, PTX for `sm_90a` on 9.0 alone, PTX for `sm_100f`
//! on 10.x. The best for a device is the newest of those that it runs.
//! Source: CUDA programming guide, "PTX Compatibility"; PTX ISA, "PTX Module Directives: .target".

use lanewise_std::kernel::{self, PtxText};

use crate::{ComputeCapability, LoadError};

/// The target of a PTX text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    /// The oldest device that runs it.
    pub(crate) oldest: ComputeCapability,
    /// On which others it runs.
    only: Portability,
}

/// What a target's suffix says; later ones may use more of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Portability {
    /// No suffix: on every later device.
    Later,
    /// `f`: on later devices of the same major version.
    Family,
    /// `a`: on this one.
    Same,
}

impl Target {
    /// Reads `sm_90`, `sm_90a`, `sm_100f`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let name = name.strip_prefix("sm_")?;
        let (digits, only) = match name.strip_suffix(['a', 'f']) {
            Some(digits) if name.ends_with('a') => (digits, Portability::Same),
            Some(digits) => (digits, Portability::Family),
            None => (name, Portability::Later),
        };
        let number: u32 = digits.parse().ok()?;
        let oldest = ComputeCapability {
            major: number / 10,
            minor: number % 10,
        };
        Some(Self { oldest, only })
    }

    /// Whether the device runs it.
    pub(crate) fn runs_on(self, device: ComputeCapability) -> bool {
        match self.only {
            Portability::Later => self.oldest <= device,
            Portability::Family => self.oldest <= device && self.oldest.major == device.major,
            Portability::Same => self.oldest == device,
        }
    }
}

/// The best of the named targets for a device.
pub(crate) fn best<T>(
    targets: impl Iterator<Item = T>,
    name: impl Fn(&T) -> &str,
    device: ComputeCapability,
) -> Option<T> {
    targets
        .filter_map(|it| Some((Target::parse(name(&it))?, it)))
        .filter(|(target, _)| target.runs_on(device))
        .max_by_key(|(target, _)| *target)
        .map(|(_, it)| it)
}

/// The text of module `M` for a device.
///
/// # Errors
/// [`LoadError::NoPtx`] when the module has none at all, [`LoadError::TooOldDevice`] when all are
/// for other devices.
pub(crate) fn text<M: kernel::Module>(
    device: ComputeCapability,
) -> Result<&'static PtxText, LoadError> {
    best(M::TEXTS.iter(), |text| text.arch, device).ok_or_else(|| match M::TEXTS {
        [] => LoadError::NoPtx,
        texts => LoadError::TooOldDevice {
            device,
            module: M::NAME,
            targets: texts.iter().map(|text| text.arch).collect(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(targets: &[&str], (major, minor): (u32, u32)) -> Option<String> {
        let device = ComputeCapability { major, minor };
        best(targets.iter(), |name| name, device).map(|name| (*name).to_owned())
    }

    #[test]
    fn the_newest_ptx_that_the_device_runs_is_chosen() {
        let targets = ["sm_80", "sm_90a", "sm_90", "sm_100f"];
        let chosen = |device| chosen(&targets, device);
        assert_eq!(chosen((8, 0)).as_deref(), Some("sm_80"));
        assert_eq!(chosen((8, 9)).as_deref(), Some("sm_80"));
        assert_eq!(chosen((9, 0)).as_deref(), Some("sm_90a"));
        assert_eq!(chosen((10, 3)).as_deref(), Some("sm_100f"));
        assert_eq!(chosen((12, 0)).as_deref(), Some("sm_90"));
        assert_eq!(chosen((3, 5)), None);
    }

    #[test]
    fn names_that_are_no_target_are_passed_over() {
        assert_eq!(
            chosen(&["other", "sm_", "sm_x", "compute_80"], (9, 0)),
            None
        );
    }
}
