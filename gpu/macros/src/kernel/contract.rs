//! `#[launch_contract(dims = 2, block = (32, 8), grid = (..=64, 1), whole_warps)]`, and the clauses
//! of [`lengths`](super::lengths).

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Ident, LitInt, RangeLimits, Token, parse_quote};

use super::companion::option;
use super::lengths::Clause;
use super::signature::Param;

/// The kernel's requirements for its launch.
pub(super) struct Contract {
    dimensions: u32,
    /// The block's shape; its sizes may name const parameters.
    block: Option<Vec<Expr>>,
    /// The grid's sizes: numbers, or ranges of them.
    grid: Option<Vec<Expr>>,
    whole_warps: bool,
    lengths: Vec<Clause>,
}

impl Parse for Contract {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut contract = Contract {
            dimensions: 3,
            block: None,
            grid: None,
            whole_warps: false,
            lengths: Vec::new(),
        };
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            match name.to_string().as_str() {
                "dims" => {
                    input.parse::<Token![=]>()?;
                    let dimensions: LitInt = input.parse()?;
                    contract.dimensions = dimensions.base10_parse()?;
                    if !(1..=3).contains(&contract.dimensions) {
                        return Err(Error::new(
                            dimensions.span(),
                            "a launch has 1, 2 or 3 dimensions",
                        ));
                    }
                }
                "block" => {
                    let wrong = "a block has 1, 2 or 3 sizes: `block = 256`, `block = (32, 8)`";
                    contract.block = Some(sizes(input, &name, wrong)?);
                }
                "grid" => {
                    let wrong = "a grid has 1, 2 or 3 sizes: `grid = 1`, `grid = ..=64`, `grid = (..=64, 2..=8)`";
                    let sizes = sizes(input, &name, wrong)?;
                    sizes.iter().try_for_each(check_range)?;
                    contract.grid = Some(sizes);
                }
                "whole_warps" => contract.whole_warps = true,
                "len" => contract.lengths.push(input.parse()?),
                other => {
                    let message = format!(
                        "`{other}` is not a clause of `#[launch_contract]`; there are `dims = 1`, `block = (32, 8)`, `grid = ..=64`, \
                         `whole_warps` and `len(a) == len(b)`"
                    );
                    return Err(Error::new(name.span(), message));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(contract)
    }
}

impl Contract {
    /// Returns the sizes of the block along x, y and z, if the contract fixes them.
    pub(super) fn block(&self) -> Option<[TokenStream; 3]> {
        let sizes = self.block.as_ref()?;
        Some([0, 1, 2].map(|axis| match sizes.get(axis) {
            Some(size) => quote!((#size) as u32),
            None => quote!(1),
        }))
    }
}

/// Parses `= 256` or `= (32, 8)`.
fn sizes(input: ParseStream, name: &Ident, wrong: &str) -> syn::Result<Vec<Expr>> {
    input.parse::<Token![=]>()?;
    let sizes = match input.parse()? {
        Expr::Tuple(shape) => shape.elems.into_iter().collect(),
        Expr::Paren(size) => vec![*size.expr],
        size => vec![size],
    };
    if !(1..=3).contains(&sizes.len()) {
        return Err(Error::new(name.span(), wrong));
    }
    Ok(sizes)
}

/// Checks that a range has an upper bound, which must be inclusive.
fn check_range(size: &Expr) -> syn::Result<()> {
    match size {
        Expr::Range(range)
            if range.end.is_none() || matches!(range.limits, RangeLimits::HalfOpen(_)) =>
        {
            Err(Error::new_spanned(
                size,
                "how many blocks there may be is a number, or a range with its last: `..=64`, `2..=8`",
            ))
        }
        _ => Ok(()),
    }
}

/// Returns the fewest and the most blocks along an axis.
fn grid_size(size: &Expr) -> TokenStream {
    let (least, most) = match size {
        Expr::Range(range) => {
            let least = range
                .start
                .as_ref()
                .map_or(quote!(1), ToTokens::to_token_stream);
            (least, range.end.to_token_stream())
        }
        size => (size.to_token_stream(), size.to_token_stream()),
    };
    quote! {
        ::lanewise_std::kernel::GridSize { least: (#least) as u32, most: (#most) as u32 }
    }
}

impl Contract {
    /// Checks that the names in clauses about lengths are those of parameters.
    pub(super) fn check_names(&self, params: &[Param]) -> syn::Result<()> {
        self.lengths
            .iter()
            .try_for_each(|clause| clause.check(params))
    }

    /// Writes the contract as a `LaunchContract`.
    pub(super) fn constant(&self, params: &[Param]) -> TokenStream {
        let Contract {
            dimensions,
            grid,
            whole_warps,
            ..
        } = self;
        let block = option(self.block().map(|sizes| quote!([#(#sizes),*])));
        let grid = option(grid.as_ref().map(|sizes| {
            let ones = std::iter::repeat_n(parse_quote!(1), 3 - sizes.len());
            let sizes = sizes
                .iter()
                .cloned()
                .chain(ones)
                .map(|size| grid_size(&size));
            quote!([#(#sizes),*])
        }));
        let lengths = self.lengths.iter().map(|clause| clause.constant(params));
        quote! {
            ::lanewise_std::kernel::LaunchContract {
                dimensions: #dimensions,
                block: #block,
                grid: #grid,
                whole_warps: #whole_warps,
                narrow: true,
                lengths: &[#(#lengths),*],
            }
        }
    }

    /// Writes the statements by which the entry point assumes the contract.
    pub(super) fn assumptions(&self, params: &[Param]) -> TokenStream {
        let shape = self.constant(params);
        let lengths = self.lengths.iter().map(|clause| clause.assumption(params));
        quote!(const { #shape }.assume(); #(#lengths)*)
    }

    /// Writes what compiles only if the clauses about lengths fit the parameters' types.
    pub(super) fn bounds(&self, params: &[Param]) -> TokenStream {
        let lengths = self.lengths.iter().map(|clause| clause.bounds(params));
        lengths.collect()
    }
}
