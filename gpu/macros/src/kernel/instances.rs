//! The entry points of a kernel: one, or one for each listed group of values and types of
//! its generic parameters.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{Error, Expr, ExprLit, GenericArgument, GenericParam, Ident, ItemFn, Lit, Path, Type};

use super::Kernel;
use super::options::{Argument, Group};
use crate::symbol;

/// One entry point.
pub(super) struct Instance {
    /// The symbol in the PTX, if no other kernel has it. It is the function's name, followed by the
    /// values and types (`matmul_shared_16`, `scale_f32`).
    pub(super) symbol: String,
    /// The values of the generic parameters. A plain function has none.
    pub(super) arguments: Vec<Argument>,
}

impl Kernel {
    /// Writes items of one entry point, in a scope where the generic parameters are constants and
    /// types. Parameter types and the launch contract may name them. Each entry point has a scope
    /// of its own, so the names of two entry points do not conflict.
    pub(super) fn scope(&self, instance: &Instance, items: TokenStream) -> TokenStream {
        let bound = self
            .function
            .sig
            .generics
            .params
            .iter()
            .zip(&instance.arguments);
        let names = bound.map(|(parameter, argument)| match (parameter, argument) {
            (GenericParam::Const(parameter), Argument::Value(value)) => {
                let (name, ty) = (&parameter.ident, &parameter.ty);
                quote!(#[allow(dead_code)] const #name: #ty = #value;)
            }
            (GenericParam::Type(parameter), Argument::Type(ty)) => {
                let name = &parameter.ident;
                quote!(#[allow(dead_code)] type #name = #ty;)
            }
            _ => TokenStream::new(),
        });
        quote! {
            const _: () = {
                #(#names)*
                #items
            };
        }
    }

    /// Returns whether there is a type among the generic parameters.
    pub(super) fn has_types(&self) -> bool {
        self.function.sig.generics.type_params().next().is_some()
    }

    /// Returns a type of the signature with the parameters replaced by the instance's types and
    /// values.
    pub(super) fn filled(&self, mut ty: Type, instance: &Instance) -> Type {
        let parameters = self.function.sig.generics.params.iter();
        let mut fill = Fill::default();
        for bound in parameters.zip(&instance.arguments) {
            match bound {
                (GenericParam::Type(parameter), Argument::Type(ty)) => {
                    fill.types.push((&parameter.ident, ty));
                }
                (GenericParam::Const(parameter), Argument::Value(value)) => {
                    fill.values.push((&parameter.ident, value));
                }
                _ => {}
            }
        }
        fill.visit_type_mut(&mut ty);
        ty
    }
}

/// Replaces names by types and by values.
#[derive(Default)]
struct Fill<'a> {
    types: Vec<(&'a Ident, &'a Type)>,
    values: Vec<(&'a Ident, &'a Lit)>,
}

impl Fill<'_> {
    /// Returns the value for a path, if it is the name of one.
    fn value(&self, path: &Path) -> Option<Expr> {
        let (_, value) = self.values.iter().find(|(name, _)| path.is_ident(*name))?;
        Some(Expr::Lit(ExprLit {
            attrs: Vec::new(),
            lit: (*value).clone(),
        }))
    }
}

impl VisitMut for Fill<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        let named = |(name, _): &&(&Ident, &Type)| matches!(ty, Type::Path(path) if path.path.is_ident(*name));
        match self.types.iter().find(named) {
            Some((_, by)) => *ty = (*by).clone(),
            None => visit_mut::visit_type_mut(self, ty),
        }
    }

    // A value's name among the arguments of a type reads as the name of a type.
    fn visit_generic_argument_mut(&mut self, argument: &mut GenericArgument) {
        let value = match argument {
            GenericArgument::Type(Type::Path(ty)) => self.value(&ty.path),
            _ => None,
        };
        match value {
            Some(value) => *argument = GenericArgument::Const(value),
            None => visit_mut::visit_generic_argument_mut(self, argument),
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let value = match expression {
            Expr::Path(path) => self.value(&path.path),
            _ => None,
        };
        match value {
            Some(value) => *expression = value,
            None => visit_mut::visit_expr_mut(self, expression),
        }
    }
}

/// Pairs a function's generic parameters with the listed values and types.
pub(super) fn of(function: &ItemFn, groups: Option<Vec<Group>>) -> syn::Result<Vec<Instance>> {
    let name = &function.sig.ident;
    symbol::check(name)?;
    let parameters: Vec<&GenericParam> = function.sig.generics.params.iter().collect();
    let Some(groups) = groups else {
        let (name, what, example) = match parameters.first() {
            None => {
                return Ok(vec![Instance {
                    symbol: name.unraw().to_string(),
                    arguments: Vec::new(),
                }]);
            }
            Some(GenericParam::Type(first)) => (&first.ident, "types", "f32, f64"),
            Some(GenericParam::Const(first)) => (&first.ident, "values", "16, 32"),
            // `signature` has already refused it.
            Some(GenericParam::Lifetime(first)) => (&first.lifetime.ident, "lifetimes", ""),
        };
        let message = format!(
            "PTX has no generics: list the {what} of `{name}` that are wanted, `#[kernel(instances({example}))]`"
        );
        return Err(Error::new(name.span(), message));
    };
    if parameters.is_empty() {
        let message =
            format!("`{name}` has no generic parameter, so there is nothing to instantiate");
        return Err(Error::new(name.span(), message));
    }
    let mut instances: Vec<Instance> = Vec::new();
    for group in groups {
        let instance = instance(name, &parameters, group)?;
        if instances
            .iter()
            .any(|other| other.symbol == instance.symbol)
        {
            let message = format!("two instances would be called `{}`", instance.symbol);
            return Err(Error::new_spanned(&instance.arguments[0], message));
        }
        instances.push(instance);
    }
    Ok(instances)
}

fn instance(
    name: &Ident,
    parameters: &[&GenericParam],
    Group(arguments): Group,
) -> syn::Result<Instance> {
    if arguments.len() != parameters.len() {
        let message = format!(
            "`{name}` has {} generic parameters, here stands something for {}",
            parameters.len(),
            arguments.len()
        );
        return Err(match arguments.first() {
            Some(first) => Error::new_spanned(first, message),
            None => Error::new(name.span(), message),
        });
    }
    let mut symbol = name.unraw().to_string();
    for (parameter, argument) in parameters.iter().zip(&arguments) {
        symbol.push('_');
        symbol.push_str(&match (parameter, argument) {
            (GenericParam::Const(_), Argument::Value(Lit::Int(value))) => {
                value.base10_digits().to_owned()
            }
            (GenericParam::Const(_), Argument::Value(Lit::Bool(value))) => value.value.to_string(),
            (GenericParam::Type(_), Argument::Type(ty)) => words(&ty.to_token_stream().to_string()),
            (GenericParam::Type(parameter), other) => {
                let message = format!("`{}` is a type: `f32`, say", parameter.ident);
                return Err(Error::new_spanned(other, message));
            }
            (_, other) => {
                return Err(Error::new_spanned(
                    other,
                    "a value is a whole number, `true` or `false`",
                ));
            }
        });
    }
    Ok(Instance { symbol, arguments })
}

/// Returns the words of a type as a part of a symbol: `Line_f32` for `crate::ops::Line<f32>`.
fn words(ty: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = ty;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        let word = &rest[start..];
        let end = word
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(word.len());
        rest = &word[end..];
        // A path before `::` only gives the type's module, so it is left out. Names in PTX
        // are ASCII only.
        let after = rest.trim_start().strip_prefix("::");
        let is_what = after.is_none_or(|after| after.trim_start().starts_with('<'));
        if is_what && word[..end].is_ascii() {
            words.push(&word[..end]);
        }
    }
    words.join("_")
}

#[cfg(test)]
mod tests {
    use quote::{ToTokens, format_ident};
    use syn::visit_mut::VisitMut;
    use syn::{Lit, Type, parse_str};

    use super::{Fill, words};

    #[test]
    fn a_type_names_an_instances_own_types_and_values() {
        let (t, n) = (format_ident!("T"), format_ident!("N"));
        let by: Type = parse_str("f32").expect("a type");
        let four: Lit = parse_str("4").expect("a number");
        for (written, filled) in [
            ("Packed<T, N>", "Packed<f32,4>"),
            ("[T; N]", "[f32;4]"),
            ("[u8; 2 * N]", "[u8;2*4]"),
            ("Other<N, NN>", "Other<4,NN>"),
        ] {
            let mut ty: Type = parse_str(written).expect("a type");
            let mut fill = Fill {
                types: vec![(&t, &by)],
                values: vec![(&n, &four)],
            };
            fill.visit_type_mut(&mut ty);
            let text = ty.to_token_stream().to_string().replace(' ', "");
            assert_eq!(text, filled, "{written}");
        }
    }

    #[test]
    fn a_type_is_a_part_of_a_symbol_by_its_words() {
        // A word that PTX cannot represent is left out.
        assert_eq!(words("Größe < f32 >"), "f32");
        assert_eq!(words("f32"), "f32");
        assert_eq!(words("crate :: ops::Line < f32 >"), "Line_f32");
        assert_eq!(words("[u8; 4]"), "u8_4");
        assert_eq!(words("(f32, i64)"), "f32_i64");
    }
}
