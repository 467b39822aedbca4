//! Every kernel at a small size against the CPU, as built by default and with fast math.

use idioms::cases::CASES;
use idioms::measure::Runner;

/// What sizes are divided by, so that the largest has some thousand elements.
const SMALLER: usize = 1 << 16;

fn agree(fast_math: bool, tolerance: impl Fn(f64) -> f64) {
    let run = Runner::small(fast_math, SMALLER).expect("a device");
    for case in &CASES {
        let outcome = (case.run)(&run).unwrap_or_else(|error| panic!("{}: {error:#}", case.name));
        let expected = outcome.expected.expect("a small run");
        let error = (outcome.checksum - expected).abs() / expected.abs().max(1.0);
        let is_close = error <= tolerance(case.tolerance);
        assert!(
            is_close,
            "{}: {} by the device, {expected} by the CPU",
            case.name, outcome.checksum
        );
    }
}

#[test]
fn every_kernel_agrees_with_the_cpu() {
    agree(false, |tolerance| tolerance);
}

/// Approximations have errors of some units in the last place of small results.
#[test]
fn every_kernel_agrees_with_the_cpu_with_fast_math() {
    agree(true, |tolerance| tolerance.max(1e-4));
}
