//! `#[launch_bounds(max, min)]`, which goes with `#[kernel]` in either order.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, ItemFn, LitInt, Token, parse_quote};

/// The most threads that CUDA allows in a block on any device.
const MAX_THREADS: u32 = 1024;

/// What `#[launch_bounds]` promised.
#[derive(Clone, Copy)]
pub(crate) struct LaunchBounds {
    pub(super) max_threads: u32,
    pub(super) min_blocks: Option<u32>,
}

impl Parse for LaunchBounds {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let max: LitInt = input.parse()?;
        let max_threads = max.base10_parse()?;
        if !(1..=MAX_THREADS).contains(&max_threads) {
            let message = format!("a block has 1 to {MAX_THREADS} threads, not {max_threads}");
            return Err(Error::new(max.span(), message));
        }
        let mut min_blocks = None;
        if input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let min: LitInt = input.parse()?;
            min_blocks = Some(min.base10_parse()?);
            if min_blocks == Some(0) {
                return Err(Error::new(
                    min.span(),
                    "at least one block has to fit; leave the second number out",
                ));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(LaunchBounds {
            max_threads,
            min_blocks,
        })
    }
}

/// Takes `#[launch_bounds]` off a kernel's attributes, if it is there.
pub(super) fn take(attrs: &mut Vec<Attribute>) -> syn::Result<Option<LaunchBounds>> {
    let mut found = None;
    for attr in attrs.extract_if(.., |attr| is(attr, "launch_bounds")) {
        if found.is_some() {
            return Err(Error::new_spanned(
                &attr,
                "`#[launch_bounds]` stands here twice",
            ));
        }
        found = Some(attr.parse_args()?);
    }
    Ok(found)
}

/// The attribute by itself: it ran before `#[kernel]`, so it moves behind it.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let mut function: ItemFn = syn::parse2(item)?;
    let Some(kernel) = function.attrs.iter().position(|attr| is(attr, "kernel")) else {
        return Err(Error::new_spanned(
            &function.sig.ident,
            "`#[launch_bounds]` goes with `#[kernel]`, which is not here",
        ));
    };
    function
        .attrs
        .insert(kernel + 1, parse_quote!(#[launch_bounds(#options)]));
    Ok(function.into_token_stream())
}

/// True for `#[name]` and `#[any::path::name]`.
fn is(attr: &Attribute, name: &str) -> bool {
    attr.path()
        .segments
        .last()
        .is_some_and(|segment| segment.ident == name)
}

impl ToTokens for LaunchBounds {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let LaunchBounds {
            max_threads,
            min_blocks,
        } = self;
        let min_blocks = match min_blocks {
            Some(blocks) => quote!(::core::option::Option::Some(#blocks)),
            None => quote!(::core::option::Option::None),
        };
        tokens.extend(quote! {
            ::gpu_std::kernel::LaunchBounds { max_threads: #max_threads, min_blocks: #min_blocks }
        });
    }
}
