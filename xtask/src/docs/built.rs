//! `cargo xtask check-book`: looks at the pages that mdBook has built.
//!
//! It counts what the pages have for a reader, holds each count at the best that was reached, and
//! searches for the words that people search for, with the book's own index and search program. A
//! browser opens every page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use super::{browser, markdown};
use crate::workspace;
use cargo_lanewise::output::say;

/// A count over the pages, and what it may be. A change that makes a count better writes the new
/// one here, so that it cannot become worse again.
struct Count {
    what: &'static str,
    /// How much of it a page's HTML has.
    of: fn(&str) -> usize,
    may_be: Bound,
}

#[derive(Clone, Copy)]
enum Bound {
    AtLeast(usize),
    AtMost(usize),
}

const COUNTS: [Count; 7] = [
    Count {
        what: "figures",
        of: |page| page.matches("<svg").count() + page.matches("<img").count(),
        may_be: Bound::AtLeast(115),
    },
    Count {
        what: "exercises",
        of: |page| page.matches("<summary>Solution</summary>").count(),
        may_be: Bound::AtLeast(71),
    },
    Count {
        what: "kernels in CUDA C++ beside ours",
        of: |page| {
            page.matches("<summary>The same in CUDA C++</summary>")
                .count()
        },
        may_be: Bound::AtLeast(52),
    },
    Count {
        what: "pages with counters and times of a GPU",
        of: |page| usize::from(has_counters(page) && has_times(page)),
        may_be: Bound::AtLeast(56),
    },
    Count {
        what: "placeholders of tests",
        of: |page| page.matches("ptx line N").count() + page.matches("s.rs:LINE").count(),
        may_be: Bound::AtMost(0),
    },
    Count {
        what: "pages without a way to the next",
        of: |page| usize::from(!page.contains("<div class=\"next-page\">")),
        may_be: Bound::AtMost(1),
    },
    Count {
        what: "listings of more than 40 lines",
        of: |page| listings(page).filter(|lines| *lines > 40).count(),
        may_be: Bound::AtMost(0),
    },
];

/// The most bytes of the search index, which a reader's browser loads before the first search.
const INDEX: u64 = 1_500_000;

/// What people search for, and the pages that may be found first.
const SEARCHES: [(&str, &[&str]); 40] = [
    ("coalesced access", &["memory/offset_stride"]),
    ("bank conflict", &["shared/square_tile", "shared/rect_tile"]),
    ("warp divergence", &["execution/divergence"]),
    ("occupancy", &["execution/occupancy"]),
    ("memory spaces", &["hardware/memory_spaces"]),
    ("data race", &["start/race", "instruction/increment"]),
    ("deadlock", &["bugs/deadlock"]),
    ("memory fence", &["shared/fences"]),
    ("atomic", &["instruction/atomics"]),
    ("warp shuffle", &["warp/shuffles", "warp/reduce_shuffle"]),
    ("cooperative groups", &["warp/groups"]),
    ("cooperative launch", &["warp/grid"]),
    (
        "dynamic parallelism",
        &["execution/nested_hello", "execution/nested_reduce"],
    ),
    (
        "reduction",
        &[
            "execution/reduce_",
            "shared/reduce_shared",
            "warp/reduce_shuffle",
            "warp/collectives.html#which-reduction-to-take",
        ],
    ),
    ("scan", &["ladders/scan"]),
    (
        "transpose",
        &[
            "memory/transpose",
            "shared/transpose_shared",
            "ladders/transpose",
        ],
    ),
    (
        "matrix product",
        &["shared/matmul", "multi_gpu/split_matmul"],
    ),
    ("gemm", &["algorithms/gemm"]),
    ("tensor cores", &["tensor/matrix_units"]),
    ("tma", &["tensor/tma_copy"]),
    ("thread block cluster", &["cluster/clusters"]),
    ("distributed shared memory", &["cluster/cluster_histogram"]),
    ("streams", &["streams/scheduling", "streams/default_stream"]),
    (
        "cuda graph",
        &["streams/graphs", "streams/conditional_nodes"],
    ),
    ("pinned", &["memory/transfers"]),
    ("unified memory", &["hardware/unified_memory"]),
    ("constant memory", &["shared/stencil"]),
    ("texture", &["shared/texture"]),
    ("local memory", &["shared/local_memory"]),
    ("register spill", &["shared/local_memory"]),
    ("cp.async", &["shared/async_copy"]),
    ("peer-to-peer", &["multi_gpu/peer_copies"]),
    ("multicast", &["multi_gpu/multicast"]),
    ("roofline", &["hardware/roofline"]),
    ("profiling", &["hardware/profiling"]),
    ("softmax", &["ladders/softmax"]),
    ("half precision", &["instruction/half"]),
    ("fma", &["instruction/fma"]),
    ("tail effect", &["hardware/launch"]),
    ("fft", &["algorithms/fft"]),
];

/// Count what the built book has, try its search, and open its pages in a browser
///
/// mdBook has to have built it: `target/tools/bin/mdbook build docs`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask check-book")]
pub(crate) struct Args {}

/// Prints the counts, and fails if one is worse than it was or if a search finds another page.
pub(crate) fn run(_args: &Args) -> Result<ExitCode> {
    let book = workspace::root().join("target/book/html");
    let summary = fs::read_to_string(workspace::root().join("docs/src/SUMMARY.md"))?;
    let names = markdown::links(&summary).into_iter().map(|page| {
        let page = Path::new(&page.text).with_extension("html");
        page.display().to_string()
    });
    let names: Vec<String> = names.collect();
    let pages = names.iter().map(|name| {
        let file = book.join(name);
        let page = fs::read_to_string(&file);
        let page = page.with_context(|| format!("`{}` is not built", file.display()))?;
        // Around this are the menus.
        let main = page.split("<main>").nth(1).unwrap_or_default();
        Ok(main.split("</main>").next().unwrap_or_default().to_owned())
    });
    let pages = pages.collect::<Result<Vec<_>>>()?;
    let mut is_good = true;
    for count in &COUNTS {
        let found: usize = pages.iter().map(|page| (count.of)(page)).sum();
        let (is_met, bound) = match count.may_be {
            Bound::AtLeast(least) => (found >= least, format!("at least {least}")),
            Bound::AtMost(most) => (found <= most, format!("at most {most}")),
        };
        is_good &= is_met;
        let verdict = if is_met { "" } else { "  WORSE" };
        say(format_args!("{found:>5} {}, {bound}{verdict}", count.what));
    }
    let index = index(&book)?.context("the book has no search index")?;
    let index = fs::metadata(index)?.len();
    is_good &= index <= INDEX;
    say(format_args!(
        "{index:>5} bytes of search index, at most {INDEX}"
    ));
    is_good &= searches(&book)?;
    is_good &= looks(&book, &names)?;
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Searches for each term, and returns whether all find their page. That needs node.
fn searches(book: &Path) -> Result<bool> {
    let mut node = Command::new("node");
    node.args(["-e", include_str!("search.js")]).arg(book);
    let Ok(output) = node.args(SEARCHES.map(|(query, _)| query)).output() else {
        say("The search was not tried: there is no `node`.");
        return Ok(true);
    };
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "the book's search failed:\n{error}"
    );
    let mut is_good = true;
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    for ((query, expected), found) in SEARCHES.iter().zip(found.lines()) {
        if !expected.iter().any(|page| found.starts_with(page)) {
            say(format_args!(
                "`{query}` finds `{found}`, expected `{}`",
                expected.join("` or `")
            ));
            is_good = false;
        }
    }
    Ok(is_good)
}

/// Opens each page, and returns whether all look right. That needs Chromium.
fn looks(book: &Path, pages: &[String]) -> Result<bool> {
    let Some(found) = browser::look(book, pages)? else {
        say("The pages were not opened: there is no `chromium`.");
        return Ok(true);
    };
    for problem in &found.problems {
        say(problem);
    }
    say(format_args!(
        "{:>5} pages opened in a browser at two widths, {} links followed, {} problems",
        found.opened,
        found.links,
        found.problems.len()
    ));
    Ok(found.problems.is_empty() && found.opened == pages.len())
}

/// Returns the file of the built book's search index.
pub(super) fn index(book: &Path) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(book).with_context(|| format!("`{}`", book.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("searchindex") {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

/// Whether a page has numbers of the simulator.
fn has_counters(page: &str) -> bool {
    [
        "sectors/",
        "sectors a request",
        "wavefronts",
        "instructions",
    ]
    .iter()
    .any(|word| page.contains(word))
        && page.contains("<td")
}

/// Whether a page has times that were measured on a named GPU.
fn has_times(page: &str) -> bool {
    page.contains("H200")
        && [" us", " ms", " GB/s", "FLOP/s"]
            .iter()
            .any(|unit| page.contains(unit))
}

/// Returns the number of lines of each listing of Rust, without those that are hidden at first.
fn listings(page: &str) -> impl Iterator<Item = usize> {
    let blocks = page.split("<code class=\"language-rust").skip(1);
    blocks.map(|block| {
        let listing = block.split("</code>").next().unwrap_or_default();
        let hidden = listing.matches("<span class=\"boring\">").count();
        listing.lines().count() - hidden.min(listing.lines().count())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_counted() {
        let listing = |lines: usize| {
            format!(
                "<pre><code class=\"language-rust ignore\">{}</code></pre>",
                "a\n".repeat(lines)
            )
        };
        let page = format!(
            "<table><td>wavefronts</td><td>3 us on an H200</td></table><svg></svg>{}{}<p>ptx line N</p>",
            listing(41),
            listing(3)
                + "<code class=\"language-rust\">"
                + &"<span class=\"boring\">a\n</span>".repeat(50)
        );
        let counts = COUNTS.map(|count| (count.of)(&page));
        assert_eq!(counts, [1, 0, 0, 1, 1, 1, 1]);
    }
}
