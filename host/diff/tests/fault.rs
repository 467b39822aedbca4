//! A kernel that is to end with an error: the context is of no use behind it, so this has a process
//! of its own.

use lanewise_diff::machine::{Driver, Simulator};
use lanewise_diff::{Outcome, Session, cases};

#[test]
fn a_trap_is_the_same_error_on_both() {
    let device = lanewise::Device::open().expect("there is always the simulator");
    let mut cases = cases::all();
    cases.retain(|case| case.sample.instruction == "trap;");
    let mut outcomes = Vec::new();
    let session = Session {
        device: &Driver::new(device).expect("a stream"),
        simulator: &Simulator::new().expect("the host has addresses"),
        sm: 90,
        seed: 1,
    };
    session.run(&cases, &mut |_, outcome| outcomes.push(outcome));
    let error = "CUDA_ERROR_LAUNCH_FAILED (719)".into();
    assert_eq!(outcomes, [Outcome::SameFault { error }]);
}
