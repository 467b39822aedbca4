//! A table added to a stream, round and round.

/// `stream[i] + table[i % table.len()]`; zeroes where the table is empty.
pub fn reuse(table: &[f32], stream: &[f32]) -> Vec<f32> {
    if table.is_empty() {
        return vec![0.0; stream.len()];
    }
    stream
        .iter()
        .zip(table.iter().cycle())
        .map(|(once, kept)| kept + once)
        .collect()
}
