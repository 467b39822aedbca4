//! The choice of the embedded PTX text for a device, and the part of it that a kernel needs.
//!
//! A crate's PTX is embedded for several targets ([`kernel::Module::TEXTS`]). A device gets the
//! newest that it can run ([`Architecture::best`]).

use lanewise_ptx::isa::Architecture;
use lanewise_std::kernel::{self, PtxPiece, PtxText};

use crate::{ComputeCapability, LoadError};

/// Returns the text of module `M` for a device.
///
/// # Errors
/// [`LoadError::NoPtx`] if the module has no text; [`LoadError::TooOldDevice`] if all texts are
/// for other devices.
pub(crate) fn text<M: kernel::Module>(
    device: ComputeCapability,
) -> Result<&'static PtxText, LoadError> {
    Architecture::best(M::TEXTS, |text| text.arch, device.sm()).ok_or_else(|| match M::TEXTS {
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
