//! Printing as the other projects write it.

use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::quote;

/// Expands Rust-CUDA's `println!`, which ends the text with a new line.
pub(crate) fn println(item: TokenStream) -> syn::Result<TokenStream> {
    with_format(item, |text| text.to_owned() + "\n")
}

/// Expands cuda-oxide's `gpu_printf!`. Its format is Rust's, but C's letters and `-`
/// are allowed too.
pub(crate) fn printf(item: TokenStream) -> syn::Result<TokenStream> {
    with_format(item, rust_format)
}

/// Expands to `gpu_printf!` with a changed format.
fn with_format(item: TokenStream, change: impl Fn(&str) -> String) -> syn::Result<TokenStream> {
    let mut tokens = item.into_iter();
    let format = match tokens.next() {
        Some(TokenTree::Literal(literal)) => {
            let text: syn::LitStr = syn::parse2(TokenTree::Literal(literal).into())?;
            let mut line = Literal::string(&change(&text.value()));
            line.set_span(text.span());
            line
        }
        Some(other) => return Err(syn::Error::new(other.span(), "a format should stand here")),
        None => Literal::string(&change("")),
    };
    crate::printf::expand(quote!(#format #(#tokens)*))
}

/// Turns `{:-8.2f}` into `{:<8.2}`, `{:d}` into `{}`, and `{:E}` into `{:e}`.
fn rust_format(text: &str) -> String {
    let mut rust = String::new();
    let mut rest = text;
    while let Some(brace) = rest.find('{') {
        rust.push_str(&rest[..=brace]);
        rest = &rest[brace + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rust.push('{');
            rest = after;
            continue;
        }
        let end = rest.find('}').unwrap_or(rest.len());
        rust.push_str(&placeholder(&rest[..end]));
        rest = &rest[end..];
    }
    rust + rest
}

/// Converts the text between two braces.
fn placeholder(text: &str) -> String {
    let Some((name, flags)) = text.split_once(':') else {
        return text.to_owned();
    };
    let (left, flags) = match flags.strip_prefix('-') {
        Some(flags) => ("<", flags),
        None => ("", flags),
    };
    let flags = match flags.strip_suffix(['f', 'F']) {
        // C's default number of digits.
        Some(flags) if !flags.contains('.') => flags.to_owned() + ".6",
        Some(flags) => flags.to_owned(),
        None => match flags.strip_suffix('E') {
            Some(flags) => flags.to_owned() + "e",
            None => flags.trim_end_matches(['d', 'i', 'u']).to_owned(),
        },
    };
    format!("{name}:{left}{flags}")
}

#[cfg(test)]
mod tests {
    use super::rust_format;

    #[test]
    fn letters_of_c_become_formats_of_rust() {
        for (theirs, rust) in [
            ("{}\n", "{}\n"),
            ("{:.2f} of {:8d}", "{:.2} of {:8}"),
            ("[{:-8}] {:f}", "[{:<8}] {:.6}"),
            ("{:#x} {{:d}} {name:E}", "{:#x} {{:d}} {name:e}"),
            ("100% {:08x", "100% {:08x"),
        ] {
            assert_eq!(rust_format(theirs), rust);
        }
    }
}
