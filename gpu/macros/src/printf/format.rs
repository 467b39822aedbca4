//! Reads a Rust format string into the pieces of a C one.

/// A format string, cut at the places where `printf` needs a conversion letter.
#[derive(Debug, PartialEq)]
pub(super) struct Format {
    /// One more than the number of placeholders. Each piece but the last ends in `%` and flags.
    pub(super) pieces: Vec<String>,
    pub(super) placeholders: Vec<Placeholder>,
}

/// A placeholder, which is between two pieces.
#[derive(Debug, PartialEq)]
pub(super) struct Placeholder {
    pub(super) argument: Argument,
    pub(super) conversion: Conversion,
}

#[derive(Debug, PartialEq)]
pub(super) enum Argument {
    /// `{}`: the next argument.
    Next,
    /// `{name}`: the argument of this name.
    Named(String),
}

/// Rust's names for the formats of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Conversion {
    Display,
    /// `{:.2}`: a float with this many digits after the decimal point.
    Fixed,
    LowerHex,
    UpperHex,
    Octal,
    Exponent,
    Pointer,
}

/// Returns the pieces of `text`, or what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Format, String> {
    if text.contains('\0') {
        return Err("a format cannot hold a zero byte: `printf` stops there".to_owned());
    }
    let mut pieces = vec![String::new()];
    let mut placeholders = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let piece = pieces.last_mut().expect("there is always a last piece");
        rest = &rest[c.len_utf8()..];
        match c {
            '%' => piece.push_str("%%"),
            '{' if rest.starts_with('{') => {
                piece.push('{');
                rest = &rest[1..];
            }
            '}' if rest.starts_with('}') => {
                piece.push('}');
                rest = &rest[1..];
            }
            '{' => {
                let end = rest
                    .find('}')
                    .ok_or("a `{` without its `}`; write `{{` for a brace")?;
                let (flags, placeholder) = placeholder(&rest[..end])?;
                piece.push('%');
                piece.push_str(&flags);
                placeholders.push(placeholder);
                pieces.push(String::new());
                rest = &rest[end + 1..];
            }
            '}' => return Err("a `}` without its `{`; write `}}` for a brace".to_owned()),
            other => piece.push(other),
        }
    }
    Ok(Format {
        pieces,
        placeholders,
    })
}

/// Reads `name:>+08.2x`, without its braces. Returns C's flags and the placeholder.
fn placeholder(text: &str) -> Result<(String, Placeholder), String> {
    let (argument, spec) = text.split_once(':').unwrap_or((text, ""));
    let argument = match argument.trim() {
        "" => Argument::Next,
        name if is_name(name) => Argument::Named(name.to_owned()),
        other => {
            return Err(format!(
                "`{{{other}}}`: name a variable, or leave it empty and list the value behind"
            ));
        }
    };
    let unknown = || {
        format!(
            "`{{:{spec}}}` is not a format of `gpu_printf!`: there are `{{}}`, `{{:x}}`, `{{:X}}`, `{{:o}}`, `{{:.2}}`, `{{:e}}` and \
         `{{:p}}`, with a width and `<`, `>`, `+`, `#` or `0` before it; an array or a structure is printed by its parts"
        )
    };

    let mut flags = String::new();
    let mut rest = spec;
    if let Some(after) = rest.strip_prefix('<') {
        flags.push('-');
        rest = after;
    } else if let Some(after) = rest.strip_prefix('>') {
        rest = after;
    }
    for (rust, c) in [('+', '+'), ('#', '#'), ('0', '0')] {
        if let Some(after) = rest.strip_prefix(rust) {
            flags.push(c);
            rest = after;
        }
    }
    let (width, after) = digits(rest);
    flags.push_str(width);
    rest = after;
    let mut conversion = Conversion::Display;
    if let Some(after) = rest.strip_prefix('.') {
        let (precision, after) = digits(after);
        if precision.is_empty() {
            return Err(unknown());
        }
        flags.push('.');
        flags.push_str(precision);
        conversion = Conversion::Fixed;
        rest = after;
    }
    conversion = match rest.trim_end() {
        "" => conversion,
        "x" => Conversion::LowerHex,
        "X" => Conversion::UpperHex,
        "o" => Conversion::Octal,
        "e" => Conversion::Exponent,
        "p" => Conversion::Pointer,
        _ => return Err(unknown()),
    };
    Ok((
        flags,
        Placeholder {
            argument,
            conversion,
        },
    ))
}

/// Returns the digits at the start of `text`, and the text after them.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        parse(text).unwrap().pieces
    }

    #[test]
    fn cuts_at_the_conversion_letters() {
        assert_eq!(pieces("{} of {:.2}\n"), ["%", " of %.2", "\n"]);
    }

    #[test]
    fn escapes_what_is_special_in_c_and_not_in_rust() {
        assert_eq!(pieces("100 % of {{{}}}"), ["100 %% of {%", "}"]);
    }

    #[test]
    fn translates_alignment_sign_zero_width_and_precision() {
        assert_eq!(
            pieces("{:<5}{:>5}{:+}{:08.3}{:#x}"),
            ["%-5", "%5", "%+", "%08.3", "%#", ""]
        );
    }

    #[test]
    fn reads_names_and_conversions() {
        let format = parse("{x} {value:X}").unwrap();
        assert_eq!(
            format.placeholders[0].argument,
            Argument::Named("x".to_owned())
        );
        assert_eq!(format.placeholders[1].conversion, Conversion::UpperHex);
    }

    #[test]
    fn refuses_what_printf_cannot_do() {
        for text in [
            "{", "}", "{:?}", "{:^5}", "{0}", "{:.}", "{:5z}", "a\0b", "{:.*}", "{a.b}",
        ] {
            assert!(parse(text).is_err(), "{text:?} was accepted");
        }
    }
}
