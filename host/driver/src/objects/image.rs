//! Images: the bytes that a program loads as code.
//!
//! Three kinds are read: PTX, the image that a link makes (see [`linked`]), which is the PTX that went into it, and a fatbin with
//! PTX in it. Cubins hold machine code for a GPU, which nothing here can run; they are recognised by their first bytes and refused
//! as a driver refuses code for another GPU, with `CUDA_ERROR_NO_BINARY_FOR_GPU`.

use super::{device, fatbin};
use crate::error::{Result, fail};
use std::borrow::Cow;

/// The first line of a linked image.
const LINKED: &str = "//lanewise: linked PTX";
/// What stands between the texts of a linked image: ASCII's record separator, which no PTX holds.
const SEPARATOR: char = '\u{1e}';

/// The image of a link: what a `cubin` is to NVIDIA's linker. It ends in a zero byte, so that its length is known wherever
/// it is copied to, and stays text, so that one can read what a program has cached.
pub(crate) fn linked(texts: &[String]) -> Vec<u8> {
    let mut image = String::from(LINKED);
    for text in texts {
        image.push('\n');
        image.push(SEPARATOR);
        image.push('\n');
        image.push_str(text.trim_end_matches('\0'));
    }
    image.push('\0');
    image.into_bytes()
}

/// The PTX texts of an image; what is loaded is all of them as one module.
pub(crate) fn texts(image: &[u8]) -> Result<Vec<Cow<'_, str>>> {
    if let Some(rest) = image.strip_prefix(LINKED.as_bytes()) {
        let rest = ptx(rest)?;
        let (_, rest) = rest.split_once(SEPARATOR).unwrap_or(("", ""));
        return Ok(rest.split(SEPARATOR).map(Cow::Borrowed).collect());
    }
    if image.starts_with(&fatbin::MAGIC) {
        // Simulated devices are alike.
        let sm = device::all()
            .first()
            .map_or(u32::MAX, |device| device.sim.model().sm());
        let text = fatbin::ptx(image, sm)?;
        ptx(text.as_bytes())?;
        return Ok(vec![Cow::Owned(text)]);
    }
    Ok(vec![Cow::Borrowed(ptx(image)?)])
}

/// An image as PTX text.
fn ptx(image: &[u8]) -> Result<&str> {
    if let Some(what) = binary_kind(image) {
        fail!(
            ERROR_NO_BINARY_FOR_GPU,
            "the image is {what}, machine code for a GPU; the simulator runs PTX: load the .ptx file instead"
        );
    }
    let image = image.split(|&byte| byte == 0).next().unwrap_or(image);
    let text = match std::str::from_utf8(image) {
        Ok(text) if text.contains(".version") => text,
        Ok(_) => fail!(
            ERROR_INVALID_IMAGE,
            "the image is neither PTX, which begins with `.version`, nor a cubin or fatbin"
        ),
        Err(error) => fail!(
            ERROR_INVALID_IMAGE,
            "the image is neither PTX nor a cubin or fatbin: byte {} is not text",
            error.valid_up_to()
        ),
    };
    if let Some((major, minor)) = ptx_version(text).filter(|&version| version > NEWEST_PTX) {
        fail!(
            ERROR_UNSUPPORTED_PTX_VERSION,
            "the text is PTX {major}.{minor}; CUDA 13.0, which is simulated, reads {}.{} and before: build for an older version",
            NEWEST_PTX.0,
            NEWEST_PTX.1
        );
    }
    Ok(text)
}

/// The newest PTX that CUDA 13.0 reads (PTX ISA 9.0, "Release Notes").
const NEWEST_PTX: (u32, u32) = (9, 0);

/// The version that the `.version` directive names, if it names one; what is wrong with it, the parser says.
fn ptx_version(text: &str) -> Option<(u32, u32)> {
    let directive = text
        .lines()
        .map(str::trim_start)
        .find_map(|line| line.strip_prefix(".version"))?;
    let (major, minor) = directive.split_whitespace().next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// What kind of machine code an image is, by its first bytes.
fn binary_kind(image: &[u8]) -> Option<&'static str> {
    match image {
        [0x7f, b'E', b'L', b'F', ..] => Some("a cubin"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

    #[test]
    fn a_linked_image_holds_the_texts_that_went_in() {
        let image = linked(&[ONE.to_string(), format!("{ONE}\0")]);
        let back = texts(&image).expect("an image of ours is read");
        let back: Vec<_> = back.iter().map(|text| text.trim()).collect();
        assert_eq!(back, [ONE.trim(), ONE.trim()]);
        // Without its zero byte, as `cuModuleLoadData` sees it.
        assert_eq!(texts(&image[..image.len() - 1]).expect("the same").len(), 2);
    }

    #[test]
    fn what_is_no_ptx_is_refused() {
        for image in [
            &b"\x7fELF\x02"[..],
            b"hello",
            b"\xff\xff",
            b"",
            LINKED.as_bytes(),
        ] {
            assert!(texts(image).is_err(), "{image:?}");
        }
    }
}
