//! Modules that load, changed a little: they load and run to an end of some kind, and leave
//! no memory behind.
//!
//! From `host/sim`:
//!
//! ```sh
//! RUSTC_BOOTSTRAP=1 cargo fuzz run --fuzz-dir fuzz run fuzz/corpus/run -- \
//!     -max_len=20000 -timeout=20
//! ```
//!
//! The mutator knows lines, operands and modifiers. libFuzzer chooses by coverage what
//! to change further.
#![no_main]

#[path = "../../tests/mutants/mutate.rs"]
mod mutate;
#[path = "../../tests/mutants/run.rs"]
mod run;

use std::cell::OnceCell;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

thread_local! {
    static DEVICE: OnceCell<lanewise_sim::Device> = const { OnceCell::new() };
}

fuzz_target!(|text: &str| {
    DEVICE.with(|device| {
        let device = device.get_or_init(run::device);
        let before = device.memory().used();
        run::run(device, text);
        // The heap of a device is made once, and stays.
        assert!(device.memory().used() <= before + (1 << 20), "a launch leaks");
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = mutate::Random(seed.into());
    let Ok(text) = std::str::from_utf8(&data[..size]) else {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    };
    // Now and then what libFuzzer itself can think of, dictionary included.
    if random.below(16) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let new = mutate::mutate(text, text, &mut random).into_bytes();
    let length = new.len().min(max_size).min(data.len());
    data[..length].copy_from_slice(&new[..length]);
    length
});
