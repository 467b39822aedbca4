//! The rules for a kernel's signature, and how each parameter is passed in the PTX.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{
    Error, FnArg, GenericParam, Ident, ItemFn, Lifetime, Pat, ReturnType, Type, TypeReference,
    parse_quote,
};

/// One parameter of a kernel.
pub(super) struct Param {
    pub(super) name: Ident,
    /// The type as written.
    pub(super) ty: Type,
    pub(super) lowering: Lowering,
}

/// How a parameter is passed in the PTX.
pub(super) enum Lowering {
    /// `&[T]`: pointer and length. Nothing writes to the memory while the kernel runs.
    ReadSlice { element: Box<Type> },
    /// As `lanewise_std::kernel::Passed` says for the type: an output is a pointer and a length, a
    /// tensor map lies among the parameters, and a value is itself.
    ByType,
}

/// The most parameters. `host` has tuples of up to this many arguments.
const PARAMETERS: usize = 24;

/// The message for named lifetimes.
const LIFETIMES: &str = "leave lifetimes out: all that a kernel borrows lasts for the launch";

/// Returns the parameters, or every reason why this function cannot be a kernel.
pub(super) fn check(function: &ItemFn) -> syn::Result<Vec<Param>> {
    let signature = &function.sig;
    let mut errors = Errors(None);
    if let Some(keyword) = &signature.asyncness {
        errors.add(
            keyword.span(),
            "a kernel cannot be `async`: it runs to its end on the device",
        );
    }
    if let Some(keyword) = &signature.constness {
        errors.add(
            keyword.span(),
            "a kernel cannot be `const`: only the device can run it",
        );
    }
    if let Some(abi) = &signature.abi {
        errors.add(abi.span(), "leave the ABI out: `#[kernel]` sets it");
    }
    if let Some(dots) = &signature.variadic {
        errors.add(dots.span(), "a kernel takes a fixed number of parameters");
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        errors.add(
            ty.span(),
            "a kernel returns nothing: its threads write to a `DisjointSlice` or a `GlobalMut`",
        );
    }
    if signature.inputs.len() > PARAMETERS {
        let message = format!(
            "a kernel takes at most {PARAMETERS} parameters: put values that belong together into a structure with `#[derive(Value)]`"
        );
        errors.add(signature.inputs.span(), &message);
    }
    for generic in &signature.generics.params {
        match generic {
            GenericParam::Const(_) | GenericParam::Type(_) => {}
            GenericParam::Lifetime(lifetime) => {
                errors.add(lifetime.span(), LIFETIMES);
            }
        }
    }
    let mut params = Vec::new();
    for input in &signature.inputs {
        match param(input) {
            Ok(param) => params.push(param),
            Err(error) => errors.push(error),
        }
    }
    match errors.0 {
        Some(error) => Err(error),
        None => Ok(params),
    }
}

fn param(input: &FnArg) -> syn::Result<Param> {
    let FnArg::Typed(input) = input else {
        return Err(Error::new(
            input.span(),
            "a kernel is a free function: it has no `self`",
        ));
    };
    let Pat::Ident(pattern) = &*input.pat else {
        return Err(Error::new(
            input.pat.span(),
            "name the parameter and take it apart in the body",
        ));
    };
    let ty = plain(&input.ty).clone();
    let lowering = lowering(&ty)?;
    let mut borrows = Borrows(Errors(None));
    match &lowering {
        Lowering::ReadSlice { element } => {
            if let Type::Reference(TypeReference {
                lifetime: Some(lifetime),
                ..
            }) = &ty
            {
                borrows.visit_lifetime(lifetime);
            }
            borrows.visit_type(element);
        }
        _ => borrows.visit_type(&ty),
    }
    match borrows.0.0 {
        Some(error) => Err(error),
        None => Ok(Param {
            name: pattern.ident.clone(),
            lowering,
            ty,
        }),
    }
}

/// Refuses named lifetimes and references inside a type, because only the launch lends the
/// memory. A kernel with a `'static` parameter could keep it for the next launch, when the memory
/// may no longer exist.
struct Borrows(Errors);

impl Visit<'_> for Borrows {
    fn visit_lifetime(&mut self, lifetime: &Lifetime) {
        if lifetime.ident != "_" {
            self.0.add(lifetime.span(), LIFETIMES);
        }
    }

    fn visit_type_reference(&mut self, reference: &TypeReference) {
        self.0.add(
            reference.span(),
            "a kernel borrows slices only, each as a parameter of its own: take `&[T]`, or values",
        );
    }
}

/// Returns a type without the group of a macro's `$ty` and without parentheses.
fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        ty => ty,
    }
}

fn lowering(ty: &Type) -> syn::Result<Lowering> {
    match ty {
        Type::Reference(TypeReference {
            mutability: Some(_),
            ..
        }) => Err(Error::new(
            ty.span(),
            "every thread would hold this `&mut`; take a `DisjointSlice<T>` (each thread writes its own element), a `PerBlock<T>` (each block \
             does) or a `GlobalMut<T>` (threads share it)",
        )),
        Type::Reference(TypeReference { elem, .. }) => match plain(elem) {
            Type::Slice(slice) => Ok(Lowering::ReadSlice {
                element: slice.elem.clone(),
            }),
            Type::Path(path) if path.path.is_ident("str") => Err(Error::new(
                ty.span(),
                "a `&str` cannot be passed to a kernel; take its bytes, `&[u8]`",
            )),
            _ => Err(Error::new(
                ty.span(),
                "a kernel borrows slices only: take `&[T]`, or the value itself",
            )),
        },
        Type::Path(_) | Type::Array(_) | Type::Ptr(_) | Type::Tuple(_) => Ok(Lowering::ByType),
        Type::ImplTrait(_) => Err(Error::new(
            ty.span(),
            "the host has to know this type: name it",
        )),
        _ => Err(Error::new(
            ty.span(),
            "a kernel takes `&[T]`, `DisjointSlice<T>`, `PerBlock<T>`, `GlobalMut<T>` and plain values",
        )),
    }
}

impl Param {
    /// Returns the type with this lifetime in place of each omitted one. The host's
    /// handle uses `'static`.
    pub(super) fn type_for(&self, lifetime: &str) -> Type {
        let outlives = Lifetime::new(lifetime, self.ty.span());
        match &self.lowering {
            Lowering::ReadSlice { element } => parse_quote!(&#outlives [#element]),
            Lowering::ByType => {
                let passed = self.passed("For");
                Type::Verbatim(quote_spanned!(self.ty.span()=> #passed<#outlives>))
            }
        }
    }

    /// Returns an item of the type's implementation of `Passed`. All errors point at the type, so
    /// that the compiler shows one of them.
    pub(super) fn passed(&self, item: &str) -> TokenStream {
        let ty = &self.ty;
        let item = Ident::new(item, ty.span());
        quote_spanned!(ty.span()=> <fn(#ty) as ::lanewise_std::kernel::Passed>::#item)
    }

    /// Returns the type whose layout the two sides have to agree on.
    pub(super) fn element(&self) -> Type {
        match &self.lowering {
            Lowering::ReadSlice { element } => (**element).clone(),
            Lowering::ByType => Type::Verbatim(self.passed("Element")),
        }
    }

    /// Returns whether the name is that of a tensor map, which a kernel cannot pass on.
    pub(super) fn is_called_tensor_map(&self) -> bool {
        const MAPS: [&str; 4] = ["TensorMap", "TensorMapMut", "Im2colMap", "Im2colMapMut"];
        let Type::Path(path) = &self.ty else {
            return false;
        };
        let last = path.path.segments.last();
        last.is_some_and(|last| MAPS.iter().any(|map| last.ident == map))
    }

    /// Returns the type as a person would write it.
    pub(super) fn type_text(&self) -> String {
        text(&self.ty)
    }

    /// Returns the name of the parameter with a slice's length. A kernel's author would not choose
    /// this name for another parameter.
    pub(super) fn length_name(&self) -> Ident {
        self.own_name(&format!("__{}_length", self.name.unraw()))
    }

    /// Returns the name of the entry point's parameter. It must not hide the kernel that the
    /// entry point calls.
    pub(super) fn passed_name(&self) -> Ident {
        self.own_name(&format!("__{}_passed", self.name.unraw()))
    }

    fn own_name(&self, name: &str) -> Ident {
        Ident::new(name, self.ty.span())
    }
}

/// Returns a type as a person would write it.
pub(super) fn text(ty: &Type) -> String {
    use quote::ToTokens;
    tidy(&ty.to_token_stream().to_string())
}

/// Removes the spaces that a token stream prints between punctuation: `& [f32]` becomes `&[f32]`.
fn tidy(tokens: &str) -> String {
    let mut text = String::new();
    let mut rest = tokens.chars().peekable();
    while let Some(c) = rest.next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        if c != ' ' || (text.ends_with(word) && rest.peek().copied().is_some_and(word)) {
            text.push(c);
        }
        if matches!(c, ',' | ';') {
            text.push(' ');
        }
    }
    text
}

/// A list of errors, so that a function with two faults gets both messages.
struct Errors(Option<Error>);

impl Errors {
    fn add(&mut self, span: proc_macro2::Span, message: &str) {
        self.push(Error::new(span, message));
    }

    fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }
}
