//! `shared!`: arrays in the shared memory of a block.
//!
//! Stock rustc has no address spaces. Each declaration calls a function of its own, which is
//! generic over a type made here (`of_declaration`). The builder
//! finds those functions in the bitcode and replaces each by a variable in shared memory.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Error, FnArg, Ident, ItemFn, Stmt, Token, Type, TypeArray, parse_quote};

/// `static NAME: [T; N];` or `static NAME: SharedTile<T, ROWS, COLUMNS>;`
struct Declaration {
    attributes: Vec<Attribute>,
    name: Ident,
    ty: Type,
}

impl Parse for Declaration {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        // A doc comment is allowed on the declaration. On a local variable it would
        // cause a warning.
        let mut attributes = input.call(Attribute::parse_outer)?;
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
        input.parse::<Token![static]>()?;
        if let Some(keyword) = input.parse::<Option<Token![mut]>>()? {
            return Err(Error::new(
                keyword.span(),
                "leave `mut` out: elements change through `set`",
            ));
        }
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty: Type = input.parse()?;
        if !matches!(ty, Type::Array(_) | Type::Path(_)) {
            return Err(Error::new(
                ty.span(),
                "shared memory holds arrays: write `[T; N]`, `SharedTile<T, ROWS, COLUMNS>` or `SharedLine<T, N>`",
            ));
        }
        if let Some(equals) = input.parse::<Option<Token![=]>>()? {
            let message = "shared memory has no initial value: `fill` a `SharedTile` or a `SharedLine`, or let each thread `set` its elements";
            return Err(Error::new(equals.span(), message));
        }
        input.parse::<Token![;]>()?;
        Ok(Declaration {
            attributes,
            name,
            ty,
        })
    }
}

impl ToTokens for Declaration {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Declaration {
            attributes,
            name,
            ty,
        } = self;
        tokens.extend(quote!(#(#attributes)* static #name: #ty;));
    }
}

pub(crate) fn expand(item: TokenStream) -> syn::Result<TokenStream> {
    Ok(declarations(item)?.iter().map(declaration).collect())
}

fn declarations(item: TokenStream) -> syn::Result<Vec<Declaration>> {
    let declarations = |input: ParseStream| {
        let mut all = Vec::new();
        while !input.is_empty() {
            all.push(input.parse::<Declaration>()?);
        }
        Ok(all)
    };
    syn::parse::Parser::parse2(declarations, item)
}

/// `SharedStages`, which a kernel's entry point makes, so that each thread has it from its start.
pub(crate) struct Stages(Declaration);

impl Stages {
    /// Takes the stages out of the `shared!` that is the first statement of a kernel.
    pub(crate) fn take(kernel: &mut ItemFn) -> syn::Result<Option<Self>> {
        let Some(Stmt::Macro(first)) = kernel.block.stmts.first_mut() else {
            return Ok(None);
        };
        let path = first.mac.path.segments.last();
        if path.is_none_or(|last| last.ident != "shared") {
            return Ok(None);
        }
        let Ok(all) = declarations(first.mac.tokens.clone()) else {
            return Ok(None); // `shared!` reports what is wrong
        };
        let (stages, others): (Vec<_>, Vec<_>) = all.into_iter().partition(Declaration::is_stages);
        match <[_; 1]>::try_from(stages) {
            Ok([stages]) => {
                first.mac.tokens = quote!(#(#others)*);
                Ok(Some(Stages(stages)))
            }
            Err(stages) => match stages.get(1) {
                None => Ok(None),
                Some(second) => Err(Error::new(
                    second.ty.span(),
                    "a kernel has one `SharedStages`: let its stages hold the cells of both",
                )),
            },
        }
    }

    /// Returns the parameter of the kernel's body.
    pub(crate) fn parameter(&self) -> FnArg {
        let Declaration {
            attributes,
            name,
            ty,
        } = &self.0;
        parse_quote!(#(#attributes)* #[allow(non_snake_case, unused_mut)] mut #name: #ty)
    }

    /// Returns its argument, in the entry point.
    pub(crate) fn argument(&self) -> TokenStream {
        let tag = tag(&self.0.name);
        quote!({
            #[allow(non_camel_case_types)]
            enum #tag {}
            ::lanewise_std::SharedStages::at_entry::<#tag>()
        })
    }
}

impl Declaration {
    fn is_stages(&self) -> bool {
        let Type::Path(path) = &self.ty else {
            return false;
        };
        let last = path.path.segments.last();
        last.is_some_and(|last| last.ident == "SharedStages")
    }
}

/// Returns the name of the type that tells a declaration from others.
fn tag(name: &Ident) -> Ident {
    format_ident!("Shared_{name}")
}

fn declaration(declaration: &Declaration) -> TokenStream {
    let Declaration {
        attributes,
        name,
        ty,
    } = declaration;
    let tag = tag(name);
    // An array of cells is the same for all who hold it. The types with phases are borrowed, so the
    // variable is `mut`.
    let (binding, array) = match ty {
        Type::Array(TypeArray { elem, len, .. }) => (
            quote!(#name),
            quote!(::lanewise_std::shared::SharedArray::<#elem, { #len }>::of_declaration::<#tag>()),
        ),
        ty => (
            quote!(mut #name),
            quote!(<#ty as ::lanewise_std::phased::Declared>::of_declaration::<#tag>()),
        ),
    };
    quote! {
        #(#attributes)*
        #[allow(non_snake_case, unused_mut)]
        let #binding = {
            #[allow(non_camel_case_types)]
            enum #tag {}
            #array
        };
    }
}

#[cfg(test)]
mod tests {
    fn error(item: &str) -> String {
        let item = item.parse().expect("the case is Rust");
        super::expand(item)
            .expect_err("the declaration is wrong")
            .to_string()
    }

    #[test]
    fn says_what_shared_memory_cannot_have() {
        assert!(
            error("static A: [f32; 8] = [0.0; 8];")
                .starts_with("shared memory has no initial value")
        );
        assert!(error("static mut A: [f32; 8];").starts_with("leave `mut` out"));
        assert!(error("static A: &[f32];").starts_with("shared memory holds arrays"));
    }

    #[test]
    fn declares_each_array() {
        let item = "/// Numbers.\nstatic A: [f32; 8]; static B: [[i32; N + 1]; N];"
            .parse()
            .expect("the case is Rust");
        let code = super::expand(item).expect("both are right").to_string();
        assert!(
            code.contains("let A =") && code.contains("let B ="),
            "{code}"
        );
    }
}
