//! What the cases share: buffers of made data, launches with their median time, and checksums, all
//! on the device.

use std::sync::Arc;

use anyhow::{Result, ensure};
use lanewise::{
    Arguments, Device, DeviceBuffer, DeviceCopy, EventClock, LaunchConfig, Module, Stream, Timer,
    Zeroable,
};
use lanewise_std::PerBlock;
use lanewise_std::kernel::Kernel;

use crate::kernels::inputs::{self, Number, weight};
use crate::kernels::{FastMath, Ptx};

/// The number of launches before those that are timed.
const WARM_UPS: usize = 3;
/// The number of launches of which the median is taken.
const TIMED: usize = 21;
/// The launch of the kernels that make data and checksums: blocks and threads.
const MAKING: (u32, u32) = (1024, 256);

/// Where the kernels run, and how.
pub struct Runner {
    device: Device,
    stream: Stream,
    module: Arc<Module>,
    /// Whether launches are repeated and timed.
    timed: bool,
    /// What sizes are divided by.
    smaller: usize,
}

/// The result of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The median time of a launch, in milliseconds.
    pub milliseconds: f64,
    /// The checksum of what the kernel wrote.
    pub checksum: f64,
    /// The same checksum of what the CPU computes, if the run is small.
    pub expected: Option<f64>,
}

impl Runner {
    /// Runs at full size and takes times; with `fast_math`, the kernels that were built so.
    ///
    /// # Errors
    /// If there is no device, or the kernels cannot be loaded.
    pub fn full(fast_math: bool) -> Result<Self> {
        Self::new(fast_math, true, 1)
    }

    /// Runs once, with sizes divided by about `smaller`, and compares with the CPU.
    ///
    /// # Errors
    /// If there is no device, or the kernels cannot be loaded.
    pub fn small(fast_math: bool, smaller: usize) -> Result<Self> {
        Self::new(fast_math, false, smaller)
    }

    fn new(fast_math: bool, timed: bool, smaller: usize) -> Result<Self> {
        let device = Device::open()?;
        let module = if fast_math {
            device.module::<FastMath>()?
        } else {
            device.module::<Ptx>()?
        };
        Ok(Runner {
            stream: device.stream()?,
            device,
            module,
            timed,
            smaller,
        })
    }

    /// The device that the kernels run on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The size of a run whose full size is `full`: smaller, and not a round number.
    #[must_use]
    pub fn size(&self, full: usize) -> usize {
        match self.smaller {
            1 => full,
            smaller => full / smaller + 37,
        }
    }

    /// The size of a run of which a kernel needs a multiple of `step`.
    #[must_use]
    pub fn multiple(&self, full: usize, step: usize) -> usize {
        match self.smaller {
            1 => full,
            smaller => (full / smaller).div_ceil(step).max(1) * step,
        }
    }

    /// The number of blocks of a launch whose full number is `full`.
    #[must_use]
    pub fn blocks(&self, full: u32) -> u32 {
        if self.smaller == 1 { full } else { 5 }
    }

    /// Makes a buffer of zeros.
    ///
    /// # Errors
    /// The driver's error.
    pub fn zeros<T: DeviceCopy + Zeroable>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::zeroed(&self.device, len)?)
    }

    /// Makes a buffer with the values of the host.
    ///
    /// # Errors
    /// The driver's error.
    pub fn upload<T: DeviceCopy>(&self, values: &[T]) -> Result<DeviceBuffer<T>> {
        Ok(DeviceBuffer::from_slice(&self.device, values)?)
    }

    /// Makes a buffer of uniform numbers.
    ///
    /// # Errors
    /// The driver's error.
    pub fn uniform(
        &self,
        len: usize,
        seed: u32,
        low: f32,
        width: f32,
    ) -> Result<DeviceBuffer<f32>> {
        let mut out = self.zeros(len)?;
        self.make(inputs::fill_f32, (&mut out, seed, low, width))?;
        Ok(out)
    }

    /// Makes a buffer of hashes below `below`.
    ///
    /// # Errors
    /// The driver's error.
    pub fn below(&self, len: usize, seed: u32, below: usize) -> Result<DeviceBuffer<i32>> {
        let mut out = self.zeros(len)?;
        self.make(inputs::fill_below, (&mut out, seed, below as u32))?;
        Ok(out)
    }

    /// Launches a kernel that makes data, with a grid that does not depend on its size.
    ///
    /// # Errors
    /// The driver's error.
    pub fn make<K: Kernel, A: Arguments<K::Params>>(&self, kernel: K, arguments: A) -> Result<()> {
        let (blocks, threads) = self.making();
        self.launch(kernel, LaunchConfig::new(blocks, threads), arguments)
    }

    fn making(&self) -> (u32, u32) {
        match self.smaller {
            1 => MAKING,
            _ => (2, MAKING.1),
        }
    }

    /// Launches a kernel once.
    ///
    /// # Errors
    /// The driver's error.
    pub fn launch<K: Kernel, A: Arguments<K::Params>>(
        &self,
        kernel: K,
        config: LaunchConfig,
        arguments: A,
    ) -> Result<()> {
        // SAFETY: the module was compiled from this crate. The cases pass what the kernels require.
        unsafe {
            self.module
                .launch_unchecked(&self.stream, kernel, config, arguments)?;
        }
        Ok(())
    }

    /// Returns the median of the launches' times in milliseconds.
    ///
    /// # Errors
    /// The driver's error.
    pub fn time(&self, mut launch: impl FnMut() -> Result<()>) -> Result<f64> {
        self.time_steps(|step| match step {
            Step::Restore => Ok(()),
            Step::Launch => launch(),
        })
    }

    /// Returns the median of the launches' times in milliseconds. Before each launch, what the
    /// kernel changed is restored, outside of the time. A small run launches once.
    ///
    /// # Errors
    /// The driver's error.
    pub fn time_steps(&self, mut run: impl FnMut(Step) -> Result<()>) -> Result<f64> {
        let runs = if self.timed { WARM_UPS + TIMED } else { 1 };
        let mut times = Vec::new();
        for _ in 0..runs {
            run(Step::Restore)?;
            self.device.synchronize()?;
            let timer = Timer::start(EventClock::on(&self.stream))?;
            run(Step::Launch)?;
            times.push(timer.stop()?.as_secs_f64() * 1e3);
        }
        let mut timed = times.split_off(times.len().saturating_sub(TIMED));
        timed.sort_by(f64::total_cmp);
        Ok(timed[timed.len() / 2])
    }

    /// Returns the checksum of a buffer.
    ///
    /// # Errors
    /// The driver's error.
    pub fn checksum<T>(&self, of: Checksum, values: &DeviceBuffer<T>) -> Result<f64>
    where
        T: Number + DeviceCopy,
        inputs::checksum<T>: Kernel<Params = (&'static [T], PerBlock<'static, f64>, u32, u32)>,
    {
        let mut partial = self.zeros::<f64>(self.making().0 as usize)?;
        let [weighted, squares] = of.flags();
        self.make(
            inputs::checksum::<T>,
            (values, &mut partial, weighted, squares),
        )?;
        Ok(partial.to_vec()?.iter().sum())
    }

    /// Gives the convolution its weights.
    ///
    /// # Errors
    /// The driver's error, or that there is no such constant.
    pub fn set_weights(&self, weights: [f32; 25]) -> Result<()> {
        let (address, bytes) = self.module.symbol_named("CONV_WEIGHTS")?;
        ensure!(
            bytes == size_of_val(&weights),
            "the constant has {bytes} bytes"
        );
        // SAFETY: the constant is there, and no kernel is under way that reads it.
        let mut constant =
            unsafe { DeviceBuffer::borrow_raw(&self.device, address, weights.len()) };
        Ok(constant.copy_from_slice(&weights)?)
    }

    /// Makes the result of a case. `expected` is called in a small run.
    ///
    /// # Errors
    /// Those of `expected`.
    pub fn outcome(
        &self,
        milliseconds: f64,
        checksum: f64,
        expected: impl FnOnce() -> Result<f64>,
    ) -> Result<Outcome> {
        Ok(Outcome {
            milliseconds,
            checksum,
            expected: (!self.timed).then(expected).transpose()?,
        })
    }
}

/// What [`Runner::time_steps`] calls for.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Restore what the kernel changes.
    Restore,
    /// Launch the kernel.
    Launch,
}

/// Which sum of a buffer's elements is its checksum.
#[derive(Clone, Copy, Debug)]
pub enum Checksum {
    /// Of elements times their weights, by which misplaced elements are noticed.
    Weighted,
    /// Of squares times weights, for elements whose mean says little.
    Squares,
    /// Of elements, for those whose order is not fixed.
    Plain,
}

impl Checksum {
    fn flags(self) -> [u32; 2] {
        match self {
            Checksum::Weighted => [1, 0],
            Checksum::Squares => [1, 1],
            Checksum::Plain => [0, 0],
        }
    }

    /// The checksum of numbers on the CPU.
    pub fn of(self, values: impl IntoIterator<Item = f64>) -> f64 {
        let weighted = |(i, x): (usize, f64)| weight(i) * x;
        let values = values.into_iter();
        match self {
            Checksum::Weighted => values.enumerate().map(weighted).sum(),
            Checksum::Squares => values.map(|x| x * x).enumerate().map(weighted).sum(),
            Checksum::Plain => values.sum(),
        }
    }
}
