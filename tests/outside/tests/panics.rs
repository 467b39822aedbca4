//! Checks that the compiler has moved in a user's kernel: what is right is computed, and what is
//! wrong is told with its line and values. One test, for no kernel runs after a panic.

/// The sums as the host computes them, or nothing if an index is wrong.
fn expected(values: &[u32], threads: usize, further: usize) -> Option<Vec<u32>> {
    let sum = |at: usize| {
        let mut sum = *values.get(at)?;
        if at > 0 {
            sum += values.get(at - 1)? + values.get(at + 1)?;
        }
        if further > 1 {
            sum += values.get(at + further)?;
        }
        Some(sum)
    };
    (0..threads).map(sum).collect()
}

#[test]
fn an_index_is_told_with_its_line_and_values_where_it_is_wrong() {
    let values: Vec<u32> = (0..40).map(|i| i * i).collect();
    for (threads, further) in [(1, 0), (39, 1), (20, 20), (33, 7), (2, 38)] {
        let sums = outside::windows(&values, threads, further).expect("all are in bounds");
        let expected = expected(&values, threads, further);
        assert_eq!(Some(sums), expected, "{threads}, {further}");
    }
    // Thread 5 alone is out of bounds.
    assert_eq!(expected(&values, 6, 35), None);
    let source = include_str!("../kernels/src/lib.rs");
    let line = source
        .lines()
        .position(|it| it.contains("values[at + further]"));
    let line = 1 + line.expect("it is there");
    let error = outside::windows(&values, 6, 35)
        .expect_err("an index is wrong")
        .to_string();
    for part in [
        &format!("src/lib.rs:{line}"),
        "index out of bounds: the len is 40 but the index is 40",
        "thread (5,0,0)",
    ] {
        assert!(error.contains(part), "`{part}` is missing in {error}");
    }
}
