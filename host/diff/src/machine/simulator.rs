//! The simulator, called directly. Arrays are in its memory, objects in its table.

use lanewise_sim::image::{Image, Object, Shape, Texture};
use lanewise_sim::{AllocationKind, DeviceModel, Launch};

use super::{Failure, Job, Machine, parameter};
use crate::case::{BLOCK, THREADS};
use crate::image::Setup;
use crate::kernel::PARAMETER;

/// A simulated device as one side of the comparison.
#[derive(Debug)]
pub struct Simulator {
    device: lanewise_sim::Device,
    /// An H200, for code that only Hopper runs (`.target sm_90a`).
    hopper: Option<Box<Simulator>>,
}

/// A module, with the device that it belongs to.
#[derive(Debug)]
pub struct Loaded {
    instance: lanewise_sim::Instance,
    on_hopper: bool,
}

/// An object and the arrays of its levels.
struct MadeObject {
    handle: u64,
    levels: Vec<Image>,
    surface: bool,
}

impl Simulator {
    /// Makes a simulator of the newest model. The table defines what an older device does not
    /// support, not this simulator.
    ///
    /// # Errors
    /// Returns an error if the host has no addresses for the memory.
    pub fn new() -> Result<Self, lanewise_sim::DeviceError> {
        let of = |model, hopper| {
            lanewise_sim::Device::new(model).map(|device| Simulator { device, hopper })
        };
        let hopper = of(DeviceModel::h200(), None)?;
        of(DeviceModel::b200(), Some(Box::new(hopper)))
    }

    fn allocate(&self, bytes: usize, kind: AllocationKind) -> Result<u64, Failure> {
        let made = self.device.memory().allocate(bytes as u64, 256, kind, None);
        made.map_err(|error| Failure::other(&error))
    }

    fn free(&self, address: u64) -> Result<(), Failure> {
        let freed = self.device.memory().free(address);
        freed.map_err(|error| Failure::other(&error))
    }

    fn make(&self, setup: &Setup, seed: u64) -> Result<MadeObject, Failure> {
        let kind = if setup.shape == Shape::Linear {
            AllocationKind::Device
        } else {
            AllocationKind::Array
        };
        let mut levels = Vec::new();
        for (number, texels) in (0..).zip(setup.contents(seed)) {
            let [width, height, depth] = setup.level(number);
            let address = self.allocate(texels.len(), kind.clone())?;
            // SAFETY: the memory was just allocated with this size, and nothing runs on
            // this device yet.
            unsafe { (address as *mut u8).copy_from_nonoverlapping(texels.as_ptr(), texels.len()) };
            let row = u64::from(width * setup.texel());
            levels.push(Image {
                address,
                format: setup.format,
                channels: setup.channels,
                shape: setup.shape,
                width,
                height,
                depth,
                row,
                slice: row * u64::from(height),
            });
        }
        let object = match (setup.surface, levels.first()) {
            (true, Some(image)) => Object::Surface(*image),
            _ => Object::Texture(Texture {
                levels: levels.clone(),
                sampler: setup.sampler,
            }),
        };
        Ok(MadeObject {
            handle: self.device.images().add(object),
            levels,
            surface: setup.surface,
        })
    }
}

impl Machine for Simulator {
    type Module = Loaded;

    fn load(&self, ptx: &str) -> Result<Loaded, Failure> {
        if let Some(hopper) = &self.hopper
            && ptx.contains(".target sm_90a\n")
        {
            let loaded = hopper.load(ptx)?;
            return Ok(Loaded {
                on_hopper: true,
                ..loaded
            });
        }
        let refused = |error: &dyn std::fmt::Display| Failure::Refused(error.to_string());
        let module = lanewise_sim::Module::load(ptx).map_err(|error| refused(&error))?;
        let instance = self
            .device
            .instantiate(&module)
            .map_err(|error| refused(&error))?;
        Ok(Loaded {
            instance,
            on_hopper: false,
        })
    }

    fn run(&self, module: &Loaded, job: &Job<'_>) -> Result<Vec<u8>, Failure> {
        match &self.hopper {
            Some(hopper) if module.on_hopper => hopper.run_here(&module.instance, job),
            _ => self.run_here(&module.instance, job),
        }
    }
}

impl Simulator {
    fn run_here(&self, module: &lanewise_sim::Instance, job: &Job<'_>) -> Result<Vec<u8>, Failure> {
        let of = self.allocate(job.input.len(), AllocationKind::Device)?;
        let to = self.allocate(job.output, AllocationKind::Device)?;
        // SAFETY: both were just allocated with these sizes, and nothing runs on this device yet.
        unsafe {
            (of as *mut u8).copy_from_nonoverlapping(job.input.as_ptr(), job.input.len());
            (to as *mut u8).write_bytes(0, job.output);
        }
        let mut made = Vec::new();
        for setup in job.images {
            made.push(self.make(setup, job.seed)?);
        }
        let handles: Vec<u64> = made.iter().map(|made| made.handle).collect();
        let words = [of, job.input.len() as u64, to, job.output as u64];
        let mut params: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        params.resize(PARAMETER, 0);
        params.extend(parameter(&handles).into_iter().flat_map(u64::to_le_bytes));
        let launch = Launch::new(
            job.kernel,
            [(THREADS / BLOCK) as u32, 1, 1],
            [BLOCK as u32, 1, 1],
            &params,
        );
        let ran = self.device.launch(module, &launch);
        let bytes = |address: u64, length: usize| {
            // SAFETY: the allocation has this size and lives until it is freed below, and the
            // launch is over.
            unsafe { std::slice::from_raw_parts(address as *const u8, length) }.to_vec()
        };
        let mut result = bytes(to, job.output);
        for made in made {
            self.device.images().remove(made.handle);
            for image in made.levels {
                if made.surface {
                    let length = image.bytes().unwrap_or_default();
                    result.extend(bytes(image.address, length as usize));
                }
                self.free(image.address)?;
            }
        }
        for address in [of, to] {
            self.free(address)?;
        }
        ran.map(|_| result).map_err(|fault| Failure::Faulted {
            code: fault.code(),
            why: fault.to_string(),
        })
    }
}
