//! The book's figures, drawn while mdBook builds it.
//!
//! A page contains `{{#figure KIND ..}}` ([`mark::Mark`]). The pattern that the mark names runs on
//! the simulator, whose records and times are the same in every run, and the picture is inserted.
//! So a figure shows what the kernel does today. Marks in neighbouring lines stand side by side,
//! and the paragraph right below them is their caption.

mod draw;
pub(super) mod mark;
mod order;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use draw::Artist;
use mark::{MARK, Mark};

/// Puts figures into pages.
pub(super) struct Figures {
    artist: Artist,
    /// Why figures could not be drawn.
    wrong: Vec<String>,
}

impl Figures {
    /// `patterns` is the program that runs the patterns.
    pub(super) fn new(patterns: PathBuf) -> Self {
        Self {
            artist: Artist::new(patterns),
            wrong: Vec::new(),
        }
    }

    /// Returns a page with its pictures.
    pub(super) fn inserted(&mut self, page: &str) -> Result<String> {
        pictured(page, &mut |mark| {
            let drawn = Mark::parse(mark).and_then(|mark| self.artist.draw(&mark));
            Ok(drawn.unwrap_or_else(|error| {
                self.wrong.push(format!("cannot draw `{mark}`: {error:#}"));
                String::new()
            }))
        })
    }

    /// Returns an error that lists all figures that could not be drawn: building the book takes a
    /// while.
    pub(super) fn finish(self) -> Result<()> {
        ensure!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        Ok(())
    }
}

/// Returns a page with its pictures.
fn pictured(page: &str, draw: &mut impl FnMut(&str) -> Result<String>) -> Result<String> {
    let mut out = String::new();
    let mut lines = page.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let Some(mark) = mark_of(line)? else {
            out.push_str(line);
            continue;
        };
        let mut pictures = vec![draw(mark)?];
        while let Some(next) = lines.peek()
            && let Some(mark) = mark_of(next)?
        {
            pictures.push(draw(mark)?);
            lines.next();
        }
        let mut caption = String::new();
        while let Some(line) = lines.next_if(|line| !line.trim().is_empty()) {
            caption.push_str(line);
        }
        out.push_str(&figure(&pictures, caption.trim_end()));
    }
    Ok(out)
}

/// Returns the mark in a line that has nothing else.
fn mark_of(line: &str) -> Result<Option<&str>> {
    let Some(mark) = line.trim().strip_prefix(MARK) else {
        return Ok(None);
    };
    let mark = mark.strip_suffix("}}");
    mark.map(|mark| Some(mark.trim()))
        .context("a figure's mark does not end, or text follows it")
}

/// Returns pictures with their caption, as HTML in Markdown.
pub(super) fn figure(pictures: &[String], caption: &str) -> String {
    let mut out = String::from("<figure class=\"drawn\"><div class=\"pictures\">\n");
    for picture in pictures {
        // An empty line would end the HTML block, and the rest of the picture would be text.
        for line in picture.lines().filter(|line| !line.trim().is_empty()) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.push_str("</div>");
    if !caption.is_empty() {
        // Between empty lines it is Markdown.
        out.push_str(&format!("<figcaption>\n\n{caption}\n\n</figcaption>"));
    }
    out.push_str("</figure>\n\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_pictures_with_a_caption() {
        let page =
            "before\n\n{{#figure timeline overlap}}\n{{#figure access k}}\nWhat *to* see.\n\nafter";
        let page = pictured(page, &mut |mark| Ok(format!("<svg>\n\n{mark}</svg>")));
        let expected = "before\n\n<figure class=\"drawn\"><div class=\"pictures\">\n\
            <svg>\ntimeline overlap</svg>\n<svg>\naccess k</svg>\n</div>\
            <figcaption>\n\nWhat *to* see.\n\n</figcaption></figure>\n\n\nafter";
        assert_eq!(page.expect("it is drawn"), expected);
    }

    #[test]
    fn a_mark_without_an_end_is_an_error() {
        let draw = &mut |_: &str| Ok(String::new());
        assert!(pictured("{{#figure timeline overlap", draw).is_err());
        assert!(pictured("{{#figure timeline overlap}} and text", draw).is_err());
    }
}
