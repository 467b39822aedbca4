//! Wrong programs and their reports: CUDA's documented code on any device, and on the simulator the
//! whole report, compared with a file in `faults/`.
//!
//! A kernel that faults poisons its context, so these tests run in a process of their
//! own (see `tests::isolate`).

use std::error::Error;

use gpu::basics::hello::check_index;
use gpu::basics::vector_add::vec_add;
use gpu::shared::transpose_shared::transpose_smem_pad;
use lanewise::{
    Backend, Device, DeviceBuffer, DriverError, LaunchConfig, LaunchError, LoadError, MemoryError,
    Module,
};
use lanewise_std::kernel::{Kernel, LaunchBounds, Param};
use tests::isolate::isolated;
use tests::report::{stable, whole, without_ptx_lines};
use tests::{device, expect, simulator};

/// Returns the driver's code among an error and its causes.
fn driver_error<'e>(error: &'e (dyn Error + 'static)) -> &'e DriverError {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return found;
        }
        next = error.source();
    }
    panic!("no driver error in: {}", whole(error));
}

/// Asserts CUDA's code and name; on the simulator also the whole report.
macro_rules! documented {
    ($error:expr, $code:literal, $name:literal, $file:literal) => {{
        let error = $error;
        let driver = driver_error(&error);
        assert_eq!(
            (driver.code(), driver.name()),
            ($code, $name),
            "{}",
            whole(&error)
        );
        if device().backend() == Backend::Sim {
            expect!(stable(&whole(&error)), $file);
        }
    }};
}

#[test]
fn ptx_that_does_not_parse_is_refused_with_its_line() {
    let error = Module::from_ptx(&device(), include_str!("faults/does_not_parse.ptx"))
        .expect_err("not PTX");
    assert!(
        driver_error(&error)
            .report()
            .is_some_and(|report| report.contains("line 7")),
        "no line 7 in: {}",
        whole(&error)
    );
    documented!(
        error,
        218,
        "CUDA_ERROR_INVALID_PTX",
        "faults/does_not_parse.txt"
    );
}

#[test]
fn an_instruction_that_does_not_exist_is_refused_with_its_line() {
    let error = Module::from_ptx(&device(), include_str!("faults/unknown_instruction.ptx"))
        .expect_err("no instruction");
    assert!(
        driver_error(&error)
            .report()
            .is_some_and(|report| report.contains("line 6")),
        "no line 6 in: {}",
        whole(&error)
    );
    documented!(
        error,
        218,
        "CUDA_ERROR_INVALID_PTX",
        "faults/unknown_instruction.txt"
    );
}

#[test]
fn ptx_with_a_nul_byte_is_refused_before_it_reaches_the_driver() {
    let error = Module::from_ptx(&device(), ".version 8.0\0").expect_err("not text");
    assert!(
        matches!(error, LoadError::NulInPtx { offset: 12 }),
        "{error}"
    );
}

#[test]
fn an_unknown_kernel_is_named_and_the_nearest_offered() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let module =
        Module::from_ptx(&device, include_str!("faults/one_kernel.ptx")).expect("a module");
    // SAFETY: there is no such kernel, so nothing runs.
    let launched =
        unsafe { module.launch_named::<(), ()>(&stream, "vec_ad", LaunchConfig::new(1, 1), ()) };
    documented!(
        launched.expect_err("no such kernel"),
        500,
        "CUDA_ERROR_NOT_FOUND",
        "faults/unknown_kernel.txt"
    );
}

/// A launch of a kernel that takes every shape that the device does.
fn launch(config: LaunchConfig) -> LaunchError {
    let device = device();
    let stream = device.stream().expect("a stream");
    stream
        .launch(check_index, config, ())
        .expect_err("the launch is refused")
}

#[test]
fn a_shape_that_the_kernels_contract_does_not_allow_is_refused_before_it_reaches_the_driver() {
    let device = device();
    let stream = device.stream().expect("a stream");
    let input = DeviceBuffer::from_slice(&device, &[1.0; 64]).expect("a buffer");
    let mut output = DeviceBuffer::zeroed(&device, 64).expect("a buffer");
    let config = LaunchConfig::new(1, (16, 16));
    let launched = stream.launch(
        transpose_smem_pad,
        config,
        (input.matrix(8), output.matrix_mut(8)),
    );
    expect!(
        stable(&whole(&launched.expect_err("blocks are 32 x 8"))),
        "faults/launch_contract.txt"
    );
}

#[test]
fn a_block_of_1025_threads_is_refused() {
    documented!(
        launch(LaunchConfig::new(1, 1025)),
        1,
        "CUDA_ERROR_INVALID_VALUE",
        "faults/threads_1025.txt"
    );
}

#[test]
fn a_block_too_deep_is_refused() {
    documented!(
        launch(LaunchConfig::new(1, (1, 1, 65))),
        1,
        "CUDA_ERROR_INVALID_VALUE",
        "faults/block_z_65.txt"
    );
}

#[test]
fn an_empty_grid_is_refused() {
    documented!(
        launch(LaunchConfig::new(0, 32)),
        1,
        "CUDA_ERROR_INVALID_VALUE",
        "faults/empty_grid.txt"
    );
}

#[test]
fn too_much_shared_memory_is_refused() {
    let config = LaunchConfig::new(1, 32).with_dynamic_shared(1 << 20);
    documented!(
        launch(config),
        1,
        "CUDA_ERROR_INVALID_VALUE",
        "faults/too_much_shared.txt"
    );
}

#[test]
fn a_block_beyond_the_launch_bounds_is_refused_before_it_reaches_the_driver() {
    #[derive(Clone, Copy)]
    struct Bounded;
    // SAFETY: an entry point that takes nothing, with a bound that keeps the launch below
    // from being made.
    unsafe impl Kernel for Bounded {
        type Module = gpu::Ptx;
        type Params = ();
        const NAME: &'static str = "hello_world";
        const PARAMS: &'static [Param] = &[];
        const BOUNDS: Option<LaunchBounds> = Some(LaunchBounds {
            max_threads: 128,
            min_blocks: None,
        });
    }
    let device = device();
    let stream = device.stream().expect("a stream");
    // SAFETY: `hello_world` asks nothing of its caller.
    let launched = unsafe { stream.launch_unchecked(Bounded, LaunchConfig::new(1, 256), ()) };
    expect!(
        stable(&whole(&launched.expect_err("too many threads"))),
        "faults/launch_bounds.txt"
    );
}

#[test]
fn memory_that_the_device_does_not_have_is_refused() {
    let error = DeviceBuffer::<u8>::zeroed(&device(), 1 << 50).expect_err("a pebibyte");
    let driver = driver_error(&error);
    assert_eq!(
        (driver.code(), driver.name()),
        (2, "CUDA_ERROR_OUT_OF_MEMORY"),
        "{}",
        whole(&error)
    );
    assert!(
        matches!(error, MemoryError::OutOfMemory { bytes, .. } if bytes == 1 << 50),
        "{}",
        whole(&error)
    );
}

#[test]
fn a_copy_between_unequal_lengths_is_refused() {
    let mut buffer = DeviceBuffer::from_slice(&device(), &[1, 2, 3]).expect("a buffer");
    let error = buffer.copy_from_slice(&[1, 2]).expect_err("3 are not 2");
    expect!(stable(&whole(&error)), "faults/unequal_lengths.txt");
}

/// Launches `vec_add` with a first argument whose address and length are both wrong.
fn add_lies(device: &Device, address: u64, len: usize) -> String {
    let stream = device.stream().expect("a stream");
    let mut c = DeviceBuffer::<f32>::zeroed(device, len).expect("a buffer");
    let b = DeviceBuffer::<f32>::zeroed(device, len).expect("a buffer");
    // SAFETY: it is not sound, and that is the test: the process ends after the fault.
    let a = unsafe { DeviceBuffer::<f32>::borrow_raw(device, address, len) };
    stream
        .launch(vec_add, LaunchConfig::for_num_elems(len), (&*a, &b, &mut c))
        .expect("a launch");
    let error = stream
        .synchronize()
        .expect_err("the kernel reads what is not there");
    format!("{} {}\n{}", error.code(), error.name(), whole(&error))
}

/// Asserts that a child's answer begins with an illegal address; on the simulator, the whole of it.
macro_rules! illegal_address {
    ($answer:expr, $file:literal) => {{
        let text = $answer.text;
        assert!(text.starts_with("700 CUDA_ERROR_ILLEGAL_ADDRESS"), "{text}");
        if device().backend() == Backend::Sim {
            expect!(without_ptx_lines(&stable(&text)), $file);
        }
    }};
}

#[test]
fn a_null_pointer_is_an_illegal_address() {
    let answer = isolated("a_null_pointer_is_an_illegal_address", || {
        add_lies(&device(), 0, 32)
    });
    illegal_address!(answer, "faults/null_pointer.txt");
}

#[test]
fn a_read_past_the_end_is_an_illegal_address() {
    let claim = "a read one element past the end is an illegal address";
    if simulator(claim, "a GPU notices only what leaves the mapped pages").is_none() {
        return;
    }
    let answer = isolated("a_read_past_the_end_is_an_illegal_address", || {
        let device = device();
        let real = DeviceBuffer::from_slice(&device, &[1.0f32; 40]).expect("a buffer");
        add_lies(&device, real.address(), 41)
    });
    illegal_address!(answer, "faults/past_the_end.txt");
}

#[test]
fn a_read_far_from_everything_is_an_illegal_address() {
    let answer = isolated("a_read_far_from_everything_is_an_illegal_address", || {
        let device = device();
        let real = DeviceBuffer::from_slice(&device, &[1.0f32; 40]).expect("a buffer");
        add_lies(&device, real.address().wrapping_sub(1 << 44), 32)
    });
    illegal_address!(answer, "faults/far_from_everything.txt");
}

#[test]
fn a_freed_pointer_is_an_illegal_address() {
    let claim = "a freed pointer is an illegal address";
    if simulator(claim, "a GPU keeps freed pages mapped for a while").is_none() {
        return;
    }
    let answer = isolated("a_freed_pointer_is_an_illegal_address", || {
        let device = device();
        let freed = DeviceBuffer::from_slice(&device, &[1.0f32; 32])
            .expect("a buffer")
            .address();
        add_lies(&device, freed, 32)
    });
    illegal_address!(answer, "faults/freed_pointer.txt");
}

#[test]
fn after_a_fault_every_call_answers_with_it() {
    let answer = isolated("after_a_fault_every_call_answers_with_it", || {
        let device = device();
        let healthy = DeviceBuffer::from_slice(&device, &[1, 2, 3]).expect("a buffer");
        add_lies(&device, 0, 32);
        let codes = [
            driver_error(&healthy.to_vec().expect_err("the context is poisoned")).code(),
            driver_error(
                &DeviceBuffer::from_slice(&device, &[1]).expect_err("the context is poisoned"),
            )
            .code(),
            device
                .synchronize()
                .expect_err("the context is poisoned")
                .code(),
        ];
        format!("{codes:?}")
    });
    assert_eq!(answer.text, "[700, 700, 700]");
}
