//! `#[launch_contract(dims = 2, block = (32, 8), whole_warps)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Ident, LitInt, Token};

use super::companion::option;

/// What a kernel asks of its launch.
pub(super) struct Contract {
    dimensions: u32,
    /// The block's shape; its sizes may name const parameters.
    block: Option<Vec<Expr>>,
    whole_warps: bool,
}

impl Parse for Contract {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut contract = Contract {
            dimensions: 3,
            block: None,
            whole_warps: false,
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
                    input.parse::<Token![=]>()?;
                    let sizes = match input.parse()? {
                        Expr::Tuple(shape) => shape.elems.into_iter().collect(),
                        Expr::Paren(size) => vec![*size.expr],
                        size => vec![size],
                    };
                    if !(1..=3).contains(&sizes.len()) {
                        return Err(Error::new(
                            name.span(),
                            "a block has 1, 2 or 3 sizes: `block = 256`, `block = (32, 8)`",
                        ));
                    }
                    contract.block = Some(sizes);
                }
                "whole_warps" => contract.whole_warps = true,
                other => {
                    let message = format!(
                        "`{other}` is not a clause of `#[launch_contract]`; there are `dims = 1`, `block = (32, 8)` and \
                         `whole_warps`"
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

impl ToTokens for Contract {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Contract {
            dimensions,
            block,
            whole_warps,
        } = self;
        let block = option(block.as_ref().map(|sizes| {
            let ones = std::iter::repeat_n(quote!(1), 3 - sizes.len());
            let sizes = sizes.iter().map(|size| quote!((#size) as u32)).chain(ones);
            quote!([#(#sizes),*])
        }));
        tokens.extend(quote! {
            ::lanewise_std::kernel::LaunchContract {
                dimensions: #dimensions,
                block: #block,
                whole_warps: #whole_warps,
                narrow: true,
            }
        });
    }
}
