//! Code generation: LLVM's backend or NVIDIA's turns the module into PTX text.

use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};

use crate::error::CodegenError;
use crate::nvvm;
use crate::passes::Options;

/// Generates the PTX. The module cannot be used afterwards, because LLVM's code
/// generation changes it.
pub(crate) fn ptx(
    module: &Module<'_>,
    options: &Options,
    machine: &TargetMachine,
) -> Result<String, CodegenError> {
    if let Some(library) = &options.nvvm {
        let text = nvvm::ptx(library, module, &options.arch, &options.floats)
            .map_err(|error| options.failed("NVVM", error))?;
        return Ok(options.paths.shorten(&text));
    }
    let buffer = machine
        .write_to_memory_buffer(module, FileType::Assembly)
        .map_err(|error| options.failed("code generation", error))?;
    let text = String::from_utf8_lossy(buffer.as_slice());
    let text = with_version(text.trim_end_matches('\0').to_owned());
    Ok(options.paths.shorten(&text))
}

/// Parts of instructions that are newer than their target, with the version of PTX that has them.
/// These instructions are inline assembly, which LLVM does not read. So LLVM only writes the
/// version that the target needs.
const NEWER: [(&str, (u32, u32)); 15] = [
    ("atom.global.add.v", (8, 1)),
    ("st.async.", (8, 1)),
    ("red.async.", (8, 1)),
    ("wgmma.mma_async.sp.", (8, 2)),
    // Tensor maps that a kernel changes. `prefetch.tensormap` is older.
    ("tensormap.", (8, 3)),
    ("tensormap::generic", (8, 3)),
    (".b128", (8, 4)),
    // `wgmma` of bytes with and without a sign, dense and sparse. In `mma.sync` the layout comes
    // before the type.
    ("k32.s32.s8.u8", (8, 4)),
    ("k32.s32.u8.s8", (8, 4)),
    ("k64.s32.s8.u8", (8, 4)),
    ("k64.s32.u8.s8", (8, 4)),
    // `mma.sync` of floats of 8 bits.
    (".row.col.f32.e", (8, 4)),
    ("sp::ordered_metadata", (8, 5)),
    ("k16.row.col.f32.e", (8, 7)),
    (".row.col.f16.e", (8, 7)),
];

/// Returns the text with the version that its instructions need.
fn with_version(text: String) -> String {
    let needed = NEWER.iter().filter(|(word, _)| text.contains(word));
    let (Some(needed), Some(start)) = (
        needed.map(|(_, version)| *version).max(),
        text.find(".version "),
    ) else {
        return text;
    };
    let start = start + ".version ".len();
    let end = start + text[start..].find('\n').unwrap_or(0);
    let written = text[start..end]
        .split_once('.')
        .and_then(|(major, minor)| Some((major.trim().parse().ok()?, minor.trim().parse().ok()?)));
    match written {
        Some(written) if written < needed => {
            let (major, minor) = needed;
            format!("{}{major}.{minor}{}", &text[..start], &text[end..])
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::with_version;

    #[test]
    fn the_version_is_that_of_the_newest_instruction() {
        let text =
            |version: &str, code: &str| format!("//\n.version {version}\n.target sm_90\n{code}\n");
        for (version, code, expected) in [
            ("8.0", "add.f32", "8.0"),
            ("8.0", "atom.global.add.v2.f32 {a, b}, [at], {c, d};", "8.1"),
            ("8.0", "atom.global.add.v2.f32; mov.b128 a, {b, c};", "8.4"),
            ("8.6", "mov.b128 a, {b, c};", "8.6"),
            ("8.0", "prefetch.tensormap [map];", "8.0"),
            (
                "8.0",
                "st.async.weak.shared::cluster.b32 [a], b, [c];",
                "8.1",
            ),
            (
                "8.0",
                "tensormap.replace.tile.rank.global.b1024.b32 [a], 1;",
                "8.3",
            ),
            (
                "8.0",
                "wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.u8",
                "8.4",
            ),
            (
                "7.8",
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",
                "7.8",
            ),
            (
                "7.8",
                "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
                "8.4",
            ),
            (
                "7.8",
                "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32",
                "8.7",
            ),
        ] {
            assert_eq!(with_version(text(version, code)), text(expected, code));
        }
        assert_eq!(with_version(".b128".to_owned()), ".b128");
    }
}
