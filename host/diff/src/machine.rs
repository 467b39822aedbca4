//! The two sides of the comparison: the simulator, called directly, and the device that the driver has.

use gpu_std::GlobalMut;
use host::{DeviceBuffer, LaunchConfig, Stream};
use sim::{DeviceModel, Kind, Launch};

use crate::case::{BLOCK, THREADS};
use crate::kernel;

/// Why a machine did not run a kernel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// It does not take the module.
    #[error("{0}")]
    Refused(String),
    /// The kernel did not come to its end.
    #[error("{0}")]
    Faulted(String),
}

/// Something that runs PTX.
pub trait Machine {
    /// A module that is ready to run.
    type Module;

    /// Makes a module of the text.
    ///
    /// # Errors
    /// [`Failure::Refused`].
    fn load(&self, ptx: &str) -> Result<Self::Module, Failure>;

    /// Runs one kernel of a module on these operands and gives the bytes that it stored.
    ///
    /// # Errors
    /// [`Failure::Faulted`], after which a machine may be of no more use.
    fn run(
        &self,
        module: &Self::Module,
        kernel: &str,
        input: &[u8],
        output: usize,
    ) -> Result<Vec<u8>, Failure>;
}

/// The simulator.
#[derive(Debug)]
pub struct Simulator {
    device: sim::Device,
}

impl Simulator {
    /// A simulator of the newest model: what an older device does not have the table says, not this.
    ///
    /// # Errors
    /// When the host has no addresses for the memory.
    pub fn new() -> Result<Self, sim::DeviceError> {
        Ok(Self {
            device: sim::Device::new(DeviceModel::b200())?,
        })
    }
}

impl Machine for Simulator {
    type Module = sim::Instance;

    fn load(&self, ptx: &str) -> Result<sim::Instance, Failure> {
        let refused = |error: &dyn std::fmt::Display| Failure::Refused(error.to_string());
        let module = sim::Module::load(ptx).map_err(|error| refused(&error))?;
        self.device
            .instantiate(&module)
            .map_err(|error| refused(&error))
    }

    fn run(
        &self,
        module: &sim::Instance,
        kernel: &str,
        input: &[u8],
        output: usize,
    ) -> Result<Vec<u8>, Failure> {
        let faulted = |error: &dyn std::fmt::Display| Failure::Faulted(error.to_string());
        let memory = self.device.memory();
        let make = |bytes: usize| memory.allocate(bytes as u64, 256, Kind::Device, None);
        let of = make(input.len()).map_err(|error| faulted(&error))?;
        let to = make(output).map_err(|error| faulted(&error))?;
        // SAFETY: both were just allocated with these sizes, and nothing runs on this device yet.
        unsafe {
            (of as *mut u8).copy_from_nonoverlapping(input.as_ptr(), input.len());
            (to as *mut u8).write_bytes(0, output);
        }
        let words = [of, input.len() as u64, to, output as u64];
        let params = words.into_iter().chain(kernel::parameter());
        let params: Vec<u8> = params.flat_map(u64::to_le_bytes).collect();
        let launch = Launch::new(
            kernel,
            [(THREADS / BLOCK) as u32, 1, 1],
            [BLOCK as u32, 1, 1],
            &params,
        );
        let ran = self.device.launch(module, &launch);
        // SAFETY: the allocation lives until it is freed below, and the launch is over.
        let result = unsafe { std::slice::from_raw_parts(to as *const u8, output) }.to_vec();
        for address in [of, to] {
            memory.free(address).map_err(|error| faulted(&error))?;
        }
        ran.map(|_| result).map_err(|error| faulted(&error))
    }
}

/// What the driver has: a GPU, or the simulator behind the driver's calls.
#[derive(Debug)]
pub struct Driver {
    device: host::Device,
    stream: Stream,
}

impl Driver {
    /// Of an open device.
    ///
    /// # Errors
    /// The driver's, when it has no stream for us.
    pub fn new(device: host::Device) -> Result<Self, host::DriverError> {
        let stream = device.stream()?;
        Ok(Self { device, stream })
    }

    /// The device.
    pub fn device(&self) -> &host::Device {
        &self.device
    }
}

/// An error with its causes in one line.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

impl Machine for Driver {
    type Module = host::Module;

    fn load(&self, ptx: &str) -> Result<host::Module, Failure> {
        host::Module::from_ptx(&self.device, ptx).map_err(|error| Failure::Refused(whole(&error)))
    }

    fn run(
        &self,
        module: &host::Module,
        kernel: &str,
        input: &[u8],
        output: usize,
    ) -> Result<Vec<u8>, Failure> {
        let input = DeviceBuffer::from_slice(&self.device, input)
            .map_err(|error| Failure::Faulted(whole(&error)))?;
        let mut results = DeviceBuffer::<u8>::zeroed(&self.device, output)
            .map_err(|error| Failure::Faulted(whole(&error)))?;
        let config = LaunchConfig {
            grid: ((THREADS / BLOCK) as u32).into(),
            block: (BLOCK as u32).into(),
            dynamic_shared: 0,
        };
        let arguments = (&input, &mut results, kernel::parameter());
        // SAFETY: a kernel of `kernel::module` has these parameters, and touches its threads' records of the two only.
        let launched = unsafe {
            module.launch_named::<(&[u8], GlobalMut<u8>, [u64; 16]), _>(
                &self.stream,
                kernel,
                config,
                arguments,
            )
        };
        launched.map_err(|error| Failure::Faulted(whole(&error)))?;
        self.stream
            .synchronize()
            .map_err(|error| Failure::Faulted(whole(&error)))?;
        results
            .to_vec()
            .map_err(|error| Failure::Faulted(whole(&error)))
    }
}
