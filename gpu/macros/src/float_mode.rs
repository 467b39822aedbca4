//! `#[fast_math]` and `#[no_fma]`: a function that says how its floats are computed with.
//!
//! The function begins with a call of a symbol that the builder knows, and rustc keeps the function
//! apart so that the call stands for this function alone. The builder flags the operations, removes
//! the call and lets the function be inlined.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Error, parse_quote};

/// The attributes' names.
const NAMES: [&str; 2] = ["fast_math", "no_fma"];

/// Adds the call of the marker of the attribute `name`.
pub(crate) fn expand(
    name: &str,
    options: TokenStream,
    item: TokenStream,
) -> syn::Result<TokenStream> {
    if !options.is_empty() {
        return Err(Error::new_spanned(
            options,
            format!("`#[{name}]` has no options"),
        ));
    }
    let mut function = crate::item::function(item, name)?;
    let marker = format_ident!("__lanewise_{name}");
    // What the author says of inlining holds for the builder's optimiser, which is told to inline;
    // rustc must not, or the call would stand for the caller.
    function
        .attrs
        .retain(|attr| !attr.path().is_ident("inline"));
    function.attrs.push(parse_quote!(#[inline(never)]));
    let body = &function.block;
    function.block = parse_quote!({
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the builder takes the call out again.
        unsafe {
            ::lanewise_std::math::#marker()
        }
        #body
    });
    let mut tokens = TokenStream::new();
    function.to_tokens(&mut tokens);
    Ok(quote!(#tokens))
}

/// Whether a function is kept apart from its callers already, or will be.
pub(crate) fn is_apart(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let last = attr.path().segments.last();
        last.is_some_and(|last| {
            last.ident == "inline" || NAMES.iter().any(|name| last.ident == name)
        })
    })
}
