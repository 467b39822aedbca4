//! Effective against theoretical bandwidth.

use lanewise::Backend;
use lanewise_patterns::run::Rate;
use lanewise_patterns::{Setup, run};
use tests::agree::variant;
use tests::isolate::isolated;

/// Bytes a second over the theoretical bandwidth of the device, for a variant on a square matrix.
fn share(name: &str, side: usize) -> f64 {
    let device = tests::device();
    let setup = Setup {
        block: Some(32),
        ..Setup::new(side, 1)
    };
    let outcome = run::run(&device, variant(name), setup).expect("it runs");
    let Some(Rate::Bandwidth(rate)) = outcome.rate() else {
        panic!("{name} moves bytes: {outcome:?}")
    };
    rate * 1e9 / device.properties().theoretical_bandwidth()
}

#[test]
fn no_kernel_beats_the_memory_and_the_copy_of_rows_is_the_ceiling() {
    // In a process of its own: other tests' kernels would share the memory, and take their part
    // of the time.
    let test = "memory::bandwidth::no_kernel_beats_the_memory_and_the_copy_of_rows_is_the_ceiling";
    let answer = isolated(test, || {
        // Large enough on a GPU that the matrices do not stay in its cache; the simulator's time
        // needs no such size.
        let side = match tests::device().backend() {
            Backend::Cuda => 8192,
            Backend::Sim => 1024,
        };
        let ceiling = share("copy_row", side);
        let mut wrong = Vec::new();
        if !(ceiling > 0.0 && ceiling < 1.0) {
            wrong.push(format!("copy_row has a share of {ceiling}"));
        }
        for slower in ["copy_col", "transpose_naive_row", "transpose_naive_col"] {
            let share = share(slower, side);
            if share >= ceiling {
                wrong.push(format!("{slower} has {share}, copy_row {ceiling}"));
            }
        }
        wrong.join("; ")
    });
    assert_eq!(answer.text, "");
}
