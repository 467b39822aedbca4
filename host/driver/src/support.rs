//! The support page: the calls that the simulated driver executes.

use crate::api::ENTRY_POINTS;
use std::fmt::Write;

/// Returns the page as Markdown: a table of sections, then the calls of each section.
pub fn page() -> String {
    let mut page = String::from(
        "# Driver API calls\n\nOn a GPU every call goes to NVIDIA's driver. On the simulator, calls marked *no* return \
         `CUDA_ERROR_NOT_SUPPORTED` and say so on stderr.\n\n| section | simulated | of |\n| --- | ---: | ---: |\n",
    );
    // Writing to a string cannot fail.
    for section in sections() {
        let calls = || ENTRY_POINTS.iter().filter(|entry| entry.section == section);
        let done = calls().filter(|entry| entry.simulated).count();
        let _ = writeln!(page, "| {section} | {done} | {} |", calls().count());
    }
    for section in sections() {
        let _ = write!(
            page,
            "\n## {section}\n\n| call | since CUDA | simulated | for the thread's own default stream |\n| --- | --- | --- | --- |\n"
        );
        for entry in ENTRY_POINTS.iter().filter(|entry| entry.section == section) {
            let (major, minor) = (entry.since / 1000, entry.since % 1000 / 10);
            let simulated = if entry.simulated { "yes" } else { "*no*" };
            let twin = entry.per_thread.map(|twin| format!("`{}`", twin.symbol));
            let _ = writeln!(
                page,
                "| `{}` | {major}.{minor} | {simulated} | {} |",
                entry.symbol,
                twin.unwrap_or_default()
            );
        }
    }
    page
}

/// Returns the sections in the order of the table.
fn sections() -> Vec<&'static str> {
    let mut sections: Vec<&'static str> = ENTRY_POINTS.iter().map(|entry| entry.section).collect();
    sections.dedup();
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_call_once() {
        let page = page();
        for entry in ENTRY_POINTS {
            assert_eq!(
                page.matches(&format!("| `{}` |", entry.symbol)).count(),
                1,
                "{}",
                entry.symbol
            );
        }
        assert!(
            page.contains("| `cuLaunchKernel` | 4.0 | yes | `cuLaunchKernel_ptsz` |"),
            "{page}"
        );
    }
}
