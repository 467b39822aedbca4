//! The exercises, in the order in which the reader meets them.

use super::exercise::Exercise;

/// Makes the list from the names of the files.
macro_rules! exercises {
    ($($group:literal: $($name:literal)*;)*) => {
        &[$($(Exercise::new(
            $group,
            $name,
            include_str!(concat!("exercises/", $group, "/", $name, ".rs")),
        ),)*)*]
    };
}

/// All exercises of the course.
pub static EXERCISES: &[Exercise] = exercises! {
    "write": "thread_index" "guard" "in_place" "grid_stride" "two_dimensions" "histogram" "block_sum"
        "block_scan" "warp_vote" "butterfly" "neighbours" "row_mean" "shared_histogram"
        "tile_transpose" "compact";
    "fix": "past_the_end" "launch_too_small" "missing_barrier" "lost_updates" "barrier_in_a_branch"
        "unset_tile" "second_barrier" "stencil_in_place" "uncleared_counts" "early_return" "wrong_mask"
        "shuffle_in_an_arm" "past_the_line" "flag_without_order" "copy_not_awaited";
    "speed": "strided_chunks" "row_sums" "particles" "vector_loads" "divergence" "one_atomic_a_block"
        "bank_conflicts" "swizzle" "fewer_barriers" "reuse_in_shared" "tiled_product" "occupancy"
        "local_window" "horner";
    "port": "saxpy" "matrix_product" "atomic_max" "shared_reverse" "warp_sum" "warp_scan" "ballot_count"
        "constant_filter";
    "predict": "sectors_side_by_side" "warps_of_a_short_vector" "sectors_of_an_offset" "sectors_of_a_stride"
        "sectors_of_a_broadcast" "sectors_of_doubles" "sectors_of_structures" "barriers_of_a_block"
        "conflicts_of_a_stride" "conflicts_of_neighbours";
    "prove": "lost_increment" "high_score" "claim" "publish" "last_block" "spin_lock" "two_locks"
        "two_flags" "barrier_between";
};

/// Returns the text of `src/kernels/mod.rs` that declares these exercises, and no others.
pub fn module_of(exercises: &[Exercise]) -> String {
    let mut text = "//! Made by `cargo lanewise learn`: the chosen exercise is the only one that is compiled.\n\
                    #![allow(unused, reason = \"an exercise begins unfinished\")]\n\n\
                    lanewise_std::module!();\n"
        .to_owned();
    for group in exercises.chunk_by(|one, next| one.group == next.group) {
        text += &format!("\npub mod {} {{\n", group[0].group);
        for exercise in group {
            text += &format!("    pub mod {};\n", exercise.name);
        }
        text += "}\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_exercise_has_a_task_hints_a_page_and_a_message() {
        let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src");
        let mut names = BTreeSet::new();
        for exercise in EXERCISES {
            let name = exercise.name;
            assert!(names.insert(name), "`{name}` is there twice");
            let lines = exercise.task().lines().count();
            assert!((2..=8).contains(&lines), "{name}: a task of {lines} lines");
            let hints = exercise.hints().len();
            assert!((1..=3).contains(&hints), "{name}: {hints} hints");
            assert!(!exercise.fails().is_empty(), "{name}: no message");
            let page = format!("{pages}/{}.md", exercise.page());
            assert!(
                std::path::Path::new(&page).is_file(),
                "{name}: no page {page}"
            );
        }
    }
}
