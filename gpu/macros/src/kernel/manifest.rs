//! What the builder has to know of an entry point: a line of JSON in a static beside it.
//!
//! The static is called `__lanewise_kernel.NAME`. The builder reads it from the bitcode, sets the attributes that follow
//! from it (read-only pointers, launch bounds), writes it to the manifest `gpu.json`, and takes it out of the module.

use std::fmt::Write as _;

use super::Kernel;
use super::instances::Instance;
use super::shape::{Cluster, MaxRegisters};
use super::signature::Lowering;

/// The prefix of the statics' names.
pub(super) const PREFIX: &str = "__lanewise_kernel.";

/// The JSON for one entry point.
pub(super) fn json(kernel: &Kernel, instance: &Instance) -> String {
    let mut text = format!("{{\"name\":{},\"params\":[", string(&instance.symbol));
    for (position, param) in kernel.params.iter().enumerate() {
        let comma = if position == 0 { "" } else { "," };
        let name = string(&param.name.to_string());
        let ty = string(&param.type_text());
        let lower = match param.lowering {
            Lowering::ReadSlice { .. } => "read_slice",
            Lowering::WriteSlice { .. } => "write_slice",
            Lowering::Value => "value",
        };
        let _ = write!(
            text,
            "{comma}{{\"name\":{name},\"type\":{ty},\"lower\":\"{lower}\"}}"
        );
    }
    text.push(']');
    if let Some(bounds) = kernel.bounds {
        let _ = write!(text, ",\"launch_bounds\":[{}", bounds.max_threads);
        if let Some(blocks) = bounds.min_blocks {
            let _ = write!(text, ",{blocks}");
        }
        text.push(']');
    }
    if let Some(MaxRegisters(count)) = &kernel.max_registers {
        let _ = write!(text, ",\"max_registers\":{count}");
    }
    if let Some(Cluster([x, y, z])) = &kernel.cluster {
        let _ = write!(text, ",\"cluster\":[{x},{y},{z}]");
    }
    if let Some(arch) = &kernel.min_arch {
        let _ = write!(text, ",\"min_arch\":{}", string(arch));
    }
    if kernel.launches {
        text.push_str(",\"launches\":true");
    }
    let place = kernel.function.sig.ident.span().unwrap();
    let _ = write!(
        text,
        ",\"file\":{},\"line\":{}}}",
        string(&place.file()),
        place.line()
    );
    text
}

/// A JSON string.
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
