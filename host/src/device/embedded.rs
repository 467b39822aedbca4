//! The choice of the embedded PTX text for a device, and the part of it that a kernel needs.
//!
//! A crate's PTX is embedded for several targets ([`kernel::Module::TEXTS`]). PTX for `sm_80` runs
//! on compute capability 8.0 and everything later, PTX for `sm_90a` only on 9.0, and PTX for
//! `sm_100f` on 10.x. The best text for a device is the newest one that the device can run.
//! Source: CUDA programming guide, "PTX Compatibility"; PTX ISA, "PTX Module Directives: .target".

use lanewise_ptx::isa::Architecture;
use lanewise_std::kernel::{self, PtxPiece, PtxText};

use crate::{ComputeCapability, LoadError};

/// Returns the item with the best target for a device.
pub(crate) fn best<T>(
    targets: impl Iterator<Item = T>,
    name: impl Fn(&T) -> &str,
    device: ComputeCapability,
) -> Option<T> {
    let device = device.major * 10 + device.minor;
    let that_run = targets.filter_map(|it| {
        let architecture = Architecture::read(name(&it))?;
        // Code for fewer GPUs may use more of what they have.
        let order = (architecture.sm, architecture.suffix as u8);
        architecture.runs_on(device).then_some((order, it))
    });
    that_run.max_by_key(|(order, _)| *order).map(|(_, it)| it)
}

/// Returns the text of module `M` for a device.
///
/// # Errors
/// [`LoadError::NoPtx`] if the module has no text; [`LoadError::TooOldDevice`] if all texts are
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

/// What a kernel needs of a text.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    whole: &'static str,
    pieces: &'static [PtxPiece],
}

/// Returns what a kernel needs of a text. `None` if it needs the whole text.
pub(crate) fn part(text: &'static PtxText, kernel: &str) -> Option<Part> {
    let found = text.parts.binary_search_by_key(&kernel, |part| part.kernel);
    Some(Part {
        whole: text.plain,
        pieces: text.parts[found.ok()?].pieces,
    })
}

impl Part {
    /// Returns its text. What is left out are empty lines, so that the others keep their numbers.
    pub(crate) fn text(self) -> String {
        let mut text = String::new();
        for piece in self.pieces {
            text.extend(std::iter::repeat_n('\n', piece.skipped));
            text += &self.whole[piece.start..piece.end];
        }
        text
    }
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
        assert_eq!(chosen(&["other", "sm_", "sm_x"], (9, 0)), None);
    }
}
