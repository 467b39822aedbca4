//! Loads any text and runs its kernels: nothing may panic, hang or leak.

use lanewise_sim::{AllocationKind, Checks, Device, DeviceModel, Launch, Module};

/// Bytes of device memory: so few that a variable of a gigabyte is refused.
const MEMORY: u64 = 16 << 20;
/// The most warp instructions of a launch.
const BUDGET: u64 = 20_000;
/// The most kernels of a module that are run.
const KERNELS: usize = 4;

/// A small device.
pub fn device() -> Device {
    let mut model = DeviceModel::h200();
    model.memory = MEMORY;
    model.limits.heap = 1 << 20;
    Device::new(model).expect("16 MiB of addresses")
}

/// Returns whether the text loads. Each kernel runs with parameters that are alternately
/// addresses and lengths.
pub fn run(device: &Device, text: &str) -> bool {
    let Ok(module) = Module::load(text) else {
        return false;
    };
    let memory = device.memory();
    let buffer = memory
        .allocate(4096, 256, AllocationKind::Device, None)
        .expect("little is in use");
    if let Ok(instance) = device.instantiate(&module) {
        for kernel in module.kernels().take(KERNELS) {
            let words = (kernel.param_bytes as usize).div_ceil(8).min(1 << 13);
            let params: Vec<u8> = (0..words)
                .flat_map(|i| {
                    if i % 2 == 0 {
                        buffer + 64 * i as u64
                    } else {
                        40
                    }
                    .to_le_bytes()
                })
                .collect();
            let launch = Launch {
                budget: Some(BUDGET),
                checks: Checks::all(),
                count: true,
                printf: &|_| {},
                block: kernel.required_threads.unwrap_or([48, 1, 1]),
                ..Launch::new(&kernel.name, [2, 1, 1], [48, 1, 1], &params)
            };
            // A fault is an answer.
            let _ = device.launch(&instance, &launch);
        }
    }
    memory.free(buffer).expect("it was allocated above");
    true
}
