//! Fatbins: the files that nvcc embeds in a program. They contain code for several GPUs, and
//! usually PTX for later ones.
//!
//! The format is not documented. This description follows the files of CUDA 12 and 13, which
//! `fatbinary` makes. A header of 16 bytes (magic, version, header size, size of all entries) is
//! followed by entries, each with its own header. PTX is stored as plain text, or compressed with
//! LZ4 or Zstandard. Machine code cannot be run here and is skipped.
//!
//! | byte of an entry | what |
//! | ---: | --- |
//! | 0 | kind: 1 is PTX, 2 machine code (16 bits) |
//! | 4 | size of this header (32 bits) |
//! | 8 | size of what follows it (64 bits) |
//! | 16 | size of that before padding, if it is compressed (32 bits) |
//! | 28 | compute capability as in `sm_90` (32 bits) |
//! | 40 | flags (64 bits) |
//! | 56 | size when it is not compressed any more (64 bits) |

use super::bytes::number;
use super::cubin;
use crate::error::{Result, ensure, fail};
use std::io::Read;

/// The first bytes of a fatbin.
pub(crate) const MAGIC: [u8; 4] = [0x50, 0xed, 0x55, 0xba];
/// The first bytes of the struct that points at a fatbin (`__fatBinC_Wrapper_t`).
pub(crate) const WRAPPER: [u8; 4] = [0xb1, 0x43, 0x62, 0x46];

const HEADER: usize = 16;
const ENTRY_HEADER: usize = 64;
const KIND_PTX: u16 = 1;
const LZ4: u64 = 1 << 13;
const ZSTD: u64 = 1 << 15;
/// The largest size of the text, more than any program's kernels need. A larger size means that the
/// file is damaged.
const MOST: u64 = 1 << 30;

/// Returns the size of a fatbin, computed from its header.
pub(crate) fn size(header: &[u8; HEADER]) -> Option<usize> {
    let entries = usize::try_from(number(header, 8, 8)?).ok()?;
    let size = entries.checked_add(number(header, 6, 2)? as usize)?;
    isize::try_from(size).is_ok().then_some(size)
}

/// Returns the PTX in a fatbin that is best for a device of compute capability `sm` (90 for 9.0).
pub(crate) fn ptx(image: &[u8], sm: u32) -> Result<String> {
    let mut best: Option<(u32, &[u8], &[u8])> = None;
    let mut lowest = u32::MAX;
    let mut kinds = Vec::new();
    let mut rest = image.get(number(image, 6, 2).map_or(HEADER, |size| size as usize)..);
    while let Some(entry) = rest.filter(|rest| rest.len() >= ENTRY_HEADER) {
        let Some((header, body, next)) = split(entry) else {
            fail!(
                ERROR_INVALID_IMAGE,
                "the fatbin is damaged: an entry reaches past its end"
            )
        };
        let arch = number(header, 28, 4).unwrap_or_default() as u32;
        let is_ptx = number(header, 0, 2) == Some(u64::from(KIND_PTX));
        lowest = lowest.min(arch);
        kinds.push(format!(
            "{} for sm_{arch}",
            if is_ptx { "PTX" } else { "machine code" }
        ));
        if is_ptx && arch <= sm && best.is_none_or(|(other, ..)| arch > other) {
            best = Some((arch, header, body));
        }
        rest = Some(next);
    }
    match best {
        Some((_, header, body)) => text(header, body),
        None => fail!(
            ERROR_NO_BINARY_FOR_GPU,
            "the fatbin has {}; the simulated device, an sm_{sm}, runs PTX for sm_{sm} or before, so have it embedded: {}",
            if kinds.is_empty() {
                "nothing".into()
            } else {
                kinds.join(", ")
            },
            cubin::how_to_have_ptx(lowest.min(sm).into())
        ),
    }
}

/// Splits off an entry: returns its header, its content, and the bytes that follow it.
fn split(entry: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let header = number(entry, 4, 4)? as usize;
    let size = usize::try_from(number(entry, 8, 8)?).ok()?;
    let (header, rest) = entry.split_at_checked(header.max(ENTRY_HEADER))?;
    let (body, next) = rest.split_at_checked(size)?;
    Some((header, body, next))
}

/// Returns an entry's text.
fn text(header: &[u8], body: &[u8]) -> Result<String> {
    let flags = number(header, 40, 8).unwrap_or_default();
    let packed = number(header, 16, 4).unwrap_or_default() as usize;
    let unpacked = number(header, 56, 8).unwrap_or_default();
    let bytes = if flags & (LZ4 | ZSTD) == 0 {
        Ok(body.to_vec())
    } else {
        ensure!(
            unpacked <= MOST,
            ERROR_INVALID_IMAGE,
            "the fatbin is damaged: a text of {unpacked} bytes"
        );
        let body = body.get(..packed).unwrap_or(body);
        if flags & LZ4 != 0 {
            lz4_flex::block::decompress(body, unpacked as usize).map_err(|error| error.to_string())
        } else {
            unzstd(body, unpacked)
        }
    };
    let is_packed = flags & (LZ4 | ZSTD) != 0;
    let bytes = match bytes {
        Ok(bytes) if is_packed && bytes.len() as u64 != unpacked => fail!(
            ERROR_INVALID_IMAGE,
            "the fatbin's PTX is {} bytes long where its header says {unpacked}",
            bytes.len()
        ),
        Ok(bytes) => bytes,
        Err(error) => fail!(
            ERROR_INVALID_IMAGE,
            "the fatbin's PTX cannot be decompressed: {error}"
        ),
    };
    let bytes = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_string()),
        Err(error) => fail!(
            ERROR_INVALID_IMAGE,
            "the fatbin's PTX is not text at byte {}",
            error.valid_up_to()
        ),
    }
}

fn unzstd(body: &[u8], unpacked: u64) -> std::result::Result<Vec<u8>, String> {
    let decoder =
        ruzstd::decoding::StreamingDecoder::new(body).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    // Read one byte more than expected, so that a text that is too long is reported too.
    decoder
        .take(unpacked.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::CUresult;

    const FATBINS: [&[u8]; 3] = [
        include_bytes!("../../../tests/fatbin/plain.fatbin"),
        include_bytes!("../../../tests/fatbin/lz4.fatbin"),
        include_bytes!("../../../tests/fatbin/zstd.fatbin"),
    ];

    #[test]
    fn ptx_is_found_however_it_is_packed() {
        for image in FATBINS {
            let text = ptx(image, 90).expect("PTX for sm_70 is in it");
            assert!(text.contains(".entry fill_from_fatbin"), "{text}");
            assert_eq!(image.first_chunk().and_then(size), Some(image.len()));
        }
    }

    #[test]
    fn ptx_for_a_later_device_is_not_taken() {
        let error = ptx(FATBINS[0], 60).expect_err("it is for sm_70");
        assert_eq!(error.code, CUresult::ERROR_NO_BINARY_FOR_GPU);
        assert!(error.message.contains("PTX for sm_70"), "{error}");
    }

    #[test]
    fn ptx_is_taken_where_a_cubin_lies_beside_it() {
        let both = include_bytes!("../../../tests/fatbin/both.fatbin");
        let text = ptx(both, 90).expect("PTX for sm_70 is in it");
        assert!(text.contains(".entry fill_from_fatbin"), "{text}");
        let error = ptx(include_bytes!("../../../tests/fatbin/cubin.fatbin"), 90)
            .expect_err("only machine code is in it");
        assert_eq!(error.code, CUresult::ERROR_NO_BINARY_FOR_GPU);
        for part in ["machine code for sm_90", "arch=compute_90,code=compute_90"] {
            assert!(error.message.contains(part), "{error}");
        }
    }

    /// The bytes of the two headers that specify where the text is and how it is compressed: their
    /// position and size in the file.
    const READ: [(usize, usize); 6] = [
        (0, 4),  // the fatbin's magic: looked at by who finds it
        (6, 2),  // the size of its header
        (16, 2), // the kind of the entry
        (20, 4), // the size of the entry's header
        (24, 8), // the size of its content
        (72, 8), // the size of the text
    ];

    /// A part of a fatbin is refused. A changed byte of a header gives an error or the same text. A
    /// changed byte of the content at most gives another text. A change of the position or length
    /// of the text is always detected.
    #[test]
    fn damage_is_an_error_wherever_it_is() {
        for image in FATBINS {
            let whole = ptx(image, 90).expect("it is whole");
            for length in 0..image.len() {
                assert!(ptx(&image[..length], 90).is_err(), "{length} bytes of it");
            }
            let is_packed = whole.len() + HEADER + ENTRY_HEADER > image.len();
            for at in 0..image.len() {
                for bits in [0x01, 0x80, 0xff] {
                    let mut damaged = image.to_vec();
                    damaged[at] ^= bits;
                    let text = ptx(&damaged, 90);
                    let is_read = READ
                        .iter()
                        .any(|&(start, size)| (start..start + size).contains(&at));
                    let what = format!("byte {at} ^ {bits:#x}: {text:?}");
                    match text {
                        Err(_) => {}
                        Ok(text) if at < HEADER + ENTRY_HEADER => {
                            assert!(text == whole, "{what}");
                            assert!(at < 4 || !is_read || !is_packed, "{what}");
                        }
                        // Any bytes are valid as characters of a text that is not compressed, and
                        // in place of the zeros at its end.
                        Ok(text) => assert!(text.len() <= whole.len() + 8, "{what}"),
                    }
                }
            }
        }
    }
}
