//! nvcc: twins of some variants in CUDA C++, which it compiles when the first one is measured.
//!
//! A twin has the name of its variant, and its launch: the same grid, the same blocks, the same
//! sizes.
//! Source: CUDA Compiler Driver NVCC, "-cubin".

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, ensure};
use lanewise::{Arguments, Device, DeviceBuffer, LaunchConfig, Module, Stream};
use lanewise_variables::{CUDA_HOME, CUDA_PATH};

use super::{Job, job};
use crate::{Setup, input};

/// The twins in CUDA C++.
const SOURCE: &str = include_str!("twins.cu");

/// What a twin computes from what, and how it is launched.
#[derive(Debug, Clone, Copy)]
enum Twin {
    /// Sums of integers, one for each block of 512 threads, which add this many elements each.
    Sums(usize),
    /// Such sums in this many blocks of 256 threads for each multiprocessor.
    SumsByStrides(u32),
    /// The sum of two vectors, in blocks of 256 threads.
    Pairs,
    /// A vector from another one, in blocks of 256 threads.
    Vector,
    /// A matrix from another one: the sides of a tile, and of the block that computes it.
    Matrix([u32; 2], [u32; 2]),
    /// The product of square matrices, in blocks of this side.
    Product(u32),
}

impl Twin {
    /// Returns the twin of the variant with this name.
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "vec_add" => Self::Pairs,
            "reduce_neighbored" | "reduce_neighbored_less" | "reduce_interleaved" => Self::Sums(1),
            "reduce_unrolling2" => Self::Sums(2),
            "reduce_unrolling4" | "reduce_smem_unroll4" => Self::Sums(4),
            "reduce_unrolling8" | "reduce_complete_unroll_512" => Self::Sums(8),
            "reduce_shfl" => Self::SumsByStrides(16),
            "copy_row"
            | "transpose_naive_row"
            | "transpose_naive_col"
            | "transpose_diagonal_row" => Self::Matrix([16, 16], [16, 16]),
            "transpose_smem" | "transpose_smem_pad" => Self::Matrix([32, 32], [32, 8]),
            "stencil_constant" => Self::Vector,
            "matmul_naive" | "matmul_shared_16" => Self::Product(16),
            "matmul_shared_32" => Self::Product(32),
            _ => return None,
        })
    }
}

impl Twin {
    /// Returns the launch for this size, of which a twin may take fewer than its variant: it is
    /// measured at one.
    fn config(self, device: &Device, setup: Setup) -> Result<LaunchConfig> {
        let n = setup.elements()?;
        let whole = |part: usize| {
            let is_whole = n.is_multiple_of(part);
            ensure!(is_whole, "the twin by nvcc takes multiples of {part}");
            Ok(n / part)
        };
        let square = || {
            let (m, n, k) = setup.product()?;
            ensure!(m == n && k == n, "the twin by nvcc takes square matrices");
            Ok((n, n))
        };
        Ok(match self {
            Self::Sums(each) => LaunchConfig::new(u32::try_from(whole(512 * each)?)?, 512),
            Self::SumsByStrides(blocks) => {
                LaunchConfig::new(blocks * device.properties().multiprocessors, 256)
            }
            Self::Pairs | Self::Vector => LaunchConfig::cover_1d(n, 256),
            Self::Matrix([x, y], block) => {
                let mut config = LaunchConfig::cover_2d(square()?, block.into());
                config.grid = LaunchConfig::cover_2d(square()?, (x, y)).grid;
                config
            }
            Self::Product(side) => {
                whole(side as usize)?;
                LaunchConfig::cover_2d(square()?, (side, side))
            }
        })
    }
}

/// Returns whether the variant with this name has a twin.
pub fn has_twin(name: &str) -> bool {
    Twin::of(name).is_some()
}

/// Returns the twin of the variant with this name as a job, if it has one.
pub fn twin(device: &Device, name: &'static str, setup: Setup) -> Option<Result<Box<dyn Job>>> {
    let twin = Twin::of(name)?;
    Some(prepare(device, name, twin, setup))
}

fn prepare(device: &Device, name: &'static str, twin: Twin, setup: Setup) -> Result<Box<dyn Job>> {
    let compiled = compiled(device)?;
    // SAFETY: nvcc has made the image, and it was read whole.
    let module = unsafe { Module::from_image(device, &compiled.cubin) }?;
    let config = twin.config(device, setup)?;
    let kernel = Kernel {
        module,
        name,
        config,
    };
    let compiler = compiled.name;
    let n = setup.size;
    let length = match twin {
        Twin::Matrix(..) | Twin::Product(_) => n * n,
        _ => n,
    };
    let size = u32::try_from(n)?;
    if let Twin::Sums(_) | Twin::SumsByStrides(_) = twin {
        let mut data = DeviceBuffer::from_slice(device, &input::integers(n, setup.seed))?;
        let mut sums = DeviceBuffer::<i32>::zeroed(device, config.grid.x as usize)?;
        return Ok(job(compiler, move |stream| {
            let arguments = (&mut data, &mut sums, size);
            // SAFETY: these are its parameters, with a sum for each block, and as much data as the
            // blocks read.
            unsafe { kernel.launch::<(*mut i32, *mut i32, u32), _>(stream, arguments) }
        }));
    }
    let floats = |seed| DeviceBuffer::from_slice(device, &input::floats(length, seed));
    let a = floats(setup.seed)?;
    let mut output = DeviceBuffer::<f32>::zeroed(device, length)?;
    Ok(match twin {
        Twin::Matrix(..) => job(compiler, move |stream| {
            let arguments = (&a, &mut output, size, size);
            // SAFETY: these are its parameters, and it looks whether an element is inside.
            unsafe { kernel.launch::<(*const f32, *mut f32, u32, u32), _>(stream, arguments) }
        }),
        Twin::Pairs | Twin::Product(_) => {
            let b = floats(setup.seed ^ 1)?;
            job(compiler, move |stream| {
                let arguments = (&a, &b, &mut output, size);
                // SAFETY: these are its parameters. It looks whether an element of a vector is
                // there; the blocks of a product are whole.
                unsafe {
                    kernel.launch::<(*const f32, *const f32, *mut f32, u32), _>(stream, arguments)
                }
            })
        }
        _ => job(compiler, move |stream| {
            let arguments = (&a, &mut output, size);
            // SAFETY: these are its parameters, and it looks whether an element is there.
            unsafe { kernel.launch::<(*const f32, *mut f32, u32), _>(stream, arguments) }
        }),
    })
}

/// A kernel by nvcc, and its launch.
struct Kernel {
    module: Module,
    name: &'static str,
    config: LaunchConfig,
}

impl Kernel {
    /// # Safety
    /// The kernel takes `Params`, and is sound to run with these arguments in this shape.
    unsafe fn launch<Params, A: Arguments<Params>>(
        &self,
        stream: &Stream,
        arguments: A,
    ) -> Result<()> {
        let (name, config) = (self.name, self.config);
        // SAFETY: the caller promises the same.
        let launched = unsafe {
            self.module
                .launch_named::<Params, A>(stream, name, config, arguments)
        };
        Ok(launched?)
    }
}

/// What nvcc made of the twins.
#[derive(Clone)]
struct Compiled {
    /// nvcc and its version.
    name: String,
    cubin: Vec<u8>,
}

/// Returns the twins as machine code for this device. They are compiled once.
fn compiled(device: &Device) -> Result<Compiled> {
    static COMPILED: OnceLock<Result<Compiled, String>> = OnceLock::new();
    let compiled = COMPILED.get_or_init(|| compile(device).map_err(|error| format!("{error:#}")));
    compiled.clone().map_err(|error| anyhow!(error))
}

fn compile(device: &Device) -> Result<Compiled> {
    let homes = [&CUDA_HOME, &CUDA_PATH].map(|variable| variable.path());
    let homes = homes.into_iter().flatten();
    let homes = homes.chain([PathBuf::from("/usr/local/cuda")]);
    let mut found = homes
        .map(|home| home.join("bin/nvcc"))
        .filter(|path| path.is_file());
    let nvcc = found.next().unwrap_or_else(|| "nvcc".into()); // where PATH has it
    let run = |arguments: &[&str]| {
        let output = Command::new(&nvcc).args(arguments).output();
        let output = output.context("there is no nvcc, to compile the twins in CUDA C++")?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "nvcc: {}", log.trim());
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let said = run(&["--version"])?;
    let version = said
        .split(", V")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    let folder = tempfile::tempdir()?;
    let [source, cubin] = ["twins.cu", "twins.cubin"].map(|file| folder.path().join(file));
    std::fs::write(&source, SOURCE)?;
    let arch = format!("-arch={}", device.properties().compute_capability);
    let [source, target] = [&source, &cubin].map(|path| path.to_string_lossy());
    run(&["-O3", "-cubin", &arch, "-o", &target, &source])?;
    Ok(Compiled {
        name: format!("nvcc {}", version.context("nvcc names no version")?),
        cubin: std::fs::read(&cubin)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench;

    #[test]
    fn each_twin_is_of_a_variant_that_is_measured() {
        let kernels = SOURCE.split("extern \"C\" __global__ void ").skip(1);
        let mut names: Vec<_> = kernels.filter_map(|it| it.split('(').next()).collect();
        let measured = bench::plan().map(|(_, variant, _)| variant.name);
        let mut twins: Vec<_> = measured.filter(|name| has_twin(name)).collect();
        names.sort_unstable();
        twins.sort_unstable();
        assert_eq!(names, twins);
    }
}
