//! What the preprocessor adds to each page: the way to the next page at the end, and above each
//! listing the file that it is from. In a listing of a whole file, the file's documentation and its
//! imports are hidden until the reader asks for them: the page says the one, and the other is no
//! news.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::items;
use crate::workspace;

/// Adds both to every page of mdBook's book. `sources` is where files of the repository can be
/// read, if that is known.
pub(super) fn extend(book: &mut Value, sources: Option<&str>) {
    let mut pages = Vec::new();
    chapters(book, &mut |chapter| {
        pages.push((text(chapter, "name"), text(chapter, "path")));
    });
    let mut following = pages.into_iter().skip(1);
    chapters(book, &mut |chapter| {
        let path = text(chapter, "path");
        let mut content = captioned(&text(chapter, "content"), &path, sources);
        if let Some((name, next)) = following.next() {
            let up = "../".repeat(Path::new(&path).components().count() - 1);
            content = format!(
                "{}\n\n<div class=\"next-page\">\n\nNext: [{name}]({up}{next})\n\n</div>\n",
                content.trim_end()
            );
        }
        chapter["content"] = content.into();
    });
}

/// Calls a function for every chapter that has a page, in the order of the summary.
pub(super) fn chapters(book: &mut Value, each: &mut impl FnMut(&mut Value)) {
    match book {
        Value::Object(members) => {
            if let Some(chapter) = members.get_mut("Chapter")
                && chapter["path"].is_string()
            {
                each(chapter);
            }
            for inner in members.values_mut() {
                chapters(inner, each);
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|inner| chapters(inner, each)),
        _ => {}
    }
}

/// Returns a text in a chapter, and nothing if it is not there.
pub(super) fn text(chapter: &Value, member: &str) -> String {
    chapter[member].as_str().unwrap_or_default().to_owned()
}

/// Returns a page with the names of files above its listings: blocks that begin with an include.
fn captioned(content: &str, page: &str, sources: Option<&str>) -> String {
    let lines: Vec<&str> = content.lines().collect();
    let mut out = String::new();
    let mut whole_file: Option<String> = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(text) = whole_file.take() {
            out += &without_head(&text);
            continue;
        }
        let include = lines
            .get(at + 1)
            .and_then(|next| next.strip_prefix("{{#include "));
        if line.starts_with("```rust")
            && let Some(include) = include
        {
            let file = include.split(['}', ':']).next().unwrap_or_default();
            let file = from_root(page, file);
            out += &items::caption(&file, sources);
            let is_whole = include.ends_with(".rs}}");
            whole_file = is_whole
                .then(|| fs::read_to_string(workspace::root().join(&file)).ok())
                .flatten();
        }
        out += line;
        out.push('\n');
    }
    out
}

/// Returns a file's text, with its head marked as hidden: documentation, imports, and the empty
/// lines between.
fn without_head(text: &str) -> String {
    let mut out = String::new();
    let (mut is_head, mut is_import) = (true, false);
    for line in text.lines().filter(|line| !line.contains("// ANCHOR")) {
        is_import |= is_head && line.starts_with("use ");
        is_head &= is_import || line.is_empty() || line.starts_with("//!");
        is_import &= !line.ends_with(';');
        out += if is_head { "# " } else { "" };
        out += line;
        out.push('\n');
    }
    out
}

/// Returns the path from the repository's root of a file that a page of `docs/src` names.
fn from_root(page: &str, file: &str) -> String {
    let mut parts: Vec<&str> = ["docs", "src"].into_iter().chain(page.split('/')).collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_page_leads_to_the_one_behind_it_and_the_last_to_none() {
        let page = |name: &str, path: &str, inner: Value| json!({ "Chapter": { "name": name, "path": path, "content": "# T\n", "sub_items": inner } });
        let mut book = json!({ "items": [
            page("A", "a.md", json!([page("B", "c/b.md", json!([]))])),
            { "PartTitle": "P" },
            { "Chapter": { "name": "Draft", "path": null, "content": "", "sub_items": [] } },
            page("D", "c/d.md", json!([])),
        ] });
        extend(&mut book, None);
        let first = &book["items"][0]["Chapter"];
        assert_eq!(
            first["content"],
            "# T\n\n<div class=\"next-page\">\n\nNext: [B](c/b.md)\n\n</div>\n"
        );
        let second = first["sub_items"][0]["Chapter"]["content"].as_str();
        assert!(
            second.is_some_and(|text| text.contains("Next: [D](../c/d.md)")),
            "{second:?}"
        );
        assert_eq!(book["items"][3]["Chapter"]["content"], "# T\n");
    }

    #[test]
    fn the_head_of_a_file_is_hidden() {
        let text = "//! A kernel.\n\nuse a::b;\nuse c::{\n    d,\n};\n\n// ANCHOR: k\n/// It.\nfn k() {\n    use e;\n}\n";
        let expected = "# //! A kernel.\n# \n# use a::b;\n# use c::{\n#     d,\n# };\n# \n/// It.\nfn k() {\n    use e;\n}\n";
        assert_eq!(without_head(text), expected);
        assert_eq!(without_head("fn k() {}"), "fn k() {}\n");
    }

    #[test]
    fn a_listing_has_the_name_of_its_file() {
        let page = "T\n```rust,ignore\n{{#include ../../../gpu/src/a.rs:part}}\n```\n";
        let caption =
            "<p class=\"file\"><a href=\"u/gpu/src/a.rs\"><code>gpu/src/a.rs</code></a></p>\n\n";
        assert_eq!(
            captioned(page, "basics/a.md", Some("u")),
            page.replace("```rust", &format!("{caption}```rust"))
        );
        assert_eq!(
            captioned("```sh\nls\n```\n", "a.md", None),
            "```sh\nls\n```\n"
        );
    }
}
