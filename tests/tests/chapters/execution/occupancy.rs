//! Occupancy: the model against the driver, and what launch bounds do to it.
//!
//! On the simulator both results come from the same rules, so the first test checks only that they
//! pass through the driver. On a GPU it compares the rules with NVIDIA's driver.

use std::collections::HashSet;
use std::fmt::Write;

use gpu::execution::occupancy::{stir_bounded, stir_free};
use lanewise::occupancy::{DeviceModel, Resource};
use lanewise::{Device, Module};
use lanewise_patterns::{Setup, input};
use proptest::prelude::*;
use tests::agree::{all_agree, assert_agree_at_edges};
use tests::device;
use tests::sizes::{blocks, cases, lengths};

/// One body with as many registers as it likes, and with few.
const KERNELS: [&str; 2] = ["stir_free", "stir_bounded"];

#[test]
fn stirring_agrees_with_the_cpu_at_every_edge() {
    assert_agree_at_edges(KERNELS);
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn stirring_agrees_with_the_cpu(size in lengths(), seed: u64, block in blocks()) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(all_agree(KERNELS, setup), Ok(()));
    }
}

/// How many values each kernel of [`holding`] keeps at once.
const HELD: [u32; 12] = [4, 12, 20, 28, 36, 44, 60, 76, 92, 120, 160, 220];

/// Bytes of static shared memory of every third kernel.
const STATIC_SHARED: u32 = 5000;

/// Kernels that load this many values and then store them. The accesses are volatile, so that no
/// compiler reorders them, and each value needs a register of its own.
fn holding() -> String {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n".to_owned();
    let kernels = HELD.into_iter().enumerate();
    kernels.fold(head, |ptx, (index, held)| {
        ptx + &hold(held, index % 3 == 0).expect("a string takes every text")
    })
}

/// One of them, with or without static shared memory.
fn hold(held: u32, shared: bool) -> Result<String, std::fmt::Error> {
    let mut ptx = String::new();
    writeln!(ptx, ".visible .entry hold_{held}(.param .u64 values)\n{{")?;
    writeln!(ptx, ".reg .b32 %r<{held}>;\n.reg .b64 %rd<3>;")?;
    if shared {
        writeln!(ptx, ".shared .align 4 .b8 tile[{STATIC_SHARED}];")?;
    }
    writeln!(ptx, "ld.param.u64 %rd1, [values];")?;
    writeln!(ptx, "cvta.to.global.u64 %rd2, %rd1;")?;
    for i in 0..held {
        writeln!(ptx, "ld.volatile.global.u32 %r{i}, [%rd2+{}];", 4 * i)?;
    }
    if shared {
        writeln!(ptx, "st.volatile.shared.u32 [tile], %r0;")?;
    }
    for i in 0..held {
        writeln!(ptx, "st.volatile.global.u32 [%rd2+{}], %r{i};", 4 * i)?;
    }
    writeln!(ptx, "ret;\n}}")?;
    Ok(ptx)
}

/// Returns the model of the device. For a GPU without a model, it prints a line.
fn model(device: &Device) -> Option<DeviceModel> {
    let model = device.model();
    if model.is_none() {
        println!("skipped: there is no model of {}", device.properties().name);
    }
    model
}

#[test]
fn the_model_answers_as_the_driver_does_for_480_kernels_blocks_and_sizes_of_shared_memory() {
    let device = device();
    let Some(model) = model(&device) else {
        return;
    };
    let module = Module::from_ptx(&device, &holding()).expect("a module");
    let (mut registers, mut answers) = (HashSet::new(), HashSet::new());
    let mut beyond = 0;
    let properties = device.properties();
    for (index, held) in HELD.into_iter().enumerate() {
        let kernel = format!("hold_{held}");
        let takes = module.resources(&kernel).expect("the kernel is there");
        registers.insert(takes.registers);
        let most = properties.shared_memory_per_block_optin - takes.static_shared;
        module
            .set_max_dynamic_shared(&kernel, most)
            .expect("the device has it");
        let random = input::integers(80, index as u64);
        for pair in random.chunks(2) {
            let threads = 1 + pair[0].unsigned_abs() % 1024;
            // Half of them without; the others up to all that a block can have, most of
            // which takes asking.
            let dynamic = match pair[1] {
                ..0 => 0,
                bytes => bytes.unsigned_abs() % (most + 1),
            };
            let driver = module
                .active_blocks(&kernel, threads, dynamic)
                .expect("an answer");
            let shared = takes.static_shared + dynamic;
            beyond += u32::from(shared > properties.shared_memory_per_block);
            let found = model.occupancy(threads, takes.registers, shared);
            assert_eq!(
                found.blocks, driver,
                "{threads} threads, {dynamic} bytes, {takes:?}: {found:?}"
            );
            answers.insert(driver);
        }
    }
    // The kernels differ, and so do the answers: a constant would not do.
    assert!(registers.len() >= 6, "{registers:?}");
    assert!(answers.len() >= 6, "{answers:?}");
    assert!(
        beyond >= 100,
        "{beyond} with more shared memory than every block may have"
    );
}

#[test]
fn more_shared_memory_than_the_device_has_is_refused_and_all_of_it_is_granted() {
    let device = device();
    let properties = device.properties();
    let (free, all) = (
        properties.shared_memory_per_block,
        properties.shared_memory_per_block_optin,
    );
    let module = Module::from_ptx(&device, &holding()).expect("a module");
    let allow = |bytes| module.set_max_dynamic_shared("hold_12", bytes);
    assert!(all > free, "{properties:?}");
    allow(all).expect("the device has it");
    assert_eq!(
        module.active_blocks("hold_12", 32, all).expect("an answer"),
        1
    );
    let error = allow(all + 1).expect_err("there is no more");
    assert_eq!(error.name(), "CUDA_ERROR_INVALID_VALUE");
}

/// The same kernel on every model: on each, another resource limits the number of blocks.
#[test]
fn a_run_says_the_occupancy_of_every_model_and_what_limits_it() {
    let run = lanewise_patterns::run::run(
        &device(),
        tests::agree::variant("stir_bounded"),
        lanewise_patterns::Setup::new(1024, 1),
    );
    let figures = run.expect("it runs").figures;
    for name in DeviceModel::names() {
        let figure = figures.iter().find(|figure| figure.name == name);
        let text = figure
            .unwrap_or_else(|| panic!("no {name} in {figures:#?}"))
            .to_string();
        assert!(text.contains(" %: "), "{name}: {text}");
    }
}

#[test]
fn launch_bounds_cap_registers_and_let_twice_as_many_warps_in() {
    let device = device();
    let free = device.resources(stir_free).expect("a kernel");
    let bounded = device.resources(stir_bounded).expect("a kernel");
    assert!(bounded.registers <= 32, "{bounded:?}");
    assert_eq!(free.local, 0, "everything in registers: {free:?}");
    assert!(free.registers > 32, "{free:?}");
    let blocks = |threads| {
        (
            device
                .active_blocks(stir_free, threads, 0)
                .expect("an answer"),
            device
                .active_blocks(stir_bounded, threads, 0)
                .expect("an answer"),
        )
    };
    let (free, bounded) = blocks(1024);
    assert_eq!(bounded, 2, "what the bounds ask for");
    assert!(free <= 1, "{free}");
    let (free, bounded) = blocks(256);
    assert!(free < bounded, "{free} and {bounded} blocks of 256");
}

#[test]
fn each_resource_of_an_h200_can_be_the_one_that_limits() {
    let model = DeviceModel::named("h200").expect("a model");
    let by = |threads, registers, shared| model.occupancy(threads, registers, shared).limited_by();
    assert_eq!(by(1024, 16, 0), [Resource::Warps]);
    assert_eq!(by(256, 48, 0), [Resource::Registers]);
    assert_eq!(by(256, 16, 100 << 10), [Resource::SharedMemory]);
    assert_eq!(by(32, 16, 0), [Resource::Blocks]);
}

#[test]
fn every_model_fills_up_with_the_blocks_the_guidelines_name_and_not_with_single_warps() {
    for name in DeviceModel::names() {
        let model = DeviceModel::named(name).expect("a model");
        let fraction = |threads| model.occupancy(threads, 16, 0).fraction();
        assert_eq!(fraction(256), 1.0, "{name}");
        assert!(
            fraction(32) < 1.0,
            "{name}: places for blocks run out first"
        );
        // A warp of one lane takes a whole place.
        assert_eq!(fraction(33), fraction(64), "{name}");
    }
}
