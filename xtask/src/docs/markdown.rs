//! The parts of a Markdown text that the checks need: links, headings, shell
//! commands, mdBook's includes.

use std::ops::Range;

use anyhow::{Context, Result};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A part of a text, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) text: String,
    /// The line number, counted from 1.
    pub(crate) line: usize,
}

/// Returns a page with something in the place of each line that is a mark: `mark`, words, and `}}`.
///
/// # Errors
/// If a mark does not end, or what takes its place can't be made.
pub(crate) fn replaced(
    page: &str,
    mark: &str,
    replacement: &mut impl FnMut(&str) -> Result<String>,
) -> Result<String> {
    let mut out = String::new();
    for line in page.split_inclusive('\n') {
        let text = line.trim();
        let Some(words) = text.strip_prefix(mark) else {
            out += line;
            continue;
        };
        let words = words.strip_suffix("}}");
        let words = words.with_context(|| format!("`{text}` does not end"))?;
        out += replacement(words)?.trim_end();
        out += &line[line.trim_end().len()..];
    }
    Ok(out)
}

/// Returns the destinations of links and images.
pub(crate) fn links(markdown: &str) -> Vec<Located> {
    let destination = |event: Event<'_>| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    };
    let events = events(markdown).filter_map(|(event, range)| Some((destination(event)?, range)));
    events
        .map(|(text, range)| Located {
            text,
            line: line_at(markdown, range.start),
        })
        .collect()
}

/// Returns the anchors that mdBook and code hosts give to headings: lower case, with dashes for
/// blanks and without other punctuation.
pub(crate) fn anchors(markdown: &str) -> Vec<String> {
    headings(markdown).iter().map(|title| slug(title)).collect()
}

/// Returns the commands in blocks marked `sh`, one per line, without comments. Lines that end in a
/// backslash are joined with the next.
pub(crate) fn shell_commands(markdown: &str) -> Vec<Located> {
    let mut commands = Vec::new();
    for block in blocks(markdown) {
        if block.language == "sh" {
            commands_of_block(&block.text, block.line, &mut commands);
        }
    }
    commands
}

fn commands_of_block(block: &str, first_line: usize, commands: &mut Vec<Located>) {
    let mut continues = false;
    for (number, line) in block.lines().enumerate() {
        let line = without_comment(line).trim();
        let (text, goes_on) = match line.strip_suffix('\\') {
            Some(text) => (text.trim_end(), true),
            None => (line, false),
        };
        match commands.last_mut() {
            Some(command) if continues => command.text = format!("{} {text}", command.text),
            _ if text.is_empty() => {}
            _ => commands.push(Located {
                text: text.to_owned(),
                line: first_line + number,
            }),
        }
        continues = goes_on;
    }
}

/// Returns `line` up to a `#` that is at its start or after a blank.
fn without_comment(line: &str) -> &str {
    let starts_comment = |at: &usize| *at == 0 || line[..*at].ends_with(' ');
    let comment = line
        .match_indices('#')
        .map(|(at, _)| at)
        .find(starts_comment);
    &line[..comment.unwrap_or(line.len())]
}

/// A fenced block, and the comment before it, `<!-- COMMENT -->`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) comment: Option<String>,
    pub(crate) text: String,
    /// The line number of the first line inside, counted from 1.
    pub(crate) line: usize,
}

/// Returns the fenced blocks.
pub(crate) fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut comment = None;
    let mut is_inside = false;
    for (event, range) in events(markdown) {
        match event {
            Event::Html(html) => {
                let text = html.trim().strip_prefix("<!-- ");
                comment = text.and_then(|text| Some(text.strip_suffix(" -->")?.to_owned()));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                is_inside = true;
                blocks.push(Block {
                    language: language.into_string(),
                    comment: comment.take(),
                    text: String::new(),
                    line: line_at(markdown, range.start) + 1,
                });
            }
            Event::End(TagEnd::CodeBlock) => is_inside = false,
            Event::Text(text) if is_inside => {
                if let Some(block) = blocks.last_mut() {
                    block.text.push_str(&text);
                }
            }
            Event::Start(Tag::HtmlBlock) => {}
            Event::Start(_) => comment = None,
            _ => {}
        }
    }
    blocks
}

/// Returns the arguments of mdBook's `{{#include ...}}`.
pub(crate) fn includes(markdown: &str) -> Vec<Located> {
    let mut includes = Vec::new();
    for (number, line) in markdown.lines().enumerate() {
        for part in line.split("{{#include ").skip(1) {
            let text = part
                .split("}}")
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned();
            includes.push(Located {
                text,
                line: number + 1,
            });
        }
    }
    includes
}

/// Returns the lines of `source` between `ANCHOR: part` and `ANCHOR_END: part`, or all lines if
/// `part` is empty.
pub(crate) fn anchored(source: &str, part: &str) -> String {
    let marks = |line: &str, word: &str| line.trim_end().ends_with(&format!("{word}: {part}"));
    let lines = source.lines();
    let lines: Vec<&str> = match part {
        "" => lines.collect(),
        _ => lines
            .skip_while(|line| !marks(line, "ANCHOR"))
            .skip(1)
            .take_while(|line| !marks(line, "ANCHOR_END"))
            .collect(),
    };
    lines.join("\n")
}

/// Returns the titles of headings.
pub(crate) fn headings(markdown: &str) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    let mut is_inside = false;
    for (event, _) in events(markdown) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                is_inside = true;
                titles.push(String::new());
            }
            Event::End(TagEnd::Heading(_)) => is_inside = false,
            Event::Text(text) | Event::Code(text) if is_inside => {
                if let Some(title) = titles.last_mut() {
                    title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    titles
}

/// Returns the title and the prose of each section: text and names, also of tables, without
/// listings.
pub(crate) fn sections(markdown: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    let mut is_heading = false;
    let mut is_listing = false;
    for (event, _) in events(markdown) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                is_heading = true;
                sections.push(<_>::default());
            }
            Event::End(TagEnd::Heading(_)) => {
                is_heading = false;
            }
            Event::Start(Tag::CodeBlock(_)) => is_listing = true,
            Event::End(TagEnd::CodeBlock) => is_listing = false,
            Event::Text(text) | Event::Code(text) if !is_listing => {
                if let Some((title, prose)) = sections.last_mut() {
                    let to = if is_heading { title } else { prose };
                    to.push_str(&text);
                }
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(TagEnd::Paragraph | TagEnd::TableCell | TagEnd::Item) => {
                if let Some((_, prose)) = sections.last_mut() {
                    prose.push(' ');
                }
            }
            _ => {}
        }
    }
    sections
}

/// Returns the anchor that mdBook gives to a heading.
pub(crate) fn slug(title: &str) -> String {
    let kept = title
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| {
        if c == ' ' {
            '-'
        } else {
            c.to_ascii_lowercase()
        }
    })
    .collect()
}

fn events(markdown: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter()
}

fn line_at(markdown: &str, offset: usize) -> usize {
    markdown[..offset].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, line: usize) -> Located {
        Located {
            text: text.into(),
            line,
        }
    }

    #[test]
    fn links_are_found_in_prose_and_tables_but_not_in_code() {
        let text = "[a](one.md)\n\n| t |\n| --- |\n| [b](two.md#x) |\n\n```\n[c](three.md)\n```\n";
        assert_eq!(links(text), [at("one.md", 1), at("two.md#x", 5)]);
    }

    #[test]
    fn a_heading_becomes_the_anchor_that_mdbook_gives_it() {
        assert_eq!(
            anchors("# How a kernel becomes PTX\n## `cuda_std`, and why?\n"),
            ["how-a-kernel-becomes-ptx", "cuda_std-and-why"]
        );
    }

    #[test]
    fn commands_carry_the_line_they_start_on() {
        let text = "# T\n\n```sh\n# first\ncargo one \\\n  --two  # why\n\nthree 'a#b'\n```\n";
        assert_eq!(
            shell_commands(text),
            [at("cargo one --two", 5), at("three 'a#b'", 8)]
        );
    }

    #[test]
    fn a_block_has_the_comment_before_it() {
        let text = "<!-- from a.rs -->\n```rust\nlet a;\n```\n\nText.\n\n```sh\nb\n```\n";
        let block = |language: &str, comment: Option<&str>, text: &str, line| Block {
            language: language.into(),
            comment: comment.map(Into::into),
            text: text.into(),
            line,
        };
        assert_eq!(
            blocks(text),
            [
                block("rust", Some("from a.rs"), "let a;\n", 3),
                block("sh", None, "b\n", 9)
            ]
        );
    }

    #[test]
    fn includes_are_found_inside_code_blocks() {
        assert_eq!(
            includes("```rust\n{{#include ../a.rs:kernel}}\n```\n"),
            [at("../a.rs:kernel", 2)]
        );
    }
}
