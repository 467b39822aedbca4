//! The entry points of a kernel: one, or one for each listed value of its const parameters.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Error, Ident, ItemFn, Lit};

use super::Kernel;
use super::options::Group;

/// One entry point.
pub(super) struct Instance {
    /// The symbol in the PTX, where no other kernel has it: the function's name, with the values behind it (`matmul_shared_16`).
    pub(super) symbol: String,
    /// The values of the const parameters; none for a plain function.
    pub(super) values: Vec<Lit>,
}

impl Kernel {
    /// Items of one entry point, in a scope where the const parameters are constants with its values: parameter types and the
    /// launch contract may name them. The scope is the macro's own, so that entry points do not meet.
    pub(super) fn scope(&self, instance: &Instance, items: TokenStream) -> TokenStream {
        let parameters = self.function.sig.generics.const_params();
        let constants = parameters.zip(&instance.values).map(|(parameter, value)| {
            let (name, ty) = (&parameter.ident, &parameter.ty);
            quote!(#[allow(dead_code)] const #name: #ty = #value;)
        });
        quote! {
            const _: () = {
                #(#constants)*
                #items
            };
        }
    }
}

/// Pairs a function's const parameters with the values listed for them.
pub(super) fn of(function: &ItemFn, groups: Option<Vec<Group>>) -> syn::Result<Vec<Instance>> {
    let name = &function.sig.ident;
    let parameters: Vec<&Ident> = function
        .sig
        .generics
        .const_params()
        .map(|parameter| &parameter.ident)
        .collect();
    let Some(groups) = groups else {
        return match parameters.first() {
            None => Ok(vec![Instance {
                symbol: name.unraw().to_string(),
                values: Vec::new(),
            }]),
            Some(first) => {
                let message = format!(
                    "PTX has no generics: list the values of `{first}` that are wanted, `#[kernel(instances(16, 32))]`"
                );
                Err(Error::new(first.span(), message))
            }
        };
    };
    if parameters.is_empty() {
        let message =
            format!("`{name}` has no const parameter, so there is nothing to instantiate");
        return Err(Error::new(name.span(), message));
    }
    groups
        .into_iter()
        .map(|group| instance(name, &parameters, group))
        .collect()
}

fn instance(name: &Ident, parameters: &[&Ident], Group(values): Group) -> syn::Result<Instance> {
    if values.len() != parameters.len() {
        let span = values.first().map_or_else(|| name.span(), Lit::span);
        let message = format!(
            "`{name}` has {} const parameters, here are {} values",
            parameters.len(),
            values.len()
        );
        return Err(Error::new(span, message));
    }
    let mut symbol = name.unraw().to_string();
    for value in &values {
        symbol.push('_');
        symbol.push_str(&match value {
            Lit::Int(value) => value.base10_digits().to_owned(),
            Lit::Bool(value) => value.value.to_string(),
            other => {
                return Err(Error::new(
                    other.span(),
                    "a value is a whole number, `true` or `false`",
                ));
            }
        });
    }
    Ok(Instance { symbol, values })
}
