//! `gpu_printf!`: turns a Rust format string into a C one.
//!
//! The macro has the text, the number of arguments and the format of each placeholder, but not the
//! arguments' types. It therefore cuts the format at the conversion letters: `"{} of {:.2}\n"`
//! becomes the pieces `"%"`, `" of %.2"` and `"\n"`. When the kernel is compiled,
//! `lanewise_std::printf` puts the letters that belong to the types between them.

mod format;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, Ident, LitStr, Token};

use format::{Argument, Conversion, Format};

/// The arguments of a call: `"format", a, b`
struct Call {
    format: LitStr,
    arguments: Vec<Expr>,
}

impl Parse for Call {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let format = input.parse()?;
        let mut arguments = Punctuated::<Expr, Token![,]>::new();
        if input.parse::<Option<Token![,]>>()?.is_some() {
            arguments = Punctuated::parse_terminated(input)?;
        }
        Ok(Call {
            format,
            arguments: arguments.into_iter().collect(),
        })
    }
}

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    let call: Call = syn::parse2(item)?;
    let span = call.format.span();
    let Format {
        pieces,
        placeholders,
    } = format::parse(&call.format.value()).map_err(|message| Error::new(span, message))?;

    let mut rest = call.arguments.iter();
    let mut arguments = Vec::new();
    for placeholder in &placeholders {
        let value = match &placeholder.argument {
            Argument::Named(name) => {
                let mut name: Ident = syn::parse_str(name).map_err(|_| {
                    Error::new(
                        span,
                        format!("`{{{name}}}` in the format is not the name of a variable"),
                    )
                })?;
                name.set_span(span);
                quote!(#name)
            }
            Argument::Next => match rest.next() {
                Some(expression) => quote!(#expression),
                None => {
                    let wanted = placeholders
                        .iter()
                        .filter(|p| matches!(p.argument, Argument::Next))
                        .count();
                    let message = format!(
                        "{wanted} placeholders in the format, {} arguments",
                        call.arguments.len()
                    );
                    return Err(Error::new(span, message));
                }
            },
        };
        arguments.push(convert(placeholder.conversion, &value));
    }
    if let Some(extra) = rest.next() {
        return Err(Error::new(
            extra.span(),
            "this argument has no `{}` in the format",
        ));
    }
    Ok(quote! {
        match (#(#arguments,)*) {
            // The type is declared in an inner block, which the arguments do not see. One of theirs
            // may be called `Text` too.
            arguments => {
                enum Text {}
                // SAFETY: `format::pieces` has doubled each `%` of the text.
                unsafe impl ::lanewise_std::printf::Text for Text {
                    const PIECES: &'static [&'static str] = &[#(#pieces),*];
                }
                ::lanewise_std::printf::print::<Text, _>(arguments)
            }
        }
    })
}

/// Wraps an argument in the conversion that its placeholder requires.
fn convert(conversion: Conversion, value: &TokenStream) -> TokenStream {
    let wrapper = match conversion {
        Conversion::Display => {
            return quote_spanned!(value.span()=> ::lanewise_std::printf::printable(#value));
        }
        Conversion::Fixed => quote!(Fixed),
        Conversion::LowerHex => quote!(LowerHex),
        Conversion::UpperHex => quote!(UpperHex),
        Conversion::Octal => quote!(Octal),
        Conversion::Exponent => quote!(Exponent),
        Conversion::Pointer => quote!(Pointer),
    };
    quote_spanned! {value.span()=>
        ::lanewise_std::printf::printable(::lanewise_std::printf::#wrapper(#value))
    }
}

#[cfg(test)]
mod tests {
    fn error(item: &str) -> String {
        let item = item.parse().expect("the case is Rust");
        super::expand(item)
            .expect_err("the call is wrong")
            .to_string()
    }

    #[test]
    fn arguments_are_counted() {
        assert_eq!(
            error(r#""{} {}", a"#),
            "2 placeholders in the format, 1 arguments"
        );
        assert_eq!(
            error(r#""{}", a, b"#),
            "this argument has no `{}` in the format"
        );
    }
}
