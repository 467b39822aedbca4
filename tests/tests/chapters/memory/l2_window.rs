//! A part of L2 that is reserved for the accesses in a window.

use lanewise::{DeviceBuffer, L2Window};
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::sizes::{EDGES, cases, lengths};

use super::by;

const VARIANTS: [&str; 2] = ["l2_reuse", "l2_reuse_window"];

#[test]
fn reuse_agrees_with_the_cpu_at_every_edge() {
    for variant in VARIANTS {
        for size in EDGES {
            for table in [0, 1, 31, 1024] {
                assert_agrees(variant, by(size, table));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn reuse_agrees_with_the_cpu(size in lengths(), seed: u64, table in 0u32..5000, block in 1u32..=1024) {
        for variant in VARIANTS {
            let setup = Setup { by: Some(table), block: Some(block), ..Setup::new(size, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}

#[test]
fn a_window_is_what_was_set_until_it_is_cleared() {
    let device = tests::device();
    let most = device.max_persisting_l2().expect("an attribute");
    if most == 0 {
        println!("skipped: the device cannot set L2 aside");
        return;
    }
    let stream = device.stream().expect("a stream");
    let table = DeviceBuffer::from_slice(&device, &[1.0f32; 4096]).expect("a buffer");
    stream.set_l2_window(&table, 0.5).expect("a window");
    let set = L2Window {
        address: table.address(),
        bytes: 4 * 4096,
        hit_ratio: 0.5,
    };
    assert_eq!(stream.l2_window().expect("the window"), set);
    stream.clear_l2_window().expect("no window");
    assert_eq!(stream.l2_window().expect("no window").bytes, 0);
    device.reset_persisting_l2().expect("ordinary lines again");
}

#[test]
fn no_more_is_set_aside_than_the_device_allows() {
    let device = tests::device();
    let most = device.max_persisting_l2().expect("an attribute");
    let l2 = usize::try_from(device.properties().l2_cache).expect("a size");
    assert!(most < l2, "{most} of {l2} bytes");
    if most > 0 {
        let granted = device.set_aside_l2(usize::MAX / 2).unwrap_or(0);
        assert!(granted <= most, "{granted} of {most} bytes");
    }
}
