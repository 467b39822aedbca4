//! What a launch costs the host: through the library, through the driver's call as this program
//! links it, and through the same call of NVIDIA's `libcuda`; a kernel, and a graph of one kernel.
//!
//! Launches are queued without a wait in between, so the time for one is what a program that
//! queues much work pays. The kernel adds 32 numbers, which takes a GPU less time than a launch
//! takes the host, so the queue does not fill. All ways are measured in turns. Source: CUDA driver
//! API, `cuLaunchKernel`, `cuGraphLaunch`.

use std::ffi::{CString, c_char, c_uint, c_ulonglong, c_void};
use std::ptr::null_mut;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use gpu::basics::vector_add::vec_add;
use lanewise::{Backend, Device, DeviceBuffer, LaunchConfig, Stream};
use lanewise_std::kernel::Kernel;

/// The number of launches in a round. A GPU's queue holds about a thousand.
const LAUNCHES: u32 = 500;
/// The number of rounds, of which the median counts.
const ROUNDS: usize = 21;
/// The number of elements that the kernel adds.
const ELEMENTS: usize = 32;

type LaunchKernel = unsafe extern "C" fn(
    *mut c_void,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    *mut c_void,
    *mut *mut c_void,
    *mut *mut c_void,
) -> c_uint;
type LaunchGraph = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_uint;

// The driver's calls as this program links them.
unsafe extern "C" {
    #[rustfmt::skip]
    fn cuLaunchKernel(
        function: *mut c_void,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: *mut c_void,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> c_uint;
    fn cuGraphLaunch(graph: *mut c_void, stream: *mut c_void) -> c_uint;
    fn cuModuleLoadData(module: *mut *mut c_void, image: *const c_void) -> c_uint;
    fn cuModuleUnload(module: *mut c_void) -> c_uint;
    #[rustfmt::skip]
    fn cuModuleGetFunction(
        function: *mut *mut c_void,
        module: *mut c_void,
        name: *const c_char,
    ) -> c_uint;
    fn cuStreamBeginCapture_v2(stream: *mut c_void, mode: c_uint) -> c_uint;
    fn cuStreamEndCapture(stream: *mut c_void, graph: *mut *mut c_void) -> c_uint;
    #[rustfmt::skip]
    fn cuGraphInstantiateWithFlags(
        executable: *mut *mut c_void,
        graph: *mut c_void,
        flags: c_ulonglong,
    ) -> c_uint;
    fn cuGraphExecDestroy(executable: *mut c_void) -> c_uint;
    fn cuGraphDestroy(graph: *mut c_void) -> c_uint;
}

/// The mode `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`.
const THREAD_LOCAL: c_uint = 1;

/// The time of one launch in one way, in microseconds.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Row {
    /// The name of what launches.
    pub way: &'static str,
    /// The time of a kernel's launch.
    pub kernel: f64,
    /// The time of the launch of a graph with one kernel.
    pub graph: f64,
}

/// Measures all ways that the device has. The last one needs a GPU.
///
/// # Errors
/// If the device has no room, or the driver refuses a call.
pub fn measure(device: &Device) -> Result<Vec<Row>> {
    let stream = device.stream()?;
    let ones = DeviceBuffer::from_slice(device, &[1.0f32; ELEMENTS])?;
    let mut sums = DeviceBuffer::<f32>::zeroed(device, ELEMENTS)?;
    let config = LaunchConfig::for_num_elems(ELEMENTS);
    // Of its own: a launch has to look after buffers that a graph may use at the same time.
    let mut recorded = DeviceBuffer::<f32>::zeroed(device, ELEMENTS)?;
    let recorded_ones = DeviceBuffer::from_slice(device, &[1.0f32; ELEMENTS])?;
    let graph = device.record(|work| {
        work.launch(
            vec_add,
            config,
            (&recorded_ones, &recorded_ones, &mut recorded),
        )?;
        Ok(())
    })?;
    let raw = Raw::new(device, &stream, config, [&ones, &ones, &sums])?;
    let library = || Ok(stream.launch(vec_add, config, (&ones, &ones, &mut sums))?);
    let mut ways = vec![Way {
        name: "the library",
        kernel: Box::new(library),
        graph: Box::new(|| Ok(graph.launch(&stream)?)),
    }];
    ways.push(raw.way("cuLaunchKernel", cuLaunchKernel, cuGraphLaunch));
    if device.backend() == Backend::Cuda {
        // SAFETY: loading NVIDIA's library, which is loaded already, runs no code.
        let library = unsafe { libloading::Library::new("libcuda.so.1") }?;
        // SAFETY: the functions have these types in cuda.h, and the library stays loaded.
        let (kernel, graph) = unsafe {
            (
                *library.get::<LaunchKernel>(b"cuLaunchKernel\0")?,
                *library.get::<LaunchGraph>(b"cuGraphLaunch\0")?,
            )
        };
        ways.push(raw.way("cuLaunchKernel of libcuda", kernel, graph));
    }
    let rows = in_turns(&stream, &mut ways)?;
    drop(ways);
    ensure!(sums.to_vec()? == [2.0; ELEMENTS], "the sums are wrong");
    Ok(rows)
}

/// The same launch in the driver's form.
struct Raw<'a> {
    stream: &'a Stream,
    config: LaunchConfig,
    module: *mut c_void,
    function: *mut c_void,
    graph: *mut c_void,
    executable: *mut c_void,
    /// The address and the length of each slice.
    words: [u64; 6],
}

impl<'a> Raw<'a> {
    fn new(
        device: &Device,
        stream: &'a Stream,
        config: LaunchConfig,
        buffers: [&DeviceBuffer<f32>; 3],
    ) -> Result<Self> {
        let slices = buffers.map(|buffer| [buffer.address(), buffer.len() as u64]);
        let text = CString::new(device.ptx::<gpu::Ptx>()?.plain)?;
        let name = CString::new(<vec_add as Kernel>::NAME)?;
        let mut raw = Self {
            stream,
            config,
            module: null_mut(),
            function: null_mut(),
            graph: null_mut(),
            executable: null_mut(),
            words: std::array::from_fn(|i| slices[i / 2][i % 2]),
        };
        let handle = stream.raw().cast();
        // SAFETY: the text and the name end with NUL, the results are written to fields, and the
        // handles are live. The captured launch is that of `launch`.
        unsafe {
            check(
                "cuModuleLoadData",
                cuModuleLoadData(&mut raw.module, text.as_ptr().cast()),
            )?;
            let code = cuModuleGetFunction(&mut raw.function, raw.module, name.as_ptr());
            check("cuModuleGetFunction", code)?;
            check(
                "cuStreamBeginCapture",
                cuStreamBeginCapture_v2(handle, THREAD_LOCAL),
            )?;
            let queued = raw.launch(cuLaunchKernel);
            check(
                "cuStreamEndCapture",
                cuStreamEndCapture(handle, &mut raw.graph),
            )?;
            queued?;
            let code = cuGraphInstantiateWithFlags(&mut raw.executable, raw.graph, 0);
            check("cuGraphInstantiateWithFlags", code)?;
        }
        Ok(raw)
    }

    /// Launches the kernel by this function, which is the driver's.
    fn launch(&self, launch: LaunchKernel) -> Result<()> {
        let mut words = self.words;
        let mut params = words.each_mut().map(|word| std::ptr::from_mut(word).cast());
        let LaunchConfig { grid, block, .. } = self.config;
        let stream = self.stream.raw().cast();
        // SAFETY: the kernel takes three slices, whose buffers outlive this value. All launches of
        // them are on one stream.
        let code = unsafe {
            #[rustfmt::skip]
            let code = launch(self.function, grid.x, grid.y, grid.z, block.x, block.y, block.z, 0, stream, params.as_mut_ptr(), null_mut());
            code
        };
        check("cuLaunchKernel", code)
    }

    fn way(&self, name: &'static str, kernel: LaunchKernel, graph: LaunchGraph) -> Way<'_> {
        let stream = self.stream.raw().cast();
        Way {
            name,
            kernel: Box::new(move || self.launch(kernel)),
            graph: Box::new(move || {
                // SAFETY: the graph is live, and so are the buffers of its kernel.
                let code = unsafe { graph(self.executable, stream) };
                check("cuGraphLaunch", code)
            }),
        }
    }
}

impl Drop for Raw<'_> {
    fn drop(&mut self) {
        let _ = self.stream.synchronize();
        // SAFETY: the handles are null or this value's own, and no work uses them any more. A drop
        // cannot report errors.
        unsafe {
            cuGraphExecDestroy(self.executable);
            cuGraphDestroy(self.graph);
            cuModuleUnload(self.module);
        }
    }
}

fn check(call: &str, code: c_uint) -> Result<()> {
    ensure!(code == 0, "{call} returned {code}");
    Ok(())
}

/// A way to launch.
struct Way<'a> {
    name: &'static str,
    kernel: Launch<'a>,
    graph: Launch<'a>,
}

type Launch<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

/// Measures all ways in each round, one after another: what slows a host for a while slows them
/// all. Returns the medians.
fn in_turns(stream: &Stream, ways: &mut [Way<'_>]) -> Result<Vec<Row>> {
    let mut times = vec![[const { Vec::new() }; 2]; ways.len()];
    for _ in 0..ROUNDS {
        for (way, [kernel, graph]) in ways.iter_mut().zip(&mut times) {
            kernel.push(time(stream, &mut way.kernel)?);
            graph.push(time(stream, &mut way.graph)?);
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(ROUNDS / 2).copied().context("no rounds")
    };
    let rows = ways.iter().zip(&mut times).map(|(way, [kernel, graph])| {
        Ok(Row {
            way: way.name,
            kernel: median(kernel)?,
            graph: median(graph)?,
        })
    });
    rows.collect()
}

/// Returns the time of one launch of a round, in microseconds.
fn time(stream: &Stream, launch: &mut Launch<'_>) -> Result<f64> {
    stream.synchronize()?;
    let start = Instant::now();
    for _ in 0..LAUNCHES {
        launch()?;
    }
    let time = start.elapsed().as_secs_f64() * 1e6 / f64::from(LAUNCHES);
    stream.synchronize()?;
    Ok(time)
}
