//! Random programs of safe calls: in every order, each read gives the value of a plain model, and
//! nothing races, crashes, hangs or panics.
//!
//! A process of its own ([`child`]) runs a program. So a program that ends the process, or never
//! ends, is shrunk like any other. `PROPTEST_CASES` sets the number of programs. [`ops`] has the
//! operations, [`world`] runs them and keeps the model, [`work`] is what graphs do, and
//! [`own_code`] is code that panics.

mod calls;
mod child;
mod deeds;
mod helper;
mod images;
mod model;
mod ops;
mod order;
mod own_code;
mod pieces;
mod slots;
mod work;
mod world;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tests::sizes::cases;

/// Runs random programs, all with these variables of the environment.
fn hold_for(test: &str, number: u32, environment: &[(&str, &str)]) {
    if child::is_asked_for(test) {
        child::serve();
    }
    let children = std::cell::RefCell::new(child::Child::new(test, environment));
    let mut runner = TestRunner::new(cases(number));
    let held = runner.run(&ops::programs(40), |steps| {
        let ran = children.borrow_mut().run(&steps);
        ran.map_err(|why| {
            TestCaseError::fail(format!("{why}\nof this program:\n{}", ops::listing(&steps)))
        })
    });
    if let Err(error) = held {
        panic!("{error}");
    }
}

#[test]
fn safe_calls_in_any_order_do_what_they_say() {
    let test = "any_order::safe_calls_in_any_order_do_what_they_say";
    hold_for(test, 40, &[]);
}

#[test]
fn safe_calls_in_any_order_race_with_nothing() {
    let test = "any_order::safe_calls_in_any_order_race_with_nothing";
    hold_for(test, 20, &[("LANEWISE_CHECKS", "all")]);
}

#[test]
fn safe_calls_in_any_order_on_two_devices() {
    let test = "any_order::safe_calls_in_any_order_on_two_devices";
    let environment = [("LANEWISE_SIM_DEVICES", "2"), ("LANEWISE_CHECKS", "race")];
    hold_for(test, 20, &environment);
}
