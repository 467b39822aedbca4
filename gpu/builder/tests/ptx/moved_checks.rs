//! Checks that were moved out of loops and to the start of regions do what they did in their
//! places: each kernel of the fixture ends as it does on the host, with the same values, or at the
//! same wrong index after the same writes. The simulator reports an access outside of the slice.

#[path = "../fixtures/moved_checks/src/kernels.rs"]
#[expect(
    unreachable_pub,
    clippy::manual_checked_ops,
    reason = "the kernels are those of the fixture, which has its own lints"
)]
mod kernels;

use kernels::{ALL, Given};
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::machine::{Machine, params, wide};
use crate::support::builder;

/// The threads of a launch, and the words that each writes.
const THREADS: usize = 3;
const WORDS: usize = 16;

/// What is in the output before.
const BEFORE: u32 = 0xAAAA_AAAA;

/// Ends a kernel on the host.
fn end() -> ! {
    resume_unwind(Box::new(()))
}

/// What the threads of a kernel write, one after another on the host.
fn expected(kernel: fn(Given) -> u32, values: &[u32], [x, y, z]: [usize; 3]) -> Vec<u32> {
    let mut output = vec![BEFORE; THREADS * WORDS];
    for (thread, own) in output.chunks_mut(WORDS).enumerate() {
        let given = Given {
            values: values.as_ptr(),
            length: values.len(),
            x: x.wrapping_add(thread),
            y,
            z,
            output: own.as_mut_ptr(),
        };
        if let Ok(result) = catch_unwind(AssertUnwindSafe(|| kernel(given))) {
            own[3] = result;
        }
    }
    output
}

/// Numbers at which something changes: around the slice's length, and around the largest number of
/// each type.
fn number() -> impl Strategy<Value = usize> {
    const EDGES: [usize; 8] = [0, 1 << 8, 1 << 16, 1 << 31, 1 << 32, 1 << 33, 1 << 63, 1000];
    prop_oneof![
        6 => 0usize..28,
        1 => (0usize..32).prop_map(|below| 0usize.wrapping_sub(below)),
        1 => (prop::sample::select(&EDGES[..]), 0usize..8)
            .prop_map(|(edge, more): (usize, usize)| edge.wrapping_add(more).wrapping_sub(4)),
        1 => any::<usize>(),
    ]
}

#[test]
fn a_moved_check_ends_a_kernel_where_it_did() {
    let build = builder("moved_checks", "moved_checks")
        .arch("sm_80")
        .build();
    let output = build.unwrap_or_else(|error| panic!("{error}"));
    let ptx = std::fs::read_to_string(&output.modules[0].ptx).expect("the build wrote it");
    let machine = Machine::load(&ptx);
    let values = prop::collection::vec(0u32..30, 0..28);
    let cases = (values, [number(), number(), number()]);
    // A case is a launch of each kernel. 256 is the default without `PROPTEST_CASES`.
    let config = ProptestConfig {
        cases: ProptestConfig::default().cases / 4,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&cases, |(values, [x, y, z])| {
        let slice = if values.is_empty() {
            4
        } else {
            machine.words(&values)
        };
        for (name, kernel) in ALL {
            let output = machine.words(&[BEFORE; THREADS * WORDS]);
            let numbers = [x, y, z].map(|it| wide(it as u64));
            let given = [wide(slice), wide(values.len() as u64)];
            let all: Vec<_> = given
                .into_iter()
                .chain(numbers)
                .chain([wide(output)])
                .collect();
            let threads = THREADS as u32;
            let found = machine.run(name, threads, &params(&all), output, THREADS * WORDS);
            let expected = expected(*kernel, &values, [x, y, z]);
            prop_assert_eq!(found, expected, "{} with {} {} {}", name, x, y, z);
        }
        machine.free();
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
