//! Two kernel crates that are compiled separately and linked by the driver. A kernel of one calls a
//! function of the other.

use std::sync::Arc;

use anyhow::Result;
use lanewise::{Device, Image, Linker, LoadError, Stream};
use separate_kernels::map_curve;

use super::curve;
use crate::{Case, Figure, Pattern, Setup, Size, Variant};

/// This pattern's row in the catalog: its name, variants and how each is set up.
pub static PATTERN: Pattern = Pattern {
    name: "separate_compilation",
    chapter: "development",
    summary: "a kernel calls a function of another crate: two modules of PTX, linked by the driver",
    source: "Professional CUDA C Programming, chapter 10",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 12,
        bench: None,
    },
    variants: &[
        Variant::on_the_host("linked_by_driver", linked),
        Variant::on_the_host("linked_and_kept", kept),
        Variant::on_the_host("linked_at_home", at_home),
    ],
};

/// Links both crates into one image.
///
/// # Errors
/// The driver's error, with the log of its linker.
pub fn image(device: &Device) -> Result<Image, LoadError> {
    Linker::new(device)
        .module::<separate_kernels::Ptx>()?
        .module::<separate_functions::Ptx>()?
        .link()
}

/// Prepares a launch that uses the linked module. From here on, all launches of the kernel use it.
fn linked(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let image = image(device)?;
    let figures = vec![Figure::new("bytes of the image", image.bytes().len())];
    // SAFETY: one module is the crate's own PTX, and the other defines `curve` as the
    // crate declares it.
    let set = unsafe { device.set_module::<separate_kernels::Ptx>(image.load(device)?) };
    match set {
        // An earlier case has set it.
        Ok(()) | Err(LoadError::AlreadyLoaded { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let launch = move |stream: &Stream, config, (input, output): curve::Buffers<'_>| {
        Ok(stream.launch(map_curve, config, (input, output))?)
    };
    curve::case(device, setup, Box::new(launch), figures)
}

/// Prepares a launch of the image after it was written to a file and read back, as a program does
/// that keeps the image for its next run.
fn kept(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), image(device)?.bytes())?;
    let bytes = std::fs::read(file.path())?;
    // SAFETY: the bytes are an image that the driver's linker made.
    let module = Arc::new(unsafe { lanewise::Module::from_image(device, &bytes)? });
    let launch = move |stream: &Stream, config, (input, output): curve::Buffers<'_>| {
        // SAFETY: the module is the linked module of the kernel's handle, and the kernel has
        // no safety conditions.
        let launched =
            unsafe { module.launch_unchecked(stream, map_curve, config, (input, output)) };
        Ok(launched?)
    };
    curve::case(device, setup, Box::new(launch), Vec::new())
}

/// Prepares the kernel that calls the same function in its own crate, where it is inlined.
fn at_home(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let launch = move |stream: &Stream, config, (input, output): curve::Buffers<'_>| {
        let kernel = separate_functions::map_curve_at_home;
        Ok(stream.launch(kernel, config, (input, output))?)
    };
    curve::case(device, setup, Box::new(launch), Vec::new())
}
