//! `#[fast_math]` and `#[no_fma]`: attributes that set how a function's floats are computed.
//!
//! The function begins with a call of a marker symbol, and rustc does not inline the function, so
//! the marker applies to this function alone. The builder sets the flags of the operations, removes
//! the call and allows the function to be inlined.

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
    // The author's attribute for inlining is for the builder's optimiser. rustc must not inline the
    // function, because the marker would then apply to the caller.
    function
        .attrs
        .retain(|attr| !attr.path().is_ident("inline"));
    function.attrs.push(parse_quote!(#[inline(never)]));
    let body = &function.block;
    function.block = parse_quote!({
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the builder removes the call.
        unsafe {
            ::lanewise_std::math::#marker()
        }
        #body
    });
    let mut tokens = TokenStream::new();
    function.to_tokens(&mut tokens);
    Ok(quote!(#tokens))
}

/// Returns whether a function is already protected from inlining, or will be.
pub(crate) fn is_apart(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let last = attr.path().segments.last();
        last.is_some_and(|last| {
            last.ident == "inline" || NAMES.iter().any(|name| last.ident == name)
        })
    })
}
