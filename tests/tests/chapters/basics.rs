//! Chapter 1: threads that print who they are, and threads that each compute one element.

use gpu::basics::hello::check_index;
use lanewise::LaunchConfig;
use lanewise_patterns::Setup;
use proptest::prelude::*;
use tests::agree::{agrees, assert_agrees};
use tests::isolate::isolated;
use tests::sizes::{EDGES, MATRIX_EDGES, cases, lengths};

#[test]
fn check_index_on_two_blocks_of_three_prints_the_notes_six_lines() {
    let answer = isolated(
        "basics::check_index_on_two_blocks_of_three_prints_the_notes_six_lines",
        || {
            let device = tests::device();
            let stream = device.stream().expect("a stream");
            device
                .launch(&stream, check_index, LaunchConfig::new(2, 3), ())
                .expect("a launch");
            stream.synchronize().expect("no fault");
            "printed".to_owned()
        },
    );
    // Blocks run in any order.
    let mut printed: Vec<&str> = answer
        .printed
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    printed.sort_unstable();
    let mut expected = lanewise_patterns::basics::hello::indices(2, 3);
    expected.sort_unstable();
    assert_eq!(printed, expected);
}

#[test]
fn hello_world_greets_once_for_each_thread() {
    let answer = isolated("basics::hello_world_greets_once_for_each_thread", || {
        let setup = Setup {
            block: Some(33),
            ..Setup::new(99, 0)
        };
        agrees("hello_world", setup).map_or_else(|why| why, |()| "agrees".to_owned())
    });
    assert_eq!(answer.text, "agrees");
}

#[test]
fn vector_addition_agrees_with_the_cpu_at_every_edge() {
    for size in EDGES {
        assert_agrees("vec_add", Setup::new(size, 1));
        assert_agrees("vec_add_one_block", Setup::new(size.min(1024), 1));
    }
}

#[test]
fn vec_add_agrees_with_the_cpu_on_a_large_vector() {
    assert_agrees("vec_add", Setup::new((1 << 20) + 1, 1));
}

#[test]
fn threads_of_a_volume_are_numbered_as_cuda_numbers_them() {
    for side in [1, 2, 5] {
        assert_agrees("linear_index_3d", Setup::new(side, 0));
    }
}

#[test]
fn pi_is_pi_to_five_places_and_no_strips_have_no_area() {
    for strips in [0, 1, 2, 1000, 65_537, 1 << 20] {
        assert_agrees("pi_partial", Setup::new(strips, 0));
    }
}

#[test]
fn matrix_addition_agrees_with_the_cpu_at_every_edge() {
    for (columns, rows) in MATRIX_EDGES {
        for variant in [
            "mat_add_2d_2d",
            "mat_add_1d_1d",
            "mat_add_2d_1d",
            "mat_add_managed",
        ] {
            assert_agrees(
                variant,
                Setup {
                    rows: Some(rows),
                    ..Setup::new(columns, 1)
                },
            );
        }
        assert_agrees(
            "mat_add_one_block",
            Setup {
                rows: Some(rows.min(32)),
                ..Setup::new(columns.min(32), 1)
            },
        );
    }
}

/// Three kernels of one file share statics, so each runs in a process of its own.
#[test]
fn statics_on_the_device_are_filled_and_read_by_name() {
    let answer = isolated(
        "basics::statics_on_the_device_are_filled_and_read_by_name",
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

#[test]
fn calls_that_fail_say_cudas_name_and_text_and_the_callers_line() {
    for variant in [
        "error_invalid_value",
        "error_out_of_memory",
        "error_not_found",
    ] {
        assert_agrees(variant, Setup::new(0, 0));
    }
}

#[test]
fn both_clocks_time_a_kernel_in_three_units() {
    for size in [1, 1000, 1 << 20] {
        assert_agrees("timer_wall_clock", Setup::new(size, 0));
        assert_agrees("timer_events", Setup::new(size, 0));
    }
}

#[test]
fn the_driver_says_of_the_device_what_the_model_says() {
    assert_agrees("device_properties", Setup::new(0, 0));
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn vec_add_agrees_with_the_cpu(size in lengths(), seed: u64, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(size, seed) };
        prop_assert_eq!(agrees("vec_add", setup), Ok(()));
    }

    #[test]
    fn vec_add_one_block_agrees_with_the_cpu(size in 0usize..=1024, seed: u64) {
        prop_assert_eq!(agrees("vec_add_one_block", Setup::new(size, seed)), Ok(()));
    }

    #[test]
    fn pi_is_pi_to_five_places_in_every_shape(strips in 1000usize..100_000, block in 1u32..=1024) {
        let setup = Setup { block: Some(block), ..Setup::new(strips, 0) };
        prop_assert_eq!(agrees("pi_partial", setup), Ok(()));
    }

    #[test]
    fn every_mapping_of_a_matrix_agrees_with_the_cpu(columns in 0usize..150, rows in 0usize..150, seed: u64) {
        for variant in ["mat_add_2d_2d", "mat_add_1d_1d", "mat_add_2d_1d", "mat_add_managed"] {
            let setup = Setup { rows: Some(rows), ..Setup::new(columns, seed) };
            prop_assert_eq!(agrees(variant, setup), Ok(()));
        }
    }
}
