//! The properties of a device.

use lanewise_patterns::Setup;
use tests::agree::assert_agrees;

#[test]
fn the_driver_says_of_the_device_what_the_model_says() {
    assert_agrees("device_properties", Setup::new(0, 0));
}
