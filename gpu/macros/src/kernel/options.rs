//! The options in the parentheses of `#[kernel(..)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Ident, Lit, LitStr, Token, Type, parenthesized};

/// The options of one kernel.
#[derive(Default)]
pub(super) struct Options {
    /// `instances(..)`: the values and types of the generic parameters, one group for
    /// each entry point.
    pub(super) instances: Option<Vec<Group>>,
    /// `min_arch = ".."`: the oldest target that supports what the kernel uses.
    pub(super) min_arch: Option<String>,
    /// `launches`: the kernel launches kernels. Its module has to be linked with
    /// the device runtime.
    pub(super) launches: bool,
}

/// One entry of `instances(..)`: `16` or `f32`, or `(f32, 2)` for two parameters.
pub(super) struct Group(pub(super) Vec<Argument>);

/// The argument for one generic parameter.
pub(super) enum Argument {
    /// For a const parameter.
    Value(Lit),
    /// For a type parameter.
    Type(Box<Type>),
}

impl Parse for Argument {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.peek(Lit) {
            input.parse().map(Argument::Value)
        } else {
            input.parse().map(Argument::Type)
        }
    }
}

impl ToTokens for Argument {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Argument::Value(value) => tokens.extend(quote!({ #value })),
            Argument::Type(ty) => ty.to_tokens(tokens),
        }
    }
}

impl Parse for Options {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut options = Options::default();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            match name.to_string().as_str() {
                "instances" => {
                    let content;
                    parenthesized!(content in input);
                    let groups = Punctuated::<Group, Token![,]>::parse_terminated(&content)?;
                    if groups.is_empty() {
                        return Err(Error::new(
                            name.span(),
                            "`instances` lists no value; write `instances(16, 32)`",
                        ));
                    }
                    options.instances = Some(groups.into_iter().collect());
                }
                "min_arch" => {
                    input.parse::<Token![=]>()?;
                    options.min_arch = Some(arch(&input.parse()?)?);
                }
                "launches" => options.launches = true,
                other => {
                    let message = format!(
                        "`{other}` is not an option of `#[kernel]`; there are `instances(..)`, `min_arch = \"sm_..\"` and `launches`"
                    );
                    return Err(Error::new(name.span(), message));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

impl Parse for Group {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if !input.peek(syn::token::Paren) {
            return Ok(Group(vec![input.parse()?]));
        }
        let content;
        parenthesized!(content in input);
        Ok(Group(
            Punctuated::<Argument, Token![,]>::parse_terminated(&content)?
                .into_iter()
                .collect(),
        ))
    }
}

/// Checks a target such as `sm_90` or `sm_100a`: three characters and a number, with the suffix of
/// an architecture- or family-specific target.
fn arch(text: &LitStr) -> syn::Result<String> {
    let value = text.value();
    let number = value
        .strip_prefix("sm_")
        .map(|rest| rest.trim_end_matches(['a', 'f']));
    match number {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(value)
        }
        _ => Err(Error::new(
            text.span(),
            format!("`{value}` is not a target; write one as `sm_90`"),
        )),
    }
}
