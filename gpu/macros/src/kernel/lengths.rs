//! Clauses of `#[launch_contract]` about lengths: `len(a) == len(b)`, `len(c) >= rows * columns`.
//!
//! The host evaluates a clause with the arguments of a launch, and the entry point assumes it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{Error, ExprPath, Ident, LitInt, Token, Type, parenthesized};

use super::signature::Param;

/// A clause, without the word `len` that it begins with.
pub(super) struct Clause {
    slice: Ident,
    may_be_longer: bool,
    factors: Vec<Factor>,
    text: String,
}

/// A factor of the number that a length is compared with.
enum Factor {
    Length(Ident),
    /// A parameter or a constant.
    Name(ExprPath),
    Literal(LitInt),
}

impl Parse for Clause {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let slice = parameter(input)?;
        let relation = input.span();
        let may_be_longer = if input.parse::<Option<Token![==]>>()?.is_some() {
            false
        } else if input.parse::<Option<Token![>=]>>()?.is_some() {
            true
        } else {
            return Err(Error::new(
                relation,
                "expected `==` or `>=` after `len(..)`",
            ));
        };
        let mut factors = vec![input.parse()?];
        while input.parse::<Option<Token![*]>>()?.is_some() {
            factors.push(input.parse()?);
        }
        let relation = if may_be_longer { ">=" } else { "==" };
        let product: Vec<_> = factors.iter().map(Factor::text).collect();
        let text = format!("len({slice}) {relation} {}", product.join(" * "));
        Ok(Clause {
            slice,
            may_be_longer,
            factors,
            text,
        })
    }
}

impl Parse for Factor {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let wrong = |span| {
            let message = "a length is compared with a product of lengths, parameters and constants: `len(a)`, `n * m`, `4`";
            Error::new(span, message)
        };
        if input.peek(Ident) && input.peek2(Paren) {
            let name: Ident = input.parse()?;
            return match name == "len" {
                true => parameter(input).map(Factor::Length),
                false => Err(wrong(name.span())),
            };
        }
        let span = input.span();
        if input.peek(LitInt) {
            input.parse().map(Factor::Literal)
        } else {
            input.parse().map(Factor::Name).map_err(|_| wrong(span))
        }
    }
}

/// Parses a parameter's name in parentheses: `(a)`.
fn parameter(input: ParseStream) -> syn::Result<Ident> {
    let content;
    parenthesized!(content in input);
    content.parse()
}

impl Factor {
    fn text(&self) -> String {
        match self {
            Factor::Length(of) => format!("len({of})"),
            Factor::Name(path) => path.to_token_stream().to_string().replace(' ', ""),
            Factor::Literal(literal) => literal.to_token_stream().to_string(),
        }
    }
}

/// What a factor is, given the kernel's parameters.
enum Of<'a> {
    Length(usize, &'a Param),
    Value(usize, &'a Param),
    Constant(TokenStream),
}

/// Finds the parameter of this name.
fn find<'a>(params: &'a [Param], name: &Ident) -> Option<(usize, &'a Param)> {
    params.iter().enumerate().find(|(_, it)| it.name == *name)
}

fn slice<'a>(params: &'a [Param], name: &Ident) -> syn::Result<(usize, &'a Param)> {
    find(params, name)
        .ok_or_else(|| Error::new(name.span(), format!("the kernel has no parameter `{name}`")))
}

impl Clause {
    /// Checks that the names are those of parameters.
    pub(super) fn check(&self, params: &[Param]) -> syn::Result<()> {
        slice(params, &self.slice)?;
        self.factors(params).map(drop)
    }

    fn factors<'a>(&self, params: &'a [Param]) -> syn::Result<Vec<Of<'a>>> {
        let of = |factor: &Factor| match factor {
            Factor::Length(name) => {
                let (at, param) = slice(params, name)?;
                Ok(Of::Length(at, param))
            }
            Factor::Name(path) => {
                let param = path.path.get_ident().and_then(|name| find(params, name));
                Ok(match param {
                    Some((at, param)) => Of::Value(at, param),
                    None => Of::Constant(path.to_token_stream()),
                })
            }
            Factor::Literal(literal) => Ok(Of::Constant(literal.to_token_stream())),
        };
        self.factors.iter().map(of).collect()
    }

    /// Writes the clause as a `LengthClause`.
    pub(super) fn constant(&self, params: &[Param]) -> TokenStream {
        let (Ok((at, _)), Ok(factors)) = (slice(params, &self.slice), self.factors(params)) else {
            return TokenStream::new();
        };
        let (text, may_be_longer) = (&self.text, self.may_be_longer);
        let kernel = quote!(::lanewise_std::kernel);
        let factors = factors.into_iter().map(|factor| match factor {
            Of::Length(at, _) => quote!(#kernel::Factor::Length(#at)),
            Of::Value(at, _) => quote!(#kernel::Factor::Number(#at)),
            Of::Constant(number) => quote!(#kernel::Factor::Constant((#number) as u64)),
        });
        quote! {
            #kernel::LengthClause {
                text: #text,
                slice: #at,
                may_be_longer: #may_be_longer,
                factors: &[#(#factors),*],
            }
        }
    }

    /// Writes the statement by which the entry point assumes the clause, from its own parameters.
    pub(super) fn assumption(&self, params: &[Param]) -> TokenStream {
        let (Ok((_, own)), Ok(factors)) = (slice(params, &self.slice), self.factors(params)) else {
            return TokenStream::new();
        };
        let factors = factors.into_iter().map(|factor| match factor {
            Of::Length(_, param) => param.length_name().to_token_stream(),
            Of::Value(_, param) => {
                let name = param.passed_name();
                quote!(::lanewise_std::kernel::Count::count(#name))
            }
            Of::Constant(number) => quote!(((#number) as usize)),
        });
        let product = factors.reduce(|product, factor| quote!(#product.unchecked_mul(#factor)));
        let own = own.length_name();
        let relation = if self.may_be_longer {
            quote!(>=)
        } else {
            quote!(==)
        };
        quote!(::core::hint::assert_unchecked(#own #relation #product);)
    }

    /// Writes what compiles only if the parameters have lengths and counts.
    pub(super) fn bounds(&self, params: &[Param]) -> TokenStream {
        let check = |ty: &Type, is: TokenStream, bound: &str| {
            let bound = Ident::new(bound, ty.span());
            quote_spanned!(ty.span()=> const _: () = {
                const fn check<T: ::lanewise_std::kernel::#bound>() {}
                check::<#is>()
            };)
        };
        let has_length = |param: &Param| {
            let ty = &param.ty;
            check(ty, quote!(fn(#ty)), "HasLength")
        };
        let own = slice(params, &self.slice).map(|(_, param)| has_length(param));
        let others = self.factors(params).unwrap_or_default().into_iter();
        let others = others.map(|factor| match factor {
            Of::Length(_, param) => has_length(param),
            Of::Value(_, param) => check(&param.ty, param.ty.to_token_stream(), "Count"),
            Of::Constant(_) => TokenStream::new(),
        });
        own.into_iter().chain(others).collect()
    }
}
