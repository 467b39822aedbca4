//! The item that an attribute is applied to.

use proc_macro2::TokenStream;
use syn::{Error, Item, ItemFn};

/// Returns the function that an attribute is applied to.
///
/// # Errors
/// The item is not a function. The message names `attribute`.
pub(crate) fn function(item: TokenStream, attribute: &str) -> syn::Result<ItemFn> {
    match syn::parse2(item)? {
        Item::Fn(function) => Ok(function),
        other => Err(Error::new_spanned(
            other,
            format!("`#[{attribute}]` goes on a function"),
        )),
    }
}
