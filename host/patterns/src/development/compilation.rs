//! How code gets to the device: as PTX that the driver compiles, or as machine code, for this
//! device, an older or a newer one.

use anyhow::{Context, Result};
use lanewise::testing::{self, Agreement, Mismatch};
use lanewise::{ComputeCapability, Device, JitOptions, Linker, LoadError, Module, Stream};
use lanewise_std::kernel::Module as _;
use separate_functions::{Blackwell, Hopper, Ptx, Volta, map_curve_at_home};

use super::curve;
use crate::{Case, Figure, Pattern, Setup, Size, Variant, Work};

/// This pattern's row in the catalog: its name, variants and how each is set up.
pub static PATTERN: Pattern = Pattern {
    name: "compilation",
    chapter: "development",
    summary: "PTX that the driver compiles, and machine code: for this device, an older one, a newer one, this one alone",
    source: "Professional CUDA C Programming, chapter 10; CUDA C++ Programming Guide, Compilation",
    size: Size {
        of: "elements",
        is_square: false,
        default: 1 << 12,
        bench: None,
    },
    variants: &[
        Variant::on_the_host("compiled_by_driver", |device, setup| {
            let text = device.ptx::<Ptx>()?.plain;
            compiled(device, setup, text, &JitOptions::default())
        }),
        Variant::on_the_host("compiled_in_haste", |device, setup| {
            let options = JitOptions {
                optimization: Some(0),
                max_registers: Some(32),
                ..JitOptions::default()
            };
            compiled(device, setup, device.ptx::<Ptx>()?.plain, &options)
        }),
        Variant::on_the_host("machine_code", machine_code),
        Variant::on_the_host("older_target", |device, setup| {
            compiled(device, setup, Volta::TEXTS[0].plain, &JitOptions::default())
        }),
        Variant::on_the_host("arch_specific", arch_specific),
        Variant::on_the_host("newer_target", |device, setup| {
            of_another(
                device,
                setup,
                Blackwell::TEXTS[0].plain,
                &[(12, 0), (12, 1)],
            )
        }),
    ],
};

/// Compiles the text with the driver and these options, and prepares its kernel.
fn compiled(
    device: &Device,
    setup: Setup,
    text: &str,
    options: &JitOptions,
) -> Result<Box<dyn Case>> {
    let options = JitOptions {
        verbose: true,
        ..*options
    };
    let compiled = Module::compile(device, text, &options)?;
    let took = compiled.time;
    let figures = vec![
        Figure::new("target", target(text)),
        Figure::new("compiled in", format!("{took:?}")),
        Figure::new("registers", registers(&compiled.log)),
    ];
    loaded(device, setup, compiled.module, figures)
}

/// Prepares machine code that the driver's linker makes from PTX. It is loaded in the form in which
/// a file would contain it.
fn machine_code(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    let image = Linker::new(device).module::<Ptx>()?.link()?;
    // SAFETY: the bytes are an image that the driver's linker made.
    let module = unsafe { Module::from_image(device, image.bytes())? };
    let kind = match image.bytes() {
        [0x7f, b'E', b'L', b'F', ..] => "machine code",
        _ => "the simulator's own",
    };
    loaded(device, setup, module, vec![Figure::new("target", kind)])
}

/// Prepares PTX with instructions that only the Hopper generation has.
fn arch_specific(device: &Device, setup: Setup) -> Result<Box<dyn Case>> {
    of_another(device, setup, Hopper::TEXTS[0].plain, &[(9, 0)])
}

/// Prepares PTX that only these devices run. All other devices refuse it.
fn of_another(
    device: &Device,
    setup: Setup,
    text: &str,
    devices: &[(u32, u32)],
) -> Result<Box<dyn Case>> {
    let ComputeCapability { major, minor } = device.properties().compute_capability;
    if devices.contains(&(major, minor)) {
        return compiled(device, setup, text, &JitOptions::default());
    }
    Ok(Box::new(Refused {
        device: device.clone(),
        text: text.to_owned(),
        told: None,
    }))
}

/// Returns the case that launches the kernel of a loaded module.
fn loaded(
    device: &Device,
    setup: Setup,
    module: Module,
    figures: Vec<Figure>,
) -> Result<Box<dyn Case>> {
    let launch = move |stream: &_, config, (input, output): curve::Buffers<'_>| {
        // SAFETY: the module is compiled from the handle's crate, and its kernel has
        // no safety conditions.
        let launched =
            unsafe { module.launch_unchecked(stream, map_curve_at_home, config, (input, output)) };
        Ok(launched?)
    };
    curve::case(device, setup, Box::new(launch), figures)
}

/// Returns the target that the PTX names.
fn target(text: &str) -> String {
    let target = text.lines().find_map(|line| line.strip_prefix(".target "));
    target.unwrap_or("none").trim().to_owned()
}

/// Returns the kernel's number of registers, which the compiler's log contains.
fn registers(log: &str) -> String {
    let told = log.split("Used ").nth(1);
    let number = told.and_then(|rest| rest.split_whitespace().next());
    number.unwrap_or("-").to_owned()
}

/// A PTX text that the device cannot run.
struct Refused {
    device: Device,
    text: String,
    /// CUDA's name of the error with which the device refused the text.
    told: Option<String>,
}

impl Case for Refused {
    fn launch(&mut self, _: &Stream) -> Result<()> {
        self.told = match Module::from_ptx(&self.device, &self.text) {
            Err(LoadError::Refused { source }) => Some(source.name().to_owned()),
            Err(other) => return Err(other.into()),
            Ok(_) => None,
        };
        Ok(())
    }

    fn check(&mut self) -> Result<Result<Agreement, Mismatch>> {
        let told = self.told.as_deref().context("the device took the text")?;
        Ok(testing::equal(&[told], &["CUDA_ERROR_INVALID_PTX"]))
    }

    fn work(&self) -> Work {
        Work::Nothing
    }

    fn figures(&self, _: Option<&lanewise::counters::Counters>) -> Result<Vec<Figure>> {
        let told = self
            .told
            .iter()
            .map(|told| Figure::new("refused with", told.clone()));
        let target = Figure::new("target", target(&self.text));
        Ok([target].into_iter().chain(told).collect())
    }
}
