//! The builder's description of an entry point: a line of JSON in a static beside it.
//!
//! The static is called `__lanewise_kernel.PATH`, with the kernel's path
//! (`gpu::basics::vector_add::vec_add`). The builder reads it from the bitcode, sets the attributes
//! that follow from it (read-only pointers, launch bounds), writes it to the manifest `gpu.json`,
//! and removes it from the module.

use std::fmt::Write as _;

use proc_macro2::TokenStream;

use super::Kernel;
use super::contract::Contract;
use super::instances::Instance;
use super::shape::{Cluster, MaxRegisters};
use super::signature::{self, Lowering, Param};

/// The prefix of the statics' names.
pub(super) const PREFIX: &str = "__lanewise_kernel.";

/// The word for a slice that nothing writes, and the word of the same length for a slice whose
/// elements are cells.
pub(super) const READ_SLICE: [&str; 2] = ["read_slice", "cell_slice"];
/// The place of the alignment of a slice: two characters, as `alignment_word` has.
const ALIGNMENT: &str = " 1";
/// The place of a size.
const SIZE: &str = "         1";
/// The place of the word of a type, in quotes, which is as long as every `Passed::WORD`.
const BY_TYPE: &str = "\"write_slice\"";

/// The JSON for one entry point.
pub(super) struct Json<'a> {
    /// The text of the description, as JSON.
    pub(super) text: String,
    /// The words that `lanewise_std::kernel::describe` writes.
    pub(super) words: Vec<Word<'a>>,
    /// Where the 16 digits of the [`layout`](super::layout) begin.
    pub(super) layout: usize,
}

/// A word that only the compiler can choose.
pub(super) struct Word<'a> {
    /// Where it begins, in bytes.
    pub(super) at: usize,
    pub(super) says: Says<'a>,
}

/// What a word says.
pub(super) enum Says<'a> {
    /// How a parameter is passed.
    Lowering(&'a Param),
    /// The alignment of a slice.
    Alignment(&'a Param),
    /// A size of the block, in ten characters as `decimal` has them.
    Size(TokenStream),
}

/// Writes the JSON.
pub(super) fn json<'a>(kernel: &'a Kernel, instance: &Instance) -> Json<'a> {
    let (mut text, words) = agreed(kernel, instance);
    text.push_str(",\"layout\":\"");
    let layout = text.len();
    let place = kernel.function.sig.ident.span().unwrap();
    let _ = write!(
        text,
        "{:016}\",\"file\":{},\"line\":{}}}",
        0,
        string(&place.file()),
        place.line()
    );
    Json {
        text,
        words,
        layout,
    }
}

/// Writes the first part of the JSON, which host and device must agree on, and returns its words.
pub(super) fn agreed<'a>(kernel: &'a Kernel, instance: &Instance) -> (String, Vec<Word<'a>>) {
    let mut words = Vec::new();
    let mut text = format!("{{\"name\":{},\"params\":[", string(&instance.symbol));
    for (position, param) in kernel.params.iter().enumerate() {
        let comma = if position == 0 { "" } else { "," };
        let name = string(&param.name.to_string());
        let ty = string(&signature::text(&kernel.filled(param.ty.clone(), instance)));
        let _ = write!(text, "{comma}{{\"name\":{name},\"type\":{ty},\"lower\":");
        let mut word = |at, says| words.push(Word { at, says });
        match &param.lowering {
            Lowering::ReadSlice { .. } => {
                word(text.len() + 1, Says::Lowering(param));
                let _ = write!(text, "\"{}\"", READ_SLICE[0]);
            }
            Lowering::ByType => {
                word(text.len(), Says::Lowering(param));
                text.push_str(BY_TYPE);
            }
        }
        text.push_str(",\"align\":");
        word(text.len(), Says::Alignment(param));
        let _ = write!(text, "{ALIGNMENT}}}");
    }
    text.push(']');
    if let Some(bounds) = kernel.bounds {
        let _ = write!(text, ",\"launch_bounds\":[{}", bounds.max_threads);
        if let Some(blocks) = bounds.min_blocks {
            let _ = write!(text, ",{blocks}");
        }
        text.push(']');
    }
    if let Some(sizes) = kernel.contract.as_ref().and_then(Contract::block) {
        text.push_str(",\"block\":[");
        for (position, size) in sizes.into_iter().enumerate() {
            text.push_str(if position == 0 { "" } else { "," });
            words.push(Word {
                at: text.len(),
                says: Says::Size(size),
            });
            text.push_str(SIZE);
        }
        text.push(']');
    }
    if let Some(MaxRegisters(count)) = &kernel.max_registers {
        let _ = write!(text, ",\"max_registers\":{count}");
    }
    if let Some(Cluster([x, y, z])) = &kernel.cluster {
        let _ = write!(text, ",\"cluster\":[{x},{y},{z}]");
    }
    if kernel.cooperative {
        text.push_str(",\"cooperative\":true");
    }
    if let Some(arch) = &kernel.min_arch {
        let _ = write!(text, ",\"min_arch\":{}", string(arch));
    }
    if kernel.launches {
        text.push_str(",\"launches\":true");
    }
    (text, words)
}

/// Returns a JSON string.
fn string(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
