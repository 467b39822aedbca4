//! Attributes that are used together with `#[kernel]`, in either order.
//!
//! `#[kernel]` removes those below it from the function and reads them. One above it runs first,
//! and moves itself below.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse::Parse;
use syn::{Attribute, Error, Meta, parse_quote};

/// Removes `#[name(..)]` from a kernel's attributes and returns it, if it is there.
pub(super) fn take<T: Parse>(attrs: &mut Vec<Attribute>, name: &str) -> syn::Result<Option<T>> {
    let mut found = None;
    for attr in attrs.extract_if(.., |attr| is(attr, name)) {
        if found.is_some() {
            return Err(Error::new_spanned(
                &attr,
                format!("`#[{name}]` stands here twice"),
            ));
        }
        found = Some(match &attr.meta {
            Meta::Path(_) => syn::parse2(TokenStream::new())?,
            _ => attr.parse_args()?,
        });
    }
    Ok(found)
}

/// Expands the attribute when it runs by itself: it moves below `#[kernel]`.
pub(crate) fn expand(
    name: &str,
    options: TokenStream,
    item: TokenStream,
) -> syn::Result<TokenStream> {
    let mut function = crate::item::function(item, name)?;
    let Some(kernel) = function.attrs.iter().position(|attr| is(attr, "kernel")) else {
        let message = format!("`#[{name}]` goes with `#[kernel]`, which is not here");
        return Err(Error::new_spanned(&function.sig.ident, message));
    };
    let name = format_ident!("{name}");
    function
        .attrs
        .insert(kernel + 1, parse_quote!(#[#name(#options)]));
    Ok(function.into_token_stream())
}

/// Returns true for `#[name]` and `#[any::path::name]`.
fn is(attr: &Attribute, name: &str) -> bool {
    attr.path()
        .segments
        .last()
        .is_some_and(|segment| segment.ident == name)
}

/// Writes an `Option` as an expression.
pub(super) fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
