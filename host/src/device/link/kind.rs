//! The kinds of code that can be linked.

use lanewise_driver::abi::enums::jit_input;

/// A kind of device code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeKind {
    /// PTX, as text that ends with a NUL byte.
    Ptx,
    /// Machine code, for one target.
    Cubin,
    /// Several pieces of PTX and machine code in one file.
    Fatbin,
    /// A host object file that contains device code.
    Object,
    /// An archive of such object files.
    Library,
    /// The output of nvcc with `-dlto`: code that is compiled when it is linked.
    LtoIr,
}

impl CodeKind {
    /// Returns the kind by the first bytes. These are the magic number of ELF (with CUDA's machine
    /// number or a host's), of a fatbin, of an archive or of LTO-IR, or the directives of PTX.
    pub(super) fn of(code: &[u8]) -> Option<CodeKind> {
        const CUDA: [u8; 2] = [190, 0];
        match code {
            [0x7f, b'E', b'L', b'F', ..] if code.get(18..20) == Some(&CUDA) => {
                Some(CodeKind::Cubin)
            }
            [0x7f, b'E', b'L', b'F', ..] => Some(CodeKind::Object),
            [0x50, 0xed, 0x55, 0xba, ..] => Some(CodeKind::Fatbin),
            [0xed, 0x43, 0x4e, 0x7f, ..] => Some(CodeKind::LtoIr),
            _ if code.starts_with(b"!<arch>\n") => Some(CodeKind::Library),
            _ => {
                let text = std::str::from_utf8(code).ok()?;
                text.contains(".version").then_some(CodeKind::Ptx)
            }
        }
    }

    /// Returns the driver's number of the kind.
    pub(super) fn input_type(self) -> u32 {
        match self {
            CodeKind::Ptx => jit_input::PTX,
            CodeKind::Cubin => jit_input::CUBIN,
            CodeKind::Fatbin => jit_input::FATBINARY,
            CodeKind::Object => jit_input::OBJECT,
            CodeKind::Library => jit_input::LIBRARY,
            CodeKind::LtoIr => jit_input::NVVM,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CodeKind;

    #[test]
    fn code_is_known_by_its_first_bytes() {
        let mut elf = *b"\x7fELF\x02\x01\x01\x41\x08\0\0\0\0\0\0\0\x01\0\xbe\0";
        assert_eq!(CodeKind::of(&elf), Some(CodeKind::Cubin));
        elf[18] = 62;
        assert_eq!(CodeKind::of(&elf), Some(CodeKind::Object));
        assert_eq!(
            CodeKind::of(b"\x50\xed\x55\xba\x01"),
            Some(CodeKind::Fatbin)
        );
        assert_eq!(CodeKind::of(b"\xed\x43\x4e\x7f\x43"), Some(CodeKind::LtoIr));
        assert_eq!(CodeKind::of(b"!<arch>\nmembers"), Some(CodeKind::Library));
        assert_eq!(CodeKind::of(b"// x\n.version 7.0\n\0"), Some(CodeKind::Ptx));
        for none in [&b""[..], b"\x7fE", b"hello", b"\xff\xff.version"] {
            assert_eq!(CodeKind::of(none), None);
        }
    }
}
