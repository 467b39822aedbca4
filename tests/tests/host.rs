//! What the host side guarantees: statics by name, memory that host and device share, reports of
//! faults, and properties.

use gpu::basics::device_globals::{TABLE, VALUE};
use gpu::basics::matrix_add::mat_add_2d_2d;
use gpu::basics::thread_index::linear_index_3d;
use gpu::basics::vector_add::vec_add;
use gpu::warp::shuffles::shfl_swap;
use lanewise::guidelines::{self, Guideline};
use lanewise::testing::Matching;
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, ManagedBuffer, SymbolError};
use proptest::prelude::*;
use tests::device;
use tests::isolate::isolated;
use tests::sizes::cases;

#[test]
fn a_static_has_the_address_and_size_that_the_driver_says() {
    let device = device();
    let module = device.module::<gpu::Ptx>().expect("a module");
    let (address, bytes) = module.symbol_named("TABLE").expect("the table");
    let table = device.symbol(TABLE).expect("the table");
    assert_eq!((table.address(), table.size()), (address, bytes));
    assert_eq!(bytes, 1024);
    let value = device.symbol(VALUE).expect("the value");
    assert_eq!(value.size(), 4);
    assert_ne!(value.address(), table.address());
}

#[test]
fn an_unknown_static_is_named() {
    let module = device().module::<gpu::Ptx>().expect("a module");
    for name in ["NOBODY", "", "VAL\0UE"] {
        let error = module.symbol_named(name).expect_err("there is none");
        assert!(
            matches!(&error, SymbolError::Unknown { name: named, .. } if named == name)
                || matches!(&error, SymbolError::Driver(_) if name != "NOBODY"),
            "{name:?}: {error:?}"
        );
    }
}

#[test]
fn the_host_reads_what_a_kernel_wrote_to_managed_memory_without_a_copy() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let (nx, ny) = (37, 51);
    let managed = || ManagedBuffer::<f32>::zeroed(&device, nx * ny).expect("managed memory");
    let (mut a, mut b, mut c) = (managed(), managed(), managed());
    for (i, value) in a.as_mut_slice().expect("a slice").iter_mut().enumerate() {
        *value = i as f32;
    }
    b.as_mut_slice().expect("a slice").fill(0.5);
    let config = LaunchConfig::cover_2d((nx, ny), (32, 16));
    let arguments = (&a, &b, c.matrix_mut(nx));
    stream
        .launch(mat_add_2d_2d, config, arguments)
        .expect("a launch");
    // Nobody has waited: the slice does.
    let sum = c.as_slice().expect("a slice");
    let (a, b) = (
        a.as_slice().expect("a slice"),
        b.as_slice().expect("a slice"),
    );
    assert_eq!(
        sum,
        lanewise_patterns::basics::matrix_add::matrix_add(a, b, nx, ny)
    );
}

#[test]
fn no_managed_memory_at_all_is_fine() {
    let empty = ManagedBuffer::<f32>::zeroed(&device(), 0).expect("nothing");
    assert!(empty.is_empty());
    assert_eq!(empty.as_slice().expect("a slice"), [0.0; 0]);
}

#[test]
fn a_fault_surfaces_at_the_next_synchronisation_and_says_so() {
    let answer = isolated(
        "a_fault_surfaces_at_the_next_synchronisation_and_says_so",
        || {
            let device = device();
            let stream = device.stream().expect("a stream");
            let buffer = || DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
            let (b, mut c) = (buffer(), buffer());
            // SAFETY: it is not sound, and that is the test: the process ends after the fault.
            let a = unsafe { DeviceBuffer::<f32>::borrow_raw(&device, 16, 64) };
            let arguments = (&*a, &b, &mut c);
            let config = LaunchConfig::for_num_elems(64);
            let launched = stream.launch(vec_add, config, arguments);
            let before = line!();
            let error = stream
                .synchronize()
                .expect_err("the kernel reads address 16");
            let here = (before..line!()).contains(&error.location().line());
            format!(
                "launch {}; fault {}; here {here}; {error}",
                launched.is_ok(),
                error.is_kernel_fault(),
            )
        },
    );
    let expected = "launch true; fault true; here true; cuStreamSynchronize at ";
    assert!(answer.text.starts_with(expected), "{}", answer.text);
    let told = "returned CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered, by a kernel launched before this call";
    assert!(answer.text.contains(told), "{}", answer.text);
}

/// Kernels assume it, and Rust does not require it of `[i32; 4]`.
#[test]
fn a_slice_that_is_not_aligned_to_its_elements_size_is_refused() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let buffer = || DeviceBuffer::<[i32; 4]>::zeroed(&device, 64).expect("a buffer");
    let (words, mut output) = (buffer(), buffer());
    // SAFETY: 63 elements are there from the second word on, and `words` outlives them.
    let odd = unsafe { DeviceBuffer::<[i32; 4]>::borrow_raw(&device, words.address() + 4, 63) };
    let config = LaunchConfig::for_num_elems(32);
    let mut launch = |input: &DeviceBuffer<[i32; 4]>| {
        let arguments = (input, &mut output, 0, 32);
        stream.launch(shfl_swap, config, arguments)
    };
    let error = launch(&odd).expect_err("an address that is not a multiple of 16");
    assert!(matches!(error, LaunchError::Argument { .. }), "{error:?}");
    let told =
        "expected an address that is a multiple of 16, since the elements have 16 bytes; found 0x";
    assert!(format!("{error:?}").contains(told), "{error:?}");
    launch(&words).expect("the buffer itself is aligned");
    // A part is, at whatever element it begins, and one without elements.
    let empty = DeviceBuffer::<[i32; 4]>::from_slice(&device, &[]).expect("nothing");
    assert_eq!(empty.address() % 16, 0);
    for start in [1, 63, 64] {
        launch(&words.slice(start..)).expect("a part is aligned");
    }
    stream.synchronize().expect("no fault");
}

#[test]
fn a_call_that_is_refused_is_no_kernels_fault() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let buffer = || DeviceBuffer::<f32>::zeroed(&device, 64).expect("a buffer");
    let (a, b, mut c) = (buffer(), buffer(), buffer());
    let config = LaunchConfig::new(1, 2048);
    let error = stream
        .launch(vec_add, config, (&a, &b, &mut c))
        .expect_err("2048 threads");
    let mut cause = std::error::Error::source(&error);
    let driver = loop {
        let found = cause.expect("the driver's answer");
        match found.downcast_ref::<lanewise::DriverError>() {
            Some(driver) => break driver,
            None => cause = found.source(),
        }
    };
    assert!(!driver.is_kernel_fault(), "{driver}");
    assert!(driver.location().file().ends_with("host.rs"), "{driver}");
}

#[test]
fn results_match_with_a_stride_and_an_offset() {
    let device = device();
    let buffer =
        DeviceBuffer::from_slice(&device, &[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0]).expect("a buffer");
    let odd = lanewise::testing::Every { offset: 1, step: 2 };
    Matching::of(3)
        .device(odd)
        .relative(1e-6)
        .assert(&buffer.to_vec().expect("a copy"), &[1.0, 3.0000001, 5.0]);
}

#[test]
fn the_h200_has_the_properties_that_were_measured() {
    let device = device();
    let properties = device.properties();
    if properties.name != "NVIDIA H200" {
        println!("skipped: this is {}", properties.name);
        return;
    }
    assert_eq!(properties.compute_capability.to_string(), "sm_90");
    let is = |name: &str| {
        let rows = properties.rows();
        let row = rows.iter().find(|(found, ..)| *found == name);
        row.unwrap_or_else(|| panic!("no property `{name}`")).1
    };
    for (name, value) in [
        ("multiprocessors", 132),
        ("warp_size", 32),
        ("max_threads_per_block", 1024),
        ("max_threads_per_multiprocessor", 2048),
        ("max_block_z", 64),
        ("max_grid_x", 2_147_483_647),
        ("max_grid_y", 65_535),
        ("shared_memory_per_block", 49_152),
        ("shared_memory_per_block_optin", 232_448),
        ("shared_memory_per_multiprocessor", 233_472),
        ("reserved_shared_memory_per_block", 1024),
        ("registers_per_multiprocessor", 65_536),
        ("max_blocks_per_multiprocessor", 32),
        ("constant_memory", 65_536),
        ("l2_cache", 62_914_560),
        ("async_engines", 3),
        ("can_map_host_memory", 1),
        ("unified_addressing", 1),
        ("managed_memory", 1),
        ("concurrent_managed_access", 1),
        ("memory_bus_width", 6016),
        ("texture_alignment", 512),
        ("single_to_double_ratio", 2),
    ] {
        assert_eq!(is(name), value, "{name}");
    }
}

/// The rules that blocks of this shape break on a matrix of 1024 x 1024.
fn broken(device: &Device, block: (u32, u32)) -> Vec<Guideline> {
    let config = LaunchConfig::cover_2d((1024, 1024), block);
    guidelines::broken(config, device.properties())
}

#[test]
fn shapes_are_held_against_the_rules_of_thumb() {
    let device = device();
    assert_eq!(broken(&device, (32, 8)), []);
    assert_eq!(
        broken(&device, (8, 8)),
        [Guideline::SmallBlock { threads: 64 }]
    );
    let odd = broken(&device, (33, 3));
    assert!(
        odd.contains(&Guideline::PartialWarp { idle: 29 }),
        "{odd:?}"
    );
    let few = guidelines::broken(LaunchConfig::new(2, 256), device.properties());
    assert!(
        matches!(few[..], [Guideline::FewBlocks { blocks: 2, .. }]),
        "{few:?}"
    );
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn threads_are_numbered_for_every_shape(grid in side(5), block in side(9)) {
        let device = device();
        let stream = device.stream().expect("a stream");
        let shape = |sides: [u32; 3]| sides.map(|n| n as usize);
        let expected = lanewise_patterns::basics::thread_index::numbers(shape(grid), shape(block));
        let mut numbers = DeviceBuffer::zeroed(&device, expected.len()).expect("a buffer");
        let three = |[x, y, z]: [u32; 3]| (x, y, z);
        let config = LaunchConfig::new(three(grid), three(block));
        let matrix = numbers.matrix_mut((grid[0] * block[0]) as usize);
        stream.launch(linear_index_3d, config, (matrix,)).expect("a launch");
        prop_assert_eq!(numbers.to_vec().expect("a copy"), expected);
    }
}

/// Three sides of up to `most`.
fn side(most: u32) -> [std::ops::RangeInclusive<u32>; 3] {
    [1..=most, 1..=most, 1..=most]
}
