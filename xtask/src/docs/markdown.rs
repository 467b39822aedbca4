//! The parts of a Markdown text that the checks need: links, headings, shell
//! commands, mdBook's includes.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A part of a text, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) text: String,
    /// The line number, counted from 1.
    pub(crate) line: usize,
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
    headings(markdown)
        .into_iter()
        .map(|heading| slug(&heading.title))
        .collect()
}

/// Returns the text below the heading `title`, up to the next heading of the same or a higher
/// level. It is empty if there is no such heading.
pub(crate) fn section(markdown: &str, title: &str) -> String {
    let mut headings = headings(markdown)
        .into_iter()
        .skip_while(|heading| heading.title != title);
    let Some(start) = headings.next() else {
        return String::new();
    };
    let end = headings
        .find(|heading| heading.level <= start.level)
        .map_or(markdown.len(), |next| next.range.start);
    markdown[start.range.end..end].to_owned()
}

/// Returns the commands in blocks marked `sh`, one per line, without comments. Lines that end in a
/// backslash are joined with the next.
pub(crate) fn shell_commands(markdown: &str) -> Vec<String> {
    located_shell_commands(markdown)
        .into_iter()
        .map(|command| command.text)
        .collect()
}

/// Returns the same commands, each with the line on which it starts.
pub(crate) fn located_shell_commands(markdown: &str) -> Vec<Located> {
    let mut commands = Vec::new();
    let mut in_shell = false;
    for (event, range) in events(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                in_shell = &*language == "sh"
            }
            Event::End(TagEnd::CodeBlock) => in_shell = false,
            Event::Text(text) if in_shell => {
                commands_of_block(&text, line_at(markdown, range.start), &mut commands)
            }
            _ => {}
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

/// A block of Rust code, and the file in the comment before it, `<!-- from PATH -->`, that it
/// was taken from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) code: String,
    pub(crate) from: Option<String>,
    /// The line number, counted from 1.
    pub(crate) line: usize,
}

/// Returns the blocks marked `rust`.
pub(crate) fn excerpts(markdown: &str) -> Vec<Excerpt> {
    let mut excerpts = Vec::new();
    let mut from = None;
    let mut in_rust = false;
    for (event, range) in events(markdown) {
        match event {
            Event::Html(html) => {
                let path = html
                    .trim()
                    .strip_prefix("<!-- from ")
                    .and_then(|rest| rest.strip_suffix(" -->"));
                from = path.map(str::to_owned);
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                in_rust = &*language == "rust"
            }
            Event::End(TagEnd::CodeBlock) => in_rust = false,
            Event::Text(text) if in_rust => {
                let line = line_at(markdown, range.start);
                excerpts.push(Excerpt {
                    code: text.into_string(),
                    from: from.take(),
                    line,
                });
            }
            Event::Start(_) => from = None,
            _ => {}
        }
    }
    excerpts
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

struct Heading {
    title: String,
    level: u8,
    range: Range<usize>,
}

fn headings(markdown: &str) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut inside = false;
    for (event, range) in events(markdown) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                inside = true;
                headings.push(Heading {
                    title: String::new(),
                    level: level as u8,
                    range,
                });
            }
            Event::End(TagEnd::Heading(_)) => inside = false,
            Event::Text(text) | Event::Code(text) if inside => {
                if let Some(heading) = headings.last_mut() {
                    heading.title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    headings
}

fn slug(title: &str) -> String {
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
            located_shell_commands(text),
            [at("cargo one --two", 5), at("three 'a#b'", 8)]
        );
    }

    #[test]
    fn an_excerpt_knows_the_file_named_before_it() {
        let text = "<!-- from a.rs -->\n```rust\nlet a;\n```\n\n```rust\nlet b;\n```\n";
        let excerpt = |code: &str, from: Option<&str>, line| Excerpt {
            code: code.into(),
            from: from.map(Into::into),
            line,
        };
        assert_eq!(
            excerpts(text),
            [
                excerpt("let a;\n", Some("a.rs"), 3),
                excerpt("let b;\n", None, 7)
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
