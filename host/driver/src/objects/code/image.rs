//! Images: the bytes that a program loads as code.
//!
//! Three kinds are read: PTX; the image that a link makes (see [`linked`]), which is the PTX that
//! was linked; and a fatbin that contains PTX. Cubins are refused with
//! `CUDA_ERROR_NO_BINARY_FOR_GPU`, as a driver refuses code for another GPU; see [`super::cubin`].

use super::{cubin, fatbin};
use crate::error::{Result, fail};
use crate::objects::device;
use std::borrow::Cow;
use std::ffi::CStr;

/// The first line of a linked image.
const LINKED: &str = "//lanewise: linked PTX";
/// The separator of the texts in a linked image: ASCII's record separator, which no PTX contains.
const SEPARATOR: char = '\u{1e}';

/// Makes the image of a link, which corresponds to the `cubin` that NVIDIA's linker makes. It ends
/// in a zero byte, so that its length is known wherever it is copied to. It is text, so that people
/// can read what a program has cached.
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

/// Returns the PTX texts of an image. All of them together are loaded as one module.
pub(crate) fn texts(image: &[u8]) -> Result<Vec<Cow<'_, str>>> {
    if let Some(rest) = image.strip_prefix(LINKED.as_bytes()) {
        let rest = ptx(rest)?;
        let (_, rest) = rest.split_once(SEPARATOR).unwrap_or(("", ""));
        return Ok(rest.split(SEPARATOR).map(Cow::Borrowed).collect());
    }
    if image.starts_with(&fatbin::MAGIC) {
        // All simulated devices are of the same model.
        let sm = device::all()
            .first()
            .map_or(u32::MAX, |device| device.sim.model().sm());
        let text = fatbin::ptx(image, sm)?;
        ptx(text.as_bytes())?;
        return Ok(vec![Cow::Owned(text)]);
    }
    Ok(vec![Cow::Borrowed(ptx(image)?)])
}

/// Returns an image as PTX text.
fn ptx(image: &[u8]) -> Result<&str> {
    if image.starts_with(&cubin::MAGIC) {
        fail!(ERROR_NO_BINARY_FOR_GPU, "{}", cubin::refusal(image));
    }
    let image = CStr::from_bytes_until_nul(image).map_or(image, CStr::to_bytes);
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
    Ok(text)
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
