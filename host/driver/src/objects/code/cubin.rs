//! Cubins: machine code for one kind of GPU, which the simulator cannot run. It can only report
//! which tool made the cubin, and how to get the PTX that it was made from.
//!
//! A cubin is an ELF file for machine 190 (LLVM's `ELF.h` names it `EM_CUDA`). The compute
//! capability is in `e_flags`: in its lowest byte up to ABI version 7, in its second byte from
//! version 8 on. Tools write their names into a note, as text.

use super::bytes::number;

/// The first bytes of a cubin, as of any ELF file.
pub(crate) const MAGIC: [u8; 4] = [0x7f, b'E', b'L', b'F'];
/// The size of the header of a 64-bit ELF file.
pub(crate) const HEADER: usize = 64;

const EM_CUDA: u64 = 190;
/// The first ABI version that has the compute capability in the second byte of the flags.
const ABI_OF_CUDA_13: u8 = 8;

/// Returns the size of a file, computed from its header. The table of segments or the table of
/// sections comes last.
pub(crate) fn size(header: &[u8; HEADER]) -> Option<usize> {
    let end = |offset, entry, count| {
        let start = usize::try_from(number(header, offset, 8)?).ok()?;
        let table = number(header, entry, 2)? * number(header, count, 2)?;
        start.checked_add(table as usize)
    };
    let size = end(32, 54, 56)?.max(end(40, 58, 60)?);
    isize::try_from(size).is_ok().then_some(size)
}

/// Returns the reason why the image cannot be run, and advice.
pub(crate) fn refusal(image: &[u8]) -> String {
    if number(image, 18, 2) != Some(EM_CUDA) {
        return "the image is an ELF file for a host, not code for a GPU; load PTX".into();
    }
    let flags = number(image, 48, 4).unwrap_or_default();
    let sm = match image.get(8) {
        Some(&abi) if abi >= ABI_OF_CUDA_13 => flags >> 8 & 0xff,
        _ => flags & 0xff,
    };
    format!(
        "the image is a cubin, machine code for sm_{sm} made by {}; the simulator runs PTX, so have the program keep that: {}",
        maker(image),
        how_to_have_ptx(sm)
    )
}

/// Returns how the tools that make cubins can make or keep PTX for `sm_{sm}`.
pub(crate) fn how_to_have_ptx(sm: u64) -> String {
    format!(
        "`-gencode arch=compute_{sm},code=compute_{sm}` of nvcc, `--gpu-architecture=compute_{sm}` and nvrtcGetPTX of NVRTC, or the text \
         that ptxas was given"
    )
}

/// Returns the tool that made a cubin, with its version if the cubin contains it.
fn maker(image: &[u8]) -> String {
    const TOOLS: [&str; 4] = ["nvJitLink", "nvrtc", "nvlink", "ptxas"];
    const RELEASE: &str = "release ";
    let tool = TOOLS.iter().find(|tool| find(image, tool).is_some());
    let tool = tool.copied().unwrap_or("NVIDIA's compiler");
    let release = find(image, "Cuda compilation tools, release ").and_then(|at| {
        let text = &image[at..];
        let version = &text[find(text, RELEASE)? + RELEASE.len()..];
        let end = version
            .iter()
            .position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
        std::str::from_utf8(&version[..end]).ok()
    });
    match release {
        Some(release) => format!("{tool} of CUDA {release}"),
        None => tool.to_owned(),
    }
}

/// Returns the position of a text.
fn find(image: &[u8], text: &str) -> Option<usize> {
    image
        .windows(text.len())
        .position(|window| window == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBIN: &[u8] = include_bytes!("../../../tests/fatbin/fill.cubin");

    #[test]
    fn a_cubin_is_as_long_as_its_header_says() {
        assert_eq!(CUBIN.first_chunk().and_then(size), Some(CUBIN.len()));
    }

    #[test]
    fn the_refusal_says_who_made_it_and_how_to_have_ptx() {
        let text = refusal(CUBIN);
        assert!(
            text.contains("machine code for sm_90 made by ptxas of CUDA 13.0"),
            "{text}"
        );
        assert!(text.contains("arch=compute_90,code=compute_90"), "{text}");
        // An ELF file that is not of CUDA, and one that is cut off in the middle.
        assert!(refusal(b"\x7fELF\x02\x01\x01").contains("for a host"));
    }
}
