//! Statics of the device, by their names.

use lanewise_patterns::Setup;
use tests::agree::agrees;
use tests::isolate::isolated;

/// Three kernels of one file share statics, so each runs in a process of its own.
#[test]
fn statics_on_the_device_are_filled_and_read_by_name() {
    let answer = isolated(
        "basics::device_globals::statics_on_the_device_are_filled_and_read_by_name",
        || {
            let mut wrong = Vec::new();
            for size in [0, 1, 31, 255, 257, 1000, 2999] {
                for variant in [
                    "bump_global",
                    "read_constant_table",
                    "follow_device_pointer",
                ] {
                    let setup = Setup {
                        block: Some(64),
                        ..Setup::new(size, 7)
                    };
                    wrong.extend(agrees(variant, setup).err());
                }
            }
            format!("{wrong:#?}")
        },
    );
    assert_eq!(answer.text, "[]");
}
