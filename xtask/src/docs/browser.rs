//! Opens the built book's pages in a browser without a window (Debian's package `chromium`), which
//! sees what the HTML does not say: text wider than the page, pictures that are not there.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// What the browser's script found.
#[derive(Debug, Deserialize)]
pub(super) struct Found {
    /// How many pages were opened, each at two widths.
    pub(super) opened: usize,
    /// How many links were followed.
    pub(super) links: usize,
    pub(super) problems: Vec<String>,
}

/// Flags that keep the browser from the network, and let a page of a folder look into the others.
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--allow-file-access-from-files",
    // Timers do not wait, and the page is printed once nothing is left to do.
    "--virtual-time-budget=1000000",
];

/// Opens the pages below `book`, or returns nothing on a machine without Chromium.
pub(super) fn look(book: &Path, pages: &[String]) -> Result<Option<Found>> {
    let folder = book.with_file_name("browser");
    fs::create_dir_all(&folder)?;
    let page = folder.join("look.html");
    let script = include_str!("browser.js");
    let root = serde_json::to_string(&format!("file://{}/", book.display()))?;
    let pages = serde_json::to_string(pages)?;
    fs::write(
        &page,
        format!(
            "<!doctype html><meta charset=\"utf-8\"><body><pre id=\"out\"></pre><script>\n\
            const root = {root}, pages = {pages}, out = document.getElementById(\"out\");\n\
            {script}</script></body>"
        ),
    )?;
    let mut chromium = Command::new("chromium");
    chromium.args(FLAGS).arg("--dump-dom");
    chromium.arg(format!("--user-data-dir={}", folder.join("user").display()));
    chromium.arg(&page).stderr(Stdio::null());
    let output = match chromium.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        output => output.context("chromium")?,
    };
    let dom = String::from_utf8_lossy(&output.stdout);
    let found = dom.split("<pre id=\"out\">").nth(1).unwrap_or_default();
    let found = found.split("</pre>").next().unwrap_or_default();
    ensure!(
        !found.is_empty(),
        "the browser printed nothing: {}",
        output.status
    );
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", "\u{a0}"),
        ("&amp;", "&"),
    ];
    let found = entities.iter().fold(found.to_owned(), |text, (entity, c)| {
        text.replace(entity, c)
    });
    Ok(Some(
        serde_json::from_str(&found).context("the browser's script")?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_would_see_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let book = folder.path().join("html");
        fs::create_dir(&book).expect("it is new");
        let pages = ["good.html".to_owned(), "bad.html".to_owned()];
        let good = "<main style=\"width: 300px\"><h1 id=\"top\">Good</h1></main>";
        let bad = "<main style=\"width: 300px\"><p style=\"width: 340px\">wide</p>\
            <p style=\"width: 20px\">unbreakable</p><img src=\"none.png\" width=\"9\" height=\"9\">\
            <a href=\"good.html#top\">a</a><a href=\"good.html#end\">b</a><a href=\"no.html\">c</a>\
            <div style=\"width: 600px\">window</div></main>";
        fs::write(book.join("good.html"), good).expect("a page");
        fs::write(book.join("bad.html"), bad).expect("a page");
        let Some(found) = look(&book, &pages).expect("the browser runs") else {
            return;
        };
        let text = "the text `unbreakable` is wider than its paragraph";
        let expected = [
            "at 1440 pixels: <p> `wide` ends 39 pixels too far right",
            &format!("at 1440 pixels: {text}"),
            "at 1440 pixels: the picture none.png is not there",
            "at 390 pixels: is 218 pixels wider than the window",
            "at 390 pixels: <p> `wide` ends 39 pixels too far right",
            &format!("at 390 pixels: {text}"),
            "at 390 pixels: the picture none.png is not there",
        ];
        let mut expected: Vec<String> = expected.map(|what| format!("bad.html {what}")).into();
        expected.push("bad.html: good.html has no #end".to_owned());
        expected.push("bad.html: the link to no.html leads nowhere".to_owned());
        assert_eq!(found.problems, expected);
        assert_eq!((found.opened, found.links), (2, 3));
    }
}
