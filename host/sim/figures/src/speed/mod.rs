//! The simulator's speed on typical programs, in lane instructions (PTX instructions times active
//! lanes) per second.
//!
//! The criterion benchmark uses it, and so does `patterns bench --device sim`, which prints the
//! figures. Time is the CPU time of one worker thread, so that a busy host has little influence.

mod classes;

use lanewise_sim::{
    AllocationKind, Checks, Device, DeviceError, DeviceModel, Fault, Instance, InstantiateError,
    Launch, LoadError, MemoryError, Module,
};

/// The reason why nothing can be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpeedError {
    /// The device could not be created.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The programs do not load.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The variables of the programs do not fit.
    #[error(transparent)]
    Instantiate(#[from] InstantiateError),
    /// The buffers of the programs do not fit.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A program ended with a fault.
    #[error("{program} did not run")]
    Fault {
        /// The name of the program.
        program: &'static str,
        /// The fault that it ended with.
        source: Box<Fault>,
    },
    /// The host could not create a pool of one thread.
    #[error("the host gives no thread: {0}")]
    Thread(String),
}

/// What is checked or counted while a program runs, in addition to the checks that are always on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// Only the checks that are always on.
    Nothing,
    /// The counters of the launch are on.
    Counters,
    /// All checks are on.
    Checks,
    /// Only these checks are on.
    Only(Checks),
}

/// A kernel with a launch shape and parameters.
#[derive(Debug, Clone)]
pub struct Program {
    /// The name in tables of figures.
    pub name: &'static str,
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    params: Vec<u8>,
}

/// The measured speed of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The name of the program that was measured.
    pub name: &'static str,
    /// Lane instructions of one run.
    pub lanes: u64,
    /// CPU seconds of one run.
    pub seconds: f64,
}

impl Figure {
    /// Returns the lane instructions per second.
    pub fn rate(&self) -> f64 {
        self.lanes as f64 / self.seconds
    }
}

impl Program {
    /// Returns the same program with one block.
    pub fn of_one_block(&self) -> Program {
        Program {
            grid: [1; 3],
            ..self.clone()
        }
    }
}

/// The programs on a device.
#[derive(Debug)]
pub struct Bench {
    device: Device,
    instance: Instance,
    classes: Instance,
    programs: Vec<Program>,
    buffers: Buffers,
}

/// The buffers of the programs: a million floats each.
#[derive(Debug, Clone, Copy)]
struct Buffers {
    /// The addresses of the two inputs.
    inputs: [u64; 2],
    /// The address of the results.
    output: u64,
}

/// The number of floats in a buffer.
const MILLION: u64 = 1 << 20;

impl Bench {
    /// Loads the programs and fills their buffers.
    ///
    /// # Errors
    /// The host has not enough memory: about 30 MB.
    pub fn new() -> Result<Self, SpeedError> {
        let device = Device::new(DeviceModel::h200())?;
        let instance = device.instantiate(&Module::load(include_str!("kernels.ptx"))?)?;
        let classes = device.instantiate(&Module::load(&classes::module())?)?;
        let make = || buffer(&device, MILLION as usize);
        let buffers = Buffers {
            inputs: [make()?, make()?],
            output: make()?,
        };
        Ok(Self {
            device,
            instance,
            classes,
            programs: programs(buffers),
            buffers,
        })
    }

    /// Returns the programs that consist of whole kernels.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// Returns a program for each class of instructions: a loop that consists almost only
    /// of one instruction.
    ///
    /// # Errors
    /// The host has not enough memory.
    pub fn classes(&self) -> Result<Vec<Program>, SpeedError> {
        Ok(classes::programs(&self.device)?)
    }

    /// Runs a program. Returns its lane instructions, if counters are on.
    ///
    /// # Errors
    /// Only if the machine has a bug.
    pub fn run(&self, program: &Program, watch: Watch) -> Result<u64, SpeedError> {
        let checks = match watch {
            Watch::Checks => Checks::all(),
            Watch::Only(checks) => checks,
            _ => Checks::default(),
        };
        let launch = Launch {
            count: watch == Watch::Counters,
            checks,
            ..Launch::new(
                &program.kernel,
                program.grid,
                program.block,
                &program.params,
            )
        };
        let instance = match program.kernel.starts_with(classes::PREFIX) {
            true => &self.classes,
            false => &self.instance,
        };
        let report = self.device.launch(instance, &launch);
        let report = report.map_err(|fault| SpeedError::Fault {
            program: program.name,
            source: Box::new(fault),
        })?;
        Ok(report
            .counters
            .map_or(0, |counters| counters.ptx_lane_instructions))
    }

    /// Measures a program for about `seconds` of CPU time, on one worker.
    ///
    /// # Errors
    /// The errors of [`Bench::run`].
    pub fn measure(
        &self,
        program: &Program,
        watch: Watch,
        seconds: f64,
    ) -> Result<Figure, SpeedError> {
        self.alone(|| {
            let lanes = self.run(program, Watch::Counters)?;
            let (mut spent, mut runs) = (0.0, 0);
            while runs == 0 || spent < seconds {
                spent += self.time(program, watch)?;
                runs += 1;
            }
            Ok(Figure {
                name: program.name,
                lanes,
                seconds: spent / f64::from(runs),
            })
        })
    }

    /// Measures the cost of each of `watches`: the CPU seconds of one run with it, on one worker.
    /// The watches take turns for `rounds` rounds, and the fastest run of each counts. So a busy
    /// host affects all in the same way.
    ///
    /// # Errors
    /// The errors of [`Bench::run`].
    pub fn compare(
        &self,
        program: &Program,
        watches: &[Watch],
        rounds: u32,
    ) -> Result<Vec<f64>, SpeedError> {
        self.alone(|| {
            let mut least = vec![f64::INFINITY; watches.len()];
            for _ in 0..rounds {
                for (least, &watch) in least.iter_mut().zip(watches) {
                    *least = least.min(self.time(program, watch)?);
                }
            }
            Ok(least)
        })
    }

    /// Runs `f` on a worker thread of its own.
    fn alone<T: Send>(
        &self,
        f: impl FnOnce() -> Result<T, SpeedError> + Send,
    ) -> Result<T, SpeedError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| SpeedError::Thread(error.to_string()))?;
        pool.install(f)
    }

    /// Returns the CPU seconds of one run.
    fn time(&self, program: &Program, watch: Watch) -> Result<f64, SpeedError> {
        self.forget();
        let start = cpu_time();
        self.run(program, watch)?;
        Ok(cpu_time() - start)
    }

    /// Puts the buffers into the state of a checked program: the results were not written yet, and
    /// the inputs were written piece by piece. (After a launch that was not checked, all bytes
    /// would count as written, and the check for unwritten memory would have nothing to do.)
    fn forget(&self) {
        let memory = self.device.memory();
        for input in self.buffers.inputs {
            memory.forgotten(input, 4);
            memory.written(input, 4);
        }
        memory.forgotten(self.buffers.output, MILLION * 4);
    }
}

/// Returns the CPU time of this thread, in seconds.
fn cpu_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Allocates and fills a buffer of floats on the device.
fn buffer(device: &Device, values: usize) -> Result<u64, MemoryError> {
    let at = device
        .memory()
        .allocate((values * 4) as u64, 4, AllocationKind::Device, None)?;
    // SAFETY: this is a live allocation of that many floats, and nothing else uses it yet.
    let floats = unsafe { std::slice::from_raw_parts_mut(at as *mut f32, values) };
    for (i, value) in floats.iter_mut().enumerate() {
        *value = (i % 97) as f32 * 0.25;
    }
    Ok(at)
}

fn programs(buffers: Buffers) -> Vec<Program> {
    let ([a, b], c) = (buffers.inputs, buffers.output);
    let words = |words: &[u64]| {
        words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    // The Rust kernels take three slices and three numbers.
    let matrices = |n: u32| {
        let length = u64::from(n * n);
        let mut params = words(&[a, length, b, length, c, length]);
        params.extend([n; 3].iter().flat_map(|n| n.to_le_bytes()));
        params
    };
    let program = |name, kernel: &str, grid: [u32; 2], block: [u32; 2], params| Program {
        name,
        kernel: String::from(kernel),
        grid: [grid[0], grid[1], 1],
        block: [block[0], block[1], 1],
        params,
    };
    vec![
        program("f32 loop", "fma_loop", [64, 1], [256, 1], words(&[c])),
        program(
            "vec_add 1M",
            "vec_add",
            [4096, 1],
            [256, 1],
            words(&[a, MILLION, b, MILLION, c, MILLION]),
        ),
        program(
            "naive matmul 256",
            "matmul_naive",
            [8, 32],
            [32, 8],
            matrices(256),
        ),
        program(
            "tiled matmul 512",
            "matmul_shared_32",
            [16, 16],
            [32, 32],
            matrices(512),
        ),
        program(
            "divergent (Collatz) 64k",
            "collatz",
            [256, 1],
            [256, 1],
            words(&[c]),
        ),
        program(
            "shared reduction 1M",
            "reduce_shared",
            [4096, 1],
            [256, 1],
            words(&[a, c]),
        ),
        // 8 warps, 256 products of 16 by 8 by 16 each: 4.2 M multiplications and as many additions.
        program("mma m16n8k16", "mma_loop", [1, 1], [256, 1], words(&[c])),
        program("64-bit hash", "hash64", [64, 1], [256, 1], words(&[c])),
        program(
            "shuffle reduction 1M",
            "reduce_shfl",
            [1024, 1],
            [256, 1],
            words(&[a, MILLION, c, 1024]),
        ),
        program(
            "plain matmul 256",
            "matmul_plain",
            [16, 16],
            [16, 16],
            words(&[a, b, c, 256]),
        ),
        // The counts are added to an input: adding to uninitialised memory would be a finding.
        program(
            "histogram 1M",
            "histogram",
            [1024, 1],
            [256, 1],
            words(&[a, b]),
        ),
        program(
            "transpose 1024",
            "transpose",
            [32, 32],
            [32, 8],
            words(&[a, c, 1024]),
        ),
    ]
}
