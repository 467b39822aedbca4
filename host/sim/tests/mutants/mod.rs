//! Modules of the fuzz target's corpus with a few small changes each: loaded and run,
//! without a fuzzer.
//!
//! The same check as `fuzz/fuzz_targets/run.rs`, with a fixed seed and for some seconds, so that it
//! can stand in every test run. `LANEWISE_MUTANTS=100000` makes more of them.

mod mutate;
mod run;

use mutate::{Random, mutate};

fn corpus() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/run");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("it is text"))
        .collect()
}

#[test]
fn nothing_that_a_mutant_does_takes_the_machine_down() {
    let asked = std::env::var("LANEWISE_MUTANTS").ok();
    let count: u64 = asked.and_then(|n| n.parse().ok()).unwrap_or(4_000);
    let (corpus, device) = (corpus(), run::device());
    let heap_and_all = device.memory().used();
    let (mut loaded, mut text) = (0, String::new());
    for seed in 0..count {
        let mut random = Random(seed);
        // A mutant that loads is changed further, for a few generations.
        if seed % 8 == 0 {
            text = corpus[random.below(corpus.len())].clone();
        }
        let mutant = mutate(&text, &corpus[random.below(corpus.len())], &mut random);
        let ran =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run::run(&device, &mutant)));
        match ran {
            Ok(true) => {
                loaded += 1;
                text = mutant;
            }
            Ok(false) => {}
            Err(_) => panic!("seed {seed}:\n{mutant}"),
        }
    }
    // The heap of a device is made once, and stays.
    assert!(
        device.memory().used() <= heap_and_all + (1 << 20),
        "a launch leaks"
    );
    assert!(
        loaded * 5 > count,
        "only {loaded} of {count} mutants load: they test little"
    );
}
