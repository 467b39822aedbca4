//! `cargo xtask figures`: draws the book's figures while mdBook builds it.
//!
//! A page contains `{{#figure KIND ..}}` ([`mark::Mark`]). This command runs the pattern that the
//! mark names on the simulator, whose records and times are the same in every run, and inserts the
//! picture. So a figure shows what the kernel does today. Marks in neighbouring lines stand side
//! by side, and the paragraph right below them is their caption. mdBook calls this as a
//! preprocessor (`docs/book.toml`): it writes the book as JSON to the program's standard input and
//! reads the changed book from its standard output.

mod draw;
pub(super) mod mark;
mod order;

use std::io::{Read, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use draw::Artist;
use mark::{MARK, Mark};

/// Put the figures that the simulator draws into the book, as a preprocessor of mdBook
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  cargo xtask figures supports html")]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Option<Preprocessing>,
}

/// What mdBook asks beforehand.
#[derive(Debug, clap::Subcommand)]
enum Preprocessing {
    /// Whether this renderer is supported; HTML is
    Supports {
        /// mdBook's name of the renderer
        renderer: String,
    },
}

/// Answers mdBook's question, or changes the book.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if let Some(Preprocessing::Supports { renderer }) = &args.question {
        return Ok(ExitCode::from(u8::from(renderer != "html")));
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let input: Value = serde_json::from_str(&text).context("mdBook's book is not JSON")?;
    // The input is a pair of the context and the book.
    let mut book = input.get(1).cloned().context("mdBook sent no book")?;
    let address = &input[0]["config"]["output"]["html"]["git-repository-url"];
    let sources = address
        .as_str()
        .map(|address| format!("{address}/blob/main"));
    super::site::extend(&mut book, sources.as_deref());
    let (mut artist, mut wrong) = (Artist::new()?, Vec::new());
    replace(&mut book, &mut |mark| {
        let drawn = Mark::parse(mark).and_then(|mark| artist.draw(&mark));
        Ok(drawn.unwrap_or_else(|error| {
            wrong.push(format!("cannot draw `{mark}`: {error:#}"));
            String::new()
        }))
    })?;
    // All of them at once: to build the book takes a while.
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(std::io::stdout()
        .write_all(book.to_string().as_bytes())
        .map(|()| ExitCode::SUCCESS)?)
}

/// Replaces each mark by a picture, in every chapter.
fn replace(book: &mut Value, draw: &mut impl FnMut(&str) -> Result<String>) -> Result<()> {
    match book {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "content" => *text = pictured(text, draw)?,
                    other => replace(other, draw)?,
                }
            }
        }
        Value::Array(elements) => {
            for element in elements {
                replace(element, draw)?;
            }
        }
        _ => {}
    }
    Ok(())
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
fn figure(pictures: &[String], caption: &str) -> String {
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
    use serde_json::json;

    #[test]
    fn every_chapter_gets_its_pictures_and_their_caption() {
        let content =
            "before\n\n{{#figure timeline overlap}}\n{{#figure access k}}\nWhat *to* see.\n\nafter";
        let mut book = json!({ "sections": [
            { "Chapter": { "name": "A", "content": content, "sub_items": [
                { "Chapter": { "name": "B", "content": "none", "sub_items": [] } },
                "Separator",
            ] } },
        ] });
        replace(&mut book, &mut |mark| Ok(format!("<svg>\n\n{mark}</svg>"))).expect("it is drawn");
        let chapter = &book["sections"][0]["Chapter"];
        let expected = "before\n\n<figure class=\"drawn\"><div class=\"pictures\">\n\
            <svg>\ntimeline overlap</svg>\n<svg>\naccess k</svg>\n</div>\
            <figcaption>\n\nWhat *to* see.\n\n</figcaption></figure>\n\n\nafter";
        assert_eq!(chapter["content"], expected);
        assert_eq!(chapter["sub_items"][0]["Chapter"]["content"], "none");
    }

    #[test]
    fn a_mark_without_an_end_is_an_error() {
        let draw = &mut |_: &str| Ok(String::new());
        assert!(pictured("{{#figure timeline overlap", draw).is_err());
        assert!(pictured("{{#figure timeline overlap}} and text", draw).is_err());
    }
}
