//! The programs that time the machine execute what they are meant to time.

use sim_figures::speed::{Bench, Watch};

#[test]
fn a_block_of_every_program_runs_to_its_end() {
    let bench = Bench::new().expect("some memory");
    let classes = bench.classes().expect("some memory");
    for program in bench.programs().iter().chain(&classes) {
        let lanes = bench
            .run(&program.of_one_block(), Watch::Counters)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(lanes > 1000, "{}: {lanes}", program.name);
    }
}
