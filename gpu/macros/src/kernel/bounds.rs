//! Reads `#[launch_bounds(max, min)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitInt, Token};

use super::companion::option;

/// The most threads that CUDA allows in a block on any device.
const MAX_THREADS: u32 = 1024;

/// The values of `#[launch_bounds]`.
#[derive(Clone, Copy)]
pub(super) struct LaunchBounds {
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

impl ToTokens for LaunchBounds {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let LaunchBounds {
            max_threads,
            min_blocks,
        } = self;
        let min_blocks = option(min_blocks.as_ref());
        tokens.extend(quote! {
            ::lanewise_std::kernel::LaunchBounds { max_threads: #max_threads, min_blocks: #min_blocks }
        });
    }
}
