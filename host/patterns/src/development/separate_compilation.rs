//! Two kernel crates that are compiled separately and linked by the driver. A kernel of one calls a
//! function of the other.

use std::sync::Arc;

use anyhow::Result;
use lanewise::{Device, Image, Linker, LoadError};
use separate_kernels::map_curve;

use super::curve;
use crate::{Case, Figure, Pattern, Setup, Size, Variant};

/// This pattern's row in the catalog: its name, variants and how each is set up.
pub static PATTERN: Pattern = Pattern {
    name: "separate_compilation",
    chapter: "development",
    summary: "a kernel calls a function of another crate: two modules of PTX, linked by the driver",
    source: "CUDA study notes, chapter 10.2.2",
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

/// Both crates as one image.
///
/// # Errors
/// The driver's error, with its linker's log.
pub fn image(device: &Device) -> Result<Image, LoadError> {
    Linker::new(device)
        .module::<separate_kernels::Ptx>()?
        .module::<separate_functions::Ptx>()?
        .link()
}

/// From here on, launches of the kernel take the linked module.
fn linked(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let image = image(device)?;
    let figures = vec![Figure::new("bytes of the image", image.bytes().len())];
    // SAFETY: one half is the crate's own PTX, and the other defines `curve` as it is declared.
    let set = unsafe { device.set_module::<separate_kernels::Ptx>(image.load(device)?) };
    match set {
        // An earlier case has set it.
        Ok(()) | Err(LoadError::AlreadyLoaded { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let of = device.clone();
    let launch = move |stream: &_, config, (input, output): curve::Buffers<'_>| {
        Ok(of.launch(stream, map_curve, config, (input, output))?)
    };
    curve::case(device, setup, Box::new(launch), figures)
}

/// The image goes through a file, as a program keeps it for its next run.
fn kept(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), image(device)?.bytes())?;
    let bytes = std::fs::read(file.path())?;
    // SAFETY: the driver made it.
    let module = Arc::new(unsafe { lanewise::Module::from_image(device, &bytes)? });
    let launch = move |stream: &_, config, (input, output): curve::Buffers<'_>| {
        // SAFETY: the module is that of the handle, linked; it asks nothing of its caller.
        let launched =
            unsafe { module.launch_unchecked(stream, map_curve, config, (input, output)) };
        Ok(launched?)
    };
    curve::case(device, setup, Box::new(launch), Vec::new())
}

/// The same function, called by a kernel of its own crate: inlined.
fn at_home(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let of = device.clone();
    let launch = move |stream: &_, config, (input, output): curve::Buffers<'_>| {
        let kernel = separate_functions::map_curve_at_home;
        Ok(of.launch(stream, kernel, config, (input, output))?)
    };
    curve::case(device, setup, Box::new(launch), Vec::new())
}
