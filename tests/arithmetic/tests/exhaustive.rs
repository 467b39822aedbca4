//! A sample of what the program `arithmetic` measures on a GPU over all arguments.

use arithmetic::bounds::Bound;
use arithmetic::exhaustive::worst;
use arithmetic_kernels::ERRORS;
use lanewise::Device;

#[test]
fn errors_over_a_sample_of_all_floats_are_within_the_bounds() {
    let device = Device::open().unwrap_or_else(|error| panic!("{error}"));
    for name in ERRORS {
        let found = worst(&device, name, 12).unwrap_or_else(|error| panic!("{error}"));
        let [allowed, _] = Bound::of(name).errors();
        assert!(
            f64::from(found.error) <= allowed,
            "{name}: {found:?}, allowed {allowed}"
        );
    }
}

#[test]
fn a_name_that_is_not_a_function_is_an_error() {
    let device = Device::open().unwrap_or_else(|error| panic!("{error}"));
    let error = worst(&device, "sine", 12).expect_err("it is called `sin`");
    assert_eq!(error.to_string(), "no function of one argument is `sine`");
}
