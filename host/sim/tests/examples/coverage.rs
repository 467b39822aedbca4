//! Prints which instructions of the table the machine runs, and the first of each row that it
//! does not run.
//!
//! `cargo run --release -p sim-tests --example coverage`

fn main() {
    let rows = sim_figures::coverage::coverage();
    let (mut samples, mut modelled, mut whole) = (0, 0, 0);
    for coverage in &rows {
        samples += coverage.samples;
        modelled += coverage.modelled;
        whole += usize::from(coverage.modelled == coverage.samples);
        if let Some((instruction, error)) = &coverage.missing {
            println!(
                "{}/{} {instruction}\n    {error}",
                coverage.modelled, coverage.samples
            );
        }
    }
    println!(
        "{whole} of {} rows whole; {modelled} of {samples} samples",
        rows.len()
    );
}
