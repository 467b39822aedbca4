//! Reads `#[launch_bounds(max, min)]`, `#[max_registers(64)]`, `#[cluster_launch(2, 1, 1)]` and
//! `#[cooperative_launch]`. Their values are constant expressions, which may name the kernel's
//! const parameters. The compiler checks them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, Token};

use super::companion::option;

/// Parses one expression, and as many more as there may be.
fn values(input: ParseStream, most: usize, too_many: &str) -> syn::Result<Vec<Expr>> {
    if input.is_empty() {
        return Err(input.error("expected a number"));
    }
    let values = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
    match values.iter().nth(most) {
        Some(further) => Err(Error::new_spanned(further, too_many)),
        None => Ok(values.into_iter().collect()),
    }
}

/// Returns the value as a `u32`, of whatever type it is. The cast is the macro's: Clippy would call
/// it unnecessary at the place of a literal.
fn number(value: &Expr) -> TokenStream {
    quote!((#value) as u32)
}

/// The largest block, and how many blocks have to fit on a multiprocessor.
pub(super) struct LaunchBounds(Vec<Expr>);

impl Parse for LaunchBounds {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        values(input, 2, "launch bounds are one or two numbers").map(LaunchBounds)
    }
}

impl ToTokens for LaunchBounds {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let max = number(&self.0[0]);
        let min = option(self.0.get(1).map(|min| {
            let blocks = number(min);
            quote_spanned!(min.span()=> {
                let blocks = #blocks;
                ::core::assert!(blocks > 0, "at least one block has to fit; leave the second number out");
                blocks
            })
        }));
        tokens.extend(quote_spanned! {self.0[0].span()=> {
            let max_threads = #max;
            ::core::assert!(::core::matches!(max_threads, 1..=1024), "a block has 1 to 1024 threads");
            ::lanewise_std::kernel::LaunchBounds { max_threads, min_blocks: #min }
        }});
    }
}

/// The most registers that a thread may have.
pub(super) struct MaxRegisters(Vec<Expr>);

impl Parse for MaxRegisters {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        values(input, 1, "there is one number of registers").map(MaxRegisters)
    }
}

impl ToTokens for MaxRegisters {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let count = number(&self.0[0]);
        tokens.extend(quote_spanned! {self.0[0].span()=> {
            let count = #count;
            ::core::assert!(::core::matches!(count, 16..=255), "a thread has 16 to 255 registers");
            count
        }});
    }
}

/// The cluster's shape in blocks.
pub(super) struct Cluster(Vec<Expr>);

impl Parse for Cluster {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        values(input, 3, "a cluster has 1, 2 or 3 sizes").map(Cluster)
    }
}

impl ToTokens for Cluster {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let sizes = [0, 1, 2].map(|axis| match self.0.get(axis) {
            Some(size) => number(size),
            None => quote!(1),
        });
        // 8 blocks fit on every GPU with clusters. A larger cluster depends on the device, and the
        // launch returns an error if it does not fit.
        tokens.extend(quote_spanned! {self.0[0].span()=> {
            let [x, y, z]: [u32; 3] = [#(#sizes),*];
            ::core::assert!(
                ::core::matches!(x as u128 * y as u128 * z as u128, 1..=16),
                "a cluster has 1 to 16 blocks in all"
            );
            [x, y, z]
        }});
    }
}

/// All blocks of a grid are on the device at once. The attribute has no options.
pub(super) struct Cooperative;

impl Parse for Cooperative {
    fn parse(_: ParseStream) -> syn::Result<Self> {
        Ok(Cooperative)
    }
}
