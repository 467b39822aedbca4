//! What kind of code is linked.

use cust::sys::CUjitInputType;

/// What code can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// PTX, as text that ends with a byte of zero.
    Ptx,
    /// Machine code, for one target.
    Cubin,
    /// Several of these in one file.
    Fatbin,
    /// A host's object with device code in it.
    Object,
    /// An archive of such objects.
    Library,
    /// What nvcc makes with `-dlto`: code that is compiled when it is linked.
    LtoIr,
}

impl Kind {
    /// The kind by the first bytes: ELF's, with CUDA's machine or a host's, the magic numbers of fatbins, archives and LTO-IR; or PTX's own words.
    pub(super) fn of(code: &[u8]) -> Option<Kind> {
        const CUDA: [u8; 2] = [190, 0];
        match code {
            [0x7f, b'E', b'L', b'F', ..] if code.get(18..20) == Some(&CUDA) => Some(Kind::Cubin),
            [0x7f, b'E', b'L', b'F', ..] => Some(Kind::Object),
            [0x50, 0xed, 0x55, 0xba, ..] => Some(Kind::Fatbin),
            [0xed, 0x43, 0x4e, 0x7f, ..] => Some(Kind::LtoIr),
            _ if code.starts_with(b"!<arch>\n") => Some(Kind::Library),
            _ => {
                let text = std::str::from_utf8(code).ok()?;
                text.contains(".version").then_some(Kind::Ptx)
            }
        }
    }

    /// The driver's number for it.
    pub(super) fn input_type(self) -> CUjitInputType {
        match self {
            Kind::Ptx => CUjitInputType::CU_JIT_INPUT_PTX,
            Kind::Cubin => CUjitInputType::CU_JIT_INPUT_CUBIN,
            Kind::Fatbin => CUjitInputType::CU_JIT_INPUT_FATBINARY,
            Kind::Object => CUjitInputType::CU_JIT_INPUT_OBJECT,
            Kind::Library => CUjitInputType::CU_JIT_INPUT_LIBRARY,
            Kind::LtoIr => CUjitInputType::CU_JIT_INPUT_NVVM,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn code_is_known_by_its_first_bytes() {
        let mut elf = *b"\x7fELF\x02\x01\x01\x41\x08\0\0\0\0\0\0\0\x01\0\xbe\0";
        assert_eq!(Kind::of(&elf), Some(Kind::Cubin));
        elf[18] = 62;
        assert_eq!(Kind::of(&elf), Some(Kind::Object));
        assert_eq!(Kind::of(b"\x50\xed\x55\xba\x01"), Some(Kind::Fatbin));
        assert_eq!(Kind::of(b"\xed\x43\x4e\x7f\x43"), Some(Kind::LtoIr));
        assert_eq!(Kind::of(b"!<arch>\nmembers"), Some(Kind::Library));
        assert_eq!(Kind::of(b"// x\n.version 7.0\n\0"), Some(Kind::Ptx));
        for none in [&b""[..], b"\x7fE", b"hello", b"\xff\xff.version"] {
            assert_eq!(Kind::of(none), None);
        }
    }
}
