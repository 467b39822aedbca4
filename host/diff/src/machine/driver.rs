//! The device of the driver: a GPU, or the simulator behind the driver's calls.

use lanewise::{DeviceBuffer, LaunchConfig, LaunchError, Stream};
use lanewise_std::GlobalMut;

use super::array::Array;
use super::{Failure, Job, Machine, parameter, whole};
use crate::case::{BLOCK, THREADS};

/// The device of the driver: a GPU, or the simulator behind the driver's calls.
#[derive(Debug)]
pub struct Driver {
    device: lanewise::Device,
    stream: Stream,
}

impl Driver {
    /// Makes a machine of an open device.
    ///
    /// # Errors
    /// Returns the driver's error if it cannot make a stream.
    pub fn new(device: lanewise::Device) -> Result<Self, lanewise::DriverError> {
        let stream = device.stream()?;
        Ok(Self { device, stream })
    }

    /// Returns the device that the driver opened.
    pub fn device(&self) -> &lanewise::Device {
        &self.device
    }
}

impl Machine for Driver {
    type Module = lanewise::Module;

    fn load(&self, ptx: &str) -> Result<lanewise::Module, Failure> {
        lanewise::Module::from_ptx(&self.device, ptx)
            .map_err(|error| Failure::Refused(whole(&error)))
    }

    fn run(&self, module: &lanewise::Module, job: &Job<'_>) -> Result<Vec<u8>, Failure> {
        let input = DeviceBuffer::from_slice(&self.device, job.input)
            .map_err(|error| Failure::other(&error))?;
        let mut results = DeviceBuffer::<u8>::zeroed(&self.device, job.output)
            .map_err(|error| Failure::other(&error))?;
        let mut arrays = Vec::new();
        for setup in job.images {
            arrays.push(Array::new(setup, job.seed).map_err(|error| Failure::other(&error))?);
        }
        let handles: Vec<u64> = arrays.iter().map(Array::handle).collect();
        let config = LaunchConfig::new((THREADS / BLOCK) as u32, BLOCK as u32);
        let arguments = (&input, &mut results, parameter(&handles));
        // SAFETY: a kernel of `kernel::module` has these parameters. It accesses only its threads'
        // records in the two buffers, and its objects.
        let launched = unsafe {
            module.launch_named::<(&[u8], GlobalMut<u8>, [u64; 16]), _>(
                &self.stream,
                job.kernel,
                config,
                arguments,
            )
        };
        launched.map_err(|error| match error {
            // A compiler may accept a module and omit a kernel with an instruction that it
            // does not support.
            LaunchError::UnknownKernel { .. } => {
                Failure::Refused("the module loads, without this kernel".into())
            }
            error => Failure::other(&error),
        })?;
        self.stream
            .synchronize()
            .map_err(|error| Failure::Faulted {
                code: error.code(),
                why: whole(&error),
            })?;
        let mut bytes = results.to_vec().map_err(|error| Failure::other(&error))?;
        for array in &arrays {
            let contents = array.contents().map_err(|error| Failure::other(&error))?;
            bytes.extend(contents);
        }
        Ok(bytes)
    }
}
