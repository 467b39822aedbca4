//! What an attribute stands on.

use proc_macro2::TokenStream;
use syn::{Error, Item, ItemFn};

/// The function that an attribute stands on.
///
/// # Errors
/// The item is not a function; `attribute` is named in the message.
pub(crate) fn function(item: TokenStream, attribute: &str) -> syn::Result<ItemFn> {
    match syn::parse2(item)? {
        Item::Fn(function) => Ok(function),
        other => Err(Error::new_spanned(
            other,
            format!("`#[{attribute}]` goes on a function"),
        )),
    }
}
