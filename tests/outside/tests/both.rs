//! Each handle leads to its own crate's kernel and static; and what a user's crate does with graphs
//! that branch and with the matrix units.

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_kernel_of_the_same_name_is_launched_safely_beside_the_catalogs(
        terms in prop::collection::vec((any::<u32>(), -1e30f32..1e30), 1..300),
        second in 0..u64::from(u32::MAX),
    ) {
        let (numbers, floats): (Vec<u32>, Vec<f32>) = terms.into_iter().unzip();
        let (own, catalog) = outside::sums(&numbers, second, &floats).expect("both run");
        // As `own_kernels` says: the two factors are 3 and 5.
        let sum = |number: &u32| u64::from(*number) * 3 + second * 5;
        prop_assert_eq!(own, numbers.iter().map(sum).collect::<Vec<_>>());
        prop_assert_eq!(catalog, floats.iter().map(|float| float + float).collect::<Vec<_>>());
    }
}

#[test]
fn a_static_of_the_same_name_is_the_crates_own() {
    assert_eq!(outside::values().expect("both are there"), ([3, 5], 1.5));
}

/// The catalog is a dependency of the kernel crate, and its kernels are not in that crate's PTX.
#[test]
fn a_modules_kernels_are_those_of_its_crate() {
    let device = lanewise::Device::open().expect("a device");
    let module = device.module::<own_kernels::Ptx>().expect("it loads");
    assert_eq!(
        module.kernels(),
        [
            "add",
            "programs_with_halves",
            "programs_with_pairs",
            "programs_with_sparse_pairs",
            "programs_with_three_each",
            "bounded_64",
            "bounded_96",
            "clustered",
            "column_sums",
            "corners",
            "counted_in_a_static",
            "digits",
            "doubled",
            "doubled_vectors",
            "even_by_block",
            "greatest",
            "greatest_of_parts",
            "lean",
            "matrix_sum",
            "neighbours",
            "numbered_apart",
            "numbered_by_three",
            "numbered_by_two_down",
            "numbered_in_fours",
            "numbered_in_planes",
            "numbered_in_sums",
            "numbered_in_threes",
            "numbered_in_tiles",
            "numbered_on_diagonals",
            "reduce_by_key_u32_u32_Compose",
            "reduce_by_key_u64_u32_Compose",
            "scan_by_key_u32_u32_Compose",
            "scan_by_key_u64_u32_Compose",
            "fold_u32_Nearest_FindNearest",
            "join_u32_Nearest_FindNearest",
            "reduce_f32_Plus",
            "reduce_u32_Compose",
            "scan_f32_Plus",
            "scan_u32_Compose",
            "partition_u32_Above",
            "select_u32_Above",
            "a_collective_in_a_value",
            "a_collective_in_an_operator",
            "a_histogram_beside_its_ranks",
            "a_line_beside_its_exchange",
            "a_part_after_a_warp_left",
            "a_reduction_beside_a_line",
            "collectives_of_two_types",
            "dynamic_memory_of_three_kinds",
            "dynamic_tiles_of_two_pitches",
            "exchanges_of_two_lengths",
            "lines_in_a_function",
            "loops_of_reductions",
            "parts_in_turn",
            "reductions_after_warps_left",
            "reductions_that_call_themselves",
            "rows_of_a_tile_in_arms",
            "scans_beside_broadcasts",
            "scans_in_any_block",
            "a_phase_within_a_phase",
            "a_view_that_is_kept",
            "an_early_return",
            "beside_another_barrier",
            "collectives_of_two_arms",
            "copies_of_variables",
            "halo",
            "lines_of_two_arms",
            "loops_of_different_lengths",
            "one_line_of_two_arms",
            "opposite_numbers",
            "recursion",
            "stages_of_two_arms",
            "stages_that_threads_leave",
            "three_stages",
            "tiles_of_any_block",
            "two_stages",
            "without_an_exited_thread",
            "ranks_in_row",
            "row_stencil",
            "rows_of_blocks",
            "rows_of_clusters",
            "rows_of_threads",
            "rows_of_tiles",
            "rows_of_warps",
            "scaled_by_block",
            "sparse_product",
            "step_down",
            "turned",
            "twice_past_caches",
            "vec_add",
            "weigh",
            "windows",
        ]
    );
}

#[test]
fn kernels_say_how_a_graph_goes_on() {
    for start in [0u32, 1, 2, 5, 12, 31, 100] {
        let mut number = start.saturating_sub(3);
        while number % 4 != 0 {
            number = number.saturating_sub(3);
        }
        number += [10, 20, 0][number as usize % 3];
        number += if number % 2 == 1 { 100 } else { 200 };
        number += if number == 0 { 0 } else { 1000 };
        assert_eq!(
            outside::decided(start).expect("a graph"),
            number,
            "from {start}"
        );
    }
}

#[test]
fn the_matrix_unit_multiplies_what_is_stored_by_halves() {
    // Any numbers will do.
    let bytes =
        |n: usize, by: usize| -> Vec<i8> { (0..n).map(|i| (i * by % 251) as u8 as i8).collect() };
    let (stored, right) = (bytes(16 * 32, 37), bytes(8 * 64, 101));
    let kept: Vec<u32> = (0..16 * 16).map(|i| i * 7 % 11).collect();
    let product = outside::product(&stored, &kept, &right).expect("a launch");
    for (row, of_row) in product.iter().enumerate() {
        for (column, element) in of_row.iter().enumerate() {
            let mut sum = 0;
            for group in 0..16 {
                let places = own_kernels::stored(kept[row * 16 + group]);
                for (half, place) in places.into_iter().enumerate() {
                    let left = stored[row * 32 + group * 2 + half];
                    sum += i32::from(left) * i32::from(right[column * 64 + group * 4 + place]);
                }
            }
            assert_eq!(*element, sum, "row {row}, column {column}");
        }
    }
}

/// A report points at the line of the user's helper, not at the library's beneath, and shows the
/// kernel that it was inlined into.
#[test]
fn a_race_in_a_helper_is_reported_at_the_users_line() {
    let device = lanewise::Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let mut data = lanewise::DeviceBuffer::<u32>::zeroed(&device, 64).expect("memory");
    let found = lanewise::checks::of(&device, lanewise::checks::Checking::all(), || {
        let config = lanewise::LaunchConfig::new(1, 64);
        stream.launch(own_kernels::neighbours, config, (&mut data,))?;
        stream.synchronize()?;
        Ok::<_, Box<dyn std::error::Error>>(())
    });
    // A GPU looks at nothing.
    let ((), Some(found)) = found.expect("it runs") else {
        return;
    };
    let text: String = found.iter().map(ToString::to_string).collect();
    assert!(
        text.contains("race: a write and a read of shared memory"),
        "{text}"
    );
    assert!(text.contains("  --> kernels/src/tile.rs:14"), "{text}");
    assert!(text.contains("kernel `neighbours`"), "{text}");
}
