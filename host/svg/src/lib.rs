//! A small writer of SVG.
//!
//! A picture is as wide as a phone's page, so that its letters are legible there; a wider one has
//! to be scrolled. Text and lines have the colour of the text around the picture, so it fits light
//! and dark pages.

use std::fmt::Write;

/// The width of a picture in its own units: that of a phone's page, in pixels.
pub const WIDTH: f64 = 360.0;
/// The height of letters.
pub const LETTER: f64 = 11.0;

/// Colours that differ in brightness too, and stand out on white and on black (Okabe and Ito,
/// "Color Universal Design").
pub const COLORS: [&str; 8] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8ac20", "#8c8c8c",
];
/// What is as it should be.
pub const GOOD: &str = COLORS[0];
/// What costs time.
pub const BAD: &str = COLORS[5];
/// The colour of the text around the picture.
pub const INK: &str = "currentColor";

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// Its middle is at the point.
    Middle,
    /// It ends at the point.
    End,
}

/// A picture that is being drawn.
#[derive(Debug, Default)]
pub struct Svg {
    body: String,
}

impl Svg {
    /// Draws a filled rectangle. `opacity` is from 0 to 1.
    pub fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), color: &str, opacity: f64) {
        let (x, y, w, h) = (round(x), round(y), round(w), round(h));
        let _ = write!(
            self.body,
            r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{color}""#
        );
        if opacity < 1.0 {
            let _ = write!(self.body, r#" fill-opacity="{opacity}""#);
        }
        self.body += "/>\n";
    }

    /// Draws the border of a rectangle.
    pub fn frame(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), color: &str) {
        let (x, y, w, h) = (round(x), round(y), round(w), round(h));
        let _ = writeln!(
            self.body,
            r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="none" stroke="{color}"/>"#
        );
    }

    /// Draws a line of this width.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), color: &str, width: f64) {
        let (x1, y1, x2, y2) = (round(x1), round(y1), round(x2), round(y2));
        let _ = writeln!(
            self.body,
            r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}" stroke-width="{width}"/>"#
        );
    }

    /// Draws a filled circle.
    pub fn dot(&mut self, (x, y): (f64, f64), radius: f64, color: &str) {
        let (x, y) = (round(x), round(y));
        let _ = writeln!(
            self.body,
            r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{color}"/>"#
        );
    }

    /// Writes the name of what is drawn into the picture's first line, and a remark behind it.
    pub fn heading(&mut self, name: &str, remark: &str) {
        let (name, remark) = (escaped(name), escaped(remark));
        let _ = writeln!(
            self.body,
            r#"<text x="0" y="12"><tspan font-weight="bold">{name}</tspan> {remark}</text>"#
        );
    }

    /// Writes a text whose base line is at `y`.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let (x, y, text) = (round(x), round(y), escaped(text));
        let _ = writeln!(self.body, r#"<text x="{x}" y="{y}"{anchor}>{text}</text>"#);
    }

    /// Returns the picture. A reader that can't see it gets the title and the description.
    pub fn finish(self, (width, height): (f64, f64), title: &str, description: &str) -> String {
        let (title, description, body) = (escaped(title), escaped(description), self.body);
        let (width, height) = (round(width), round(height));
        let least = match width > WIDTH {
            true => format!(r#" style="min-width: {width}px""#),
            false => String::new(),
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\"{least} role=\"img\" \
             font-family=\"sans-serif\" font-size=\"{LETTER}\" fill=\"{INK}\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n{body}</svg>\n"
        )
    }
}

/// Rounds to a hundredth, which is enough for any screen and keeps the file small.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_words_and_takes_the_colour_of_the_page() {
        let mut svg = Svg::default();
        svg.rect((1.234_5, 0.0), (2.0, 3.0), GOOD, 0.5);
        svg.text((0.0, 9.0), Anchor::End, "a < b & c");
        let text = svg.finish((WIDTH, 12.0), "a title", "what is <seen>");
        assert_eq!(
            text.lines().skip(1).collect::<Vec<_>>(),
            [
                "<title>a title</title>",
                "<desc>what is &lt;seen&gt;</desc>",
                r##"<rect x="1.23" y="0" width="2" height="3" fill="#0072b2" fill-opacity="0.5"/>"##,
                r#"<text x="0" y="9" text-anchor="end">a &lt; b &amp; c</text>"#,
                "</svg>",
            ]
        );
        assert!(text.starts_with("<svg ") && text.contains("fill=\"currentColor\""));
    }
}
