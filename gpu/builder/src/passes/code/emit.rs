//! Code generation: LLVM's backend or NVIDIA's turns the module into PTX text.

use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};
use lanewise_ptx::isa;

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

/// Returns the text with the version that its instructions need.
///
/// LLVM writes the version that the target needs, and does not read inline assembly, which may have
/// instructions that are newer. The table of instructions knows since when there is each. A text
/// that cannot be read stays as it is: `lint` reports the reason.
fn with_version(text: String) -> String {
    let Some((written, (major, minor))) = versions(&text) else {
        return text;
    };
    let Some(start) = text.find(VERSION).map(|at| at + VERSION.len()) else {
        return text;
    };
    let end = start + text[start..].find('\n').unwrap_or(0);
    if written >= (major, minor) {
        return text;
    }
    format!("{}{major}.{minor}{}", &text[..start], &text[end..])
}

const VERSION: &str = ".version ";

/// Returns the version that a text states, and the version that its instructions need.
fn versions(text: &str) -> Option<((u32, u32), (u32, u32))> {
    let mut module = lanewise_ptx::parse(text).ok()?;
    let written = std::mem::replace(&mut module.version, lanewise_ptx::NEWEST);
    // This chooses the row of each instruction by its operands. After an error some have none.
    let _checked = isa::check(&mut module);
    Some((written, isa::version_needed(&module)))
}

#[cfg(test)]
mod tests {
    use super::with_version;

    #[test]
    fn the_version_is_that_of_the_newest_instruction() {
        let text = |version: &str, code: &str| {
            format!(
                "//\n.version {version}\n.target sm_90a\n.address_size 64\n.file 1 \"src/a.b128.rs\"\n.entry k() {{\n\
                 .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .b128 %q;\n{code}\nret;\n}}\n"
            )
        };
        const MMA: &str = "mma.sync.aligned.m16n8k32.row.col";
        const OF_FOUR: &str = "{%r0,%r1,%r2,%r3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r0,%r1,%r2,%r3};";
        const FLOATS: &str = "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};";
        for (version, code, expected) in [
            ("8.0", "add.f32 %f0, %f1, %f2;", "8.0"),
            (
                "8.0",
                "atom.global.add.v2.f32 {%f0, %f1}, [%d0], {%f2, %f3};",
                "8.1",
            ),
            ("8.0", "mov.b128 %q, {%d0, %d1};", "8.3"),
            ("8.6", "mov.b128 %q, {%d0, %d1};", "8.6"),
            ("8.0", "prefetch.tensormap [%d0];", "8.0"),
            (
                "8.0",
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r0], %r1, [%r2];",
                "8.1",
            ),
            (
                "8.0",
                "tensormap.replace.tile.rank.global.b1024.b32 [%d0], 1;",
                "8.3",
            ),
            ("7.8", &format!("{MMA}.s32.s8.u8.s32 {OF_FOUR}"), "7.8"),
            ("7.8", &format!("{MMA}.f32.e4m3.e5m2.f32 {FLOATS}"), "8.4"),
        ] {
            assert_eq!(
                with_version(text(version, code)),
                text(expected, code),
                "{code}"
            );
        }
        assert_eq!(with_version(".b128".to_owned()), ".b128");
    }
}
