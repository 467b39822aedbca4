//! `#[fast_math]` and `#[no_fma]`: a function that says how its floats are computed with.
//!
//! The function begins with a call of a symbol that the builder knows, and rustc keeps the function apart so that the call
//! stands for this function alone. The builder flags the operations, removes the call and lets the function be inlined.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, ItemFn, parse_quote};

/// The attributes' names.
const NAMES: [&str; 2] = ["fast_math", "no_fma"];

/// Adds the call of `marker`.
pub(crate) fn expand(marker: &str, item: TokenStream) -> syn::Result<TokenStream> {
    let mut function: ItemFn = syn::parse2(item)?;
    let marker = format_ident!("{marker}");
    if !is_apart(&function.attrs) {
        function.attrs.push(parse_quote!(#[inline(never)]));
    }
    let body = &function.block;
    function.block = parse_quote!({
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the builder takes the call out again.
        unsafe {
            ::gpu_std::math::#marker()
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
