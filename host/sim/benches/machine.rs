//! How fast the machine is: lane instructions (PTX instructions times active lanes) per second, on one thread.
//!
//! `cargo bench -p sim` measures with criterion; `cargo bench -p sim -- --quick-table` runs each kernel for about a second and
//! prints one line each, by the thread's CPU time, so that a busy machine disturbs little.

use criterion::{Criterion, Throughput};
use sim::{Device, DeviceModel, Instance, Kind, Launch, Module};

/// One kernel at one size.
struct Case {
    name: &'static str,
    kernel: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    params: Vec<u64>,
    /// Parameters as bytes, where they are not all 64-bit.
    bytes: Option<Vec<u8>>,
}

fn buffer(device: &Device, values: usize) -> u64 {
    let at = device
        .memory()
        .allocate((values * 4) as u64, 4, Kind::Device, None)
        .expect("memory");
    // SAFETY: a live allocation of that many floats.
    let floats = unsafe { std::slice::from_raw_parts_mut(at as *mut f32, values) };
    floats
        .iter_mut()
        .enumerate()
        .for_each(|(i, value)| *value = (i % 97) as f32 * 0.25);
    at
}

fn cases(device: &Device) -> Vec<Case> {
    let case = |name, kernel, grid: [u32; 3], block: [u32; 3], params: &[u64]| Case {
        name,
        kernel,
        grid,
        block,
        params: params.to_vec(),
        bytes: None,
    };
    let million = 1 << 20;
    let slice = |n: usize| [buffer(device, n), n as u64];
    let (a, b, c) = (slice(million), slice(million), slice(million));
    let matmul = |n: u32| {
        let n2 = (n * n) as usize;
        let mut bytes: Vec<u8> = [slice(n2), slice(n2), slice(n2)]
            .concat()
            .iter()
            .flat_map(|p| p.to_le_bytes())
            .collect();
        bytes.extend([n; 3].iter().flat_map(|n| n.to_le_bytes()));
        bytes
    };
    let mut all = vec![
        case("fma_loop", "fma_loop", [64, 1, 1], [256, 1, 1], &[c[0]]),
        case(
            "vec_add 1M",
            "vec_add",
            [4096, 1, 1],
            [256, 1, 1],
            &[a[0], a[1], b[0], b[1], c[0], c[1]],
        ),
        case(
            "matmul_plain 256",
            "matmul_plain",
            [16, 16, 1],
            [16, 16, 1],
            &[a[0], b[0], c[0], 256],
        ),
        case(
            "matmul_plain 256, 32x8",
            "matmul_plain",
            [8, 32, 1],
            [32, 8, 1],
            &[a[0], b[0], c[0], 256],
        ),
        case("collatz 64k", "collatz", [256, 1, 1], [256, 1, 1], &[c[0]]),
        case("hash64", "hash64", [64, 1, 1], [256, 1, 1], &[c[0]]),
        case(
            "reduce_shfl 1M",
            "reduce_shfl",
            [1024, 1, 1],
            [256, 1, 1],
            &[a[0], a[1], c[0], 1024],
        ),
    ];
    all.push(Case {
        bytes: Some(matmul(256)),
        ..case(
            "matmul_naive 256",
            "matmul_naive",
            [8, 32, 1],
            [32, 8, 1],
            &[],
        )
    });
    all.push(Case {
        bytes: Some(matmul(512)),
        ..case(
            "matmul_shared 512",
            "matmul_shared_32",
            [16, 16, 1],
            [32, 32, 1],
            &[],
        )
    });
    all
}

fn launch(device: &Device, instance: &Instance, case: &Case, count: bool) -> u64 {
    let plain = || case.params.iter().flat_map(|p| p.to_le_bytes()).collect();
    let params: Vec<u8> = case.bytes.clone().unwrap_or_else(plain);
    let launch = Launch {
        count,
        ..Launch::new(case.kernel, case.grid, case.block, &params)
    };
    let report = device
        .launch(instance, &launch)
        .unwrap_or_else(|fault| panic!("{}: {fault}", case.name));
    report.counters.map_or(0, |c| c.ptx_lane_instructions)
}

/// CPU time of this thread, in seconds.
fn cpu_time() -> f64 {
    let time = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    time.split_whitespace()
        .next()
        .and_then(|ns| ns.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1e9
}

fn main() {
    // One worker: figures are per thread. The pool runs on the calling thread then.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global();
    pool.expect("no pool was made before");
    let device = Device::new(DeviceModel::h200()).expect("address space");
    let module =
        Module::load(include_str!("kernels.ptx")).unwrap_or_else(|error| panic!("{error}"));
    let instance = device.instantiate(&module).expect("variables fit");
    let cases = cases(&device);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|a| a == "--quick-table") {
        let only = arguments.get(at + 1).filter(|a| !a.starts_with('-'));
        for case in cases
            .iter()
            .filter(|c| only.is_none_or(|o| c.name.contains(o.as_str())))
        {
            // A profile should show what is timed and nothing else: `LANEWISE_BENCH_UNCOUNTED=1` leaves the count out.
            let counted = std::env::var_os("LANEWISE_BENCH_UNCOUNTED").is_none();
            let lanes = launch(&device, &instance, case, counted);
            let (start, mut runs) = (cpu_time(), 0);
            while cpu_time() - start < 1.0 {
                launch(&device, &instance, case, false);
                runs += 1;
            }
            let each = (cpu_time() - start) / f64::from(runs);
            println!(
                "{:24} {:8.3} ms  {:6.2} G lane instructions/s",
                case.name,
                each * 1e3,
                lanes as f64 / each / 1e9
            );
        }
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("machine");
    for case in &cases {
        group.throughput(Throughput::Elements(launch(&device, &instance, case, true)));
        group.bench_function(case.name, |b| {
            b.iter(|| launch(&device, &instance, case, false))
        });
    }
    group.finish();
    criterion.final_summary();
}
