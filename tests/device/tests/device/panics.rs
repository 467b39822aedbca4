//! Panics of each kind: the host prints what happened where, and the error says it too.

use device::device;
use device_kernels::panics::{ALL, panics};
use lanewise::{DeviceBuffer, LaunchConfig};
use lanewise_std::kernel::Module as _;
use tests::isolate::{ChildOutput, isolated_with};

const SOURCE: &str = include_str!("../../kernels/src/panics.rs");

/// What each kind says. All but the last four need no call.
const TEXTS: [&str; 22] = [
    "index out of bounds: the len is 7 but the index is 9",
    "range start index 9 out of range for slice of length 7",
    "range end index 9 out of range for slice of length 7",
    "slice index starts at 6 but ends at 4",
    "range end index 7 out of range for slice of length 7",
    "copy_from_slice: source slice length (7) does not match destination slice length (4)",
    "called `Option::unwrap()` on a `None` value",
    "there is a number",
    "attempt to divide by zero",
    "attempt to calculate the remainder with a divisor of zero",
    "at is small",
    "assertion failed: at < 7",
    "internal error: entered unreachable code",
    "a brace {0}",
    "RefCell already borrowed",
    "RefCell already mutably borrowed",
    "argument of integer logarithm must be positive",
    "attempt to divide with overflow",
    "18 and 0x9",
    "assertion `left == right` failed\n  left: 9\n right: 7",
    "called `Result::unwrap()` on an `Err` value: 9",
    "not yet implemented",
];

/// The variable that tells a child which panic it has to cause.
const WHICH: &str = "LANEWISE_TEST_ROW";

/// Returns the line of a kind in the kernel.
fn line(which: usize) -> usize {
    let arm = match which {
        21 => "_ => ".to_owned(),
        which => format!("{which} => "),
    };
    let is_it = |line: &str| line.trim_start().starts_with(&arm);
    1 + SOURCE.lines().position(is_it).expect("it is there")
}

fn expected(which: usize) -> String {
    let text = TEXTS[which];
    let line = line(which);
    format!("panicked at tests/device/kernels/src/panics.rs:{line}: {text}")
}

/// Runs the kernel in a child, and returns the child's output with the error of the call that
/// reported the fault.
fn panicking(test: &str, which: usize, only: u32, checks: &str) -> ChildOutput {
    let environment = [(WHICH, &*which.to_string()), ("LANEWISE_CHECKS", checks)];
    isolated_with(&environment, test, || {
        let which = std::env::var(WHICH).expect("a child has it");
        let which: u32 = which.parse().expect("a number");
        let device = device();
        let stream = device.stream().expect("a stream");
        let read = DeviceBuffer::from_slice(&device, &[0u32; 7]).expect("a buffer");
        let mut own = DeviceBuffer::<u32>::zeroed(&device, 192).expect("a buffer");
        let arguments = (which, only, 9, &read, &mut own);
        let config = LaunchConfig::new(3, 64);
        let launched = stream.launch(panics, config, arguments);
        launched.expect("it is launched");
        stream.synchronize().expect_err("it panics").to_string()
    })
}

#[test]
fn each_kind_is_told_with_its_line_values_block_and_thread() {
    let test = "panics::each_kind_is_told_with_its_line_values_block_and_thread";
    for which in 0..TEXTS.len() {
        let answer = panicking(test, which, 69, "");
        let expected = expected(which);
        assert_eq!(
            answer.printed.trim_end(),
            format!("{expected}, block (1,0,0), thread (5,0,0)"),
            "{which}: {}",
            answer.stderr
        );
        let error = &answer.text;
        assert!(error.contains(&expected), "{which}: {error}");
        for place in ["block (1,0,0)", "thread (5,0,0)"] {
            assert!(error.contains(place), "{which}: {error}");
        }
    }
}

#[test]
fn of_threads_that_panic_together_one_is_told() {
    let test = "panics::of_threads_that_panic_together_one_is_told";
    // The record races with nothing, and no check has a finding in it.
    for checks in ["", "all"] {
        let answer = panicking(test, 0, ALL, checks);
        let (start, end) = (expected(0), ", block (");
        assert_eq!(answer.printed.lines().count(), 1, "{}", answer.printed);
        assert!(
            answer.printed.starts_with(&format!("{start}{end}")),
            "{}",
            answer.printed
        );
        assert!(answer.text.contains(&start), "{checks}: {}", answer.text);
    }
}

/// A program that loads the PTX itself and calls the driver alone.
#[test]
fn a_program_with_only_the_driver_gets_the_message() {
    let test = "panics::a_program_with_only_the_driver_gets_the_message";
    let answer = isolated_with(&[], test, || {
        let _context = cust::quick_init().expect("a device");
        let ptx = device_kernels::Ptx::TEXTS[0].plain;
        let module = cust::module::Module::from_ptx(ptx, &[]).expect("it loads");
        let stream = cust::stream::Stream::new(cust::stream::StreamFlags::NON_BLOCKING, None);
        let stream = stream.expect("a stream");
        let read = cust::memory::DeviceBuffer::from_slice(&[0u32; 7]).expect("a buffer");
        let own = cust::memory::DeviceBuffer::from_slice(&[0u32; 192]).expect("a buffer");
        let kernel = module.get_function("panics").expect("it is there");
        // SAFETY: these are the kernel's parameters, slices as a pointer and a length.
        let launched = unsafe {
            cust::launch!(kernel<<<3, 64, 0, stream>>>(
                8u32, 69u32, 9usize, read.as_device_ptr(), 7usize, own.as_device_ptr(), 192usize))
        };
        launched.expect("it is launched");
        stream.synchronize().expect_err("it panics").to_string()
    });
    assert_eq!(
        answer.printed.trim_end(),
        format!("{}, block (1,0,0), thread (5,0,0)", expected(8)),
        "{}",
        answer.stderr
    );
}
