//! Suggestions for a kernel name that does not exist.

/// Suggests the kernel with the nearest name, or lists the kernels that exist.
pub(super) fn did_you_mean(name: &str, known: &[String]) -> String {
    let near = known
        .iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .min();
    match near {
        None => ": it has none at all".to_owned(),
        Some((distance, candidate)) if distance <= 3 => format!("; did you mean `{candidate}`?"),
        Some(_) => format!("; it has {}", known.join(", ")),
    }
}

/// Returns the number of edits between two names (the Levenshtein distance).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let cost = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_edits() {
        assert_eq!(distance("vec_add", "vec_add"), 0);
        assert_eq!(distance("vec_ad", "vec_add"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn a_mistyped_kernel_is_offered_and_a_strange_one_gets_the_list() {
        let known = ["vec_add".to_owned(), "mat_add_2d_2d".to_owned()];
        assert_eq!(did_you_mean("vecadd", &known), "; did you mean `vec_add`?");
        assert_eq!(
            did_you_mean("transpose", &known),
            "; it has vec_add, mat_add_2d_2d"
        );
        assert_eq!(did_you_mean("x", &[]), ": it has none at all");
    }
}
