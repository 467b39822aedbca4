//! How fast the machine is: programs of one kind each, in lane instructions (PTX instructions times active lanes) a second.
//!
//! For the criterion benchmark, and for `patterns bench --device sim`, which prints the figures. Time is the thread's CPU
//! time on one worker, so that a busy host disturbs little.

mod classes;

use crate::{
    Checks, Device, DeviceError, DeviceModel, Fault, Instance, InstantiateError, Kind, Launch,
    LoadError, MemoryError, Module,
};

/// Why nothing can be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpeedError {
    /// There is no device to run on.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The programs do not load.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Their variables do not fit.
    #[error(transparent)]
    Instantiate(#[from] InstantiateError),
    /// Their buffers do not fit.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// One ended with a fault.
    #[error("{program} did not run")]
    Fault {
        /// The name of the program.
        program: &'static str,
        /// The fault that it ended with.
        source: Box<Fault>,
    },
    /// No pool of one thread.
    #[error("the host gives no thread: {0}")]
    Thread(String),
}

/// What looks on while a program runs, besides the checks that are always on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// Nothing looks on.
    Nothing,
    /// The counters count.
    Counters,
    /// All checks look on.
    Checks,
    /// Some checks do.
    Only(Checks),
}

/// A kernel at a size.
#[derive(Debug, Clone)]
pub struct Program {
    /// What it is called in figures.
    pub name: &'static str,
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    params: Vec<u8>,
}

/// What was measured.
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
    /// Lane instructions a second.
    pub fn rate(&self) -> f64 {
        self.lanes as f64 / self.seconds
    }
}

impl Program {
    /// The same program on one block.
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
}

impl Bench {
    /// Loads them and fills their buffers.
    ///
    /// # Errors
    /// When the host has not the memory: some 30 MB.
    pub fn new() -> Result<Self, SpeedError> {
        let device = Device::new(DeviceModel::h200())?;
        let instance = device.instantiate(&Module::load(include_str!("kernels.ptx"))?)?;
        let classes = device.instantiate(&Module::load(&classes::module())?)?;
        let programs = programs(&device)?;
        Ok(Self {
            device,
            instance,
            classes,
            programs,
        })
    }

    /// The programs that whole kernels are timed by.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// A program for each class of instructions: a loop of little but one instruction.
    ///
    /// # Errors
    /// When the host has not the memory.
    pub fn classes(&self) -> Result<Vec<Program>, SpeedError> {
        Ok(classes::programs(&self.device)?)
    }

    /// Runs one. Its lane instructions, where counters watch.
    ///
    /// # Errors
    /// Never, unless the machine is wrong.
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

    /// Measures one for about `seconds` of CPU time, on one worker.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn measure(
        &self,
        program: &Program,
        watch: Watch,
        seconds: f64,
    ) -> Result<Figure, SpeedError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| SpeedError::Thread(error.to_string()))?;
        pool.install(|| {
            let lanes = self.run(program, Watch::Counters)?;
            let (start, mut runs) = (cpu_time(), 0);
            while runs == 0 || cpu_time() - start < seconds {
                self.run(program, watch)?;
                runs += 1;
            }
            Ok(Figure {
                name: program.name,
                lanes,
                seconds: (cpu_time() - start) / f64::from(runs),
            })
        })
    }
}

/// CPU time of this thread, in seconds; on hosts that do not tell, time.
fn cpu_time() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(0.0, |since| since.as_secs_f64())
        },
        |nanoseconds| nanoseconds / 1e9,
    )
}

/// Floats on the device.
fn buffer(device: &Device, values: usize) -> Result<u64, MemoryError> {
    let at = device
        .memory()
        .allocate((values * 4) as u64, 4, Kind::Device, None)?;
    // SAFETY: a live allocation of that many floats, which nobody else knows of.
    let floats = unsafe { std::slice::from_raw_parts_mut(at as *mut f32, values) };
    for (i, value) in floats.iter_mut().enumerate() {
        *value = (i % 97) as f32 * 0.25;
    }
    Ok(at)
}

fn programs(device: &Device) -> Result<Vec<Program>, MemoryError> {
    let million = 1_u64 << 20;
    let make = || buffer(device, 1 << 20);
    let (a, b, c) = (make()?, make()?, make()?);
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
    Ok(vec![
        program("f32 loop", "fma_loop", [64, 1], [256, 1], words(&[c])),
        program(
            "vec_add 1M",
            "vec_add",
            [4096, 1],
            [256, 1],
            words(&[a, million, b, million, c, million]),
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
            words(&[a, million, c, 1024]),
        ),
        program(
            "plain matmul 256",
            "matmul_plain",
            [16, 16],
            [16, 16],
            words(&[a, b, c, 256]),
        ),
    ])
}
