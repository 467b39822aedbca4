//! Mutable statics as shared memory. The other projects' own compilers place them there, which
//! stock rustc cannot do.
//!
//! cuda-oxide's `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;` becomes a `shared!`
//! array and a view of it under the same name. A barrier is handled in the same way.
//! `&raw mut TILE as *mut T` is then the address of the array, not of its view. Rust-CUDA's
//! `#[address_space(shared)] static mut TILE: [T; N] = ..;` becomes a `shared!` array too, and
//! `TILE` in the body becomes the place at its address.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Expr, GenericArgument, Ident, Item, ItemStatic, PathArguments,
    PointerMutability, Stmt, Type, parse_quote,
};

/// Turns the statics of a kernel's body into shared arrays.
pub(super) fn share(body: &mut Block) {
    Statics.visit_block_mut(body);
}

struct Statics;

impl VisitMut for Statics {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let (mut places, mut views) = (Vec::new(), Vec::new());
        for statement in std::mem::take(&mut block.stmts) {
            match &statement {
                Stmt::Item(Item::Static(item)) => {
                    if let Some(attribute) = item.attrs.iter().find(|it| is_shared(it)) {
                        block.stmts.extend(place(item, attribute));
                        places.push(item.ident.clone());
                    } else if let Some(storage) = storage(item) {
                        block.stmts.extend(view(item, &storage));
                        if is_array(item) {
                            views.push(item.ident.clone());
                        }
                    } else {
                        block.stmts.push(statement);
                    }
                }
                _ => block.stmts.push(statement),
            }
        }
        if !places.is_empty() {
            let mut uses = Uses { places };
            block
                .stmts
                .iter_mut()
                .for_each(|statement| uses.visit_stmt_mut(statement));
        }
        if !views.is_empty() {
            let mut addresses = Addresses { views };
            block
                .stmts
                .iter_mut()
                .for_each(|statement| addresses.visit_stmt_mut(statement));
        }
    }
}

/// Returns whether an attribute is `#[address_space(shared)]`.
fn is_shared(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| last.ident == "address_space")
        && attribute
            .parse_args::<Ident>()
            .is_ok_and(|space| space == "shared")
}

/// Returns the name of the variable with the address of a Rust-CUDA static.
fn address(name: &Ident) -> Ident {
    format_ident!("__{name}_address")
}

/// Declares one value of the static's type in shared memory, and its address.
fn place(item: &ItemStatic, attribute: &Attribute) -> [Stmt; 3] {
    let (name, ty) = (address(&item.ident), &item.ty);
    let declared = format_ident!("__{}", item.ident);
    [
        parse_quote!(::lanewise_macros::shared! { static #declared: [#ty; 1]; }),
        parse_quote!(
            #[allow(non_snake_case)]
            let #name: *mut #ty = #declared.as_ptr();
        ),
        // The attribute is imported, and the import should count as used.
        parse_quote!(#attribute const _: () = ();),
    ]
}

/// Replaces each use of the static by `(*address)`, which is a place like a mutable static.
struct Uses {
    places: Vec<Ident>,
}

impl VisitMut for Uses {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        if let Expr::Path(path) = expression
            && let Some(name) = path.path.get_ident()
            && self.places.contains(name)
        {
            let name = address(name);
            *expression = parse_quote!((*#name));
        }
    }
}

/// Uses the array's address where the address of its view is cast to another pointer type:
/// `&raw mut TILE as *mut u8`.
struct Addresses {
    views: Vec<Ident>,
}

impl VisitMut for Addresses {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        match expression {
            Expr::Cast(cast) => {
                if let Type::Ptr(pointer) = &*cast.ty
                    && !is_view(&pointer.elem)
                    && let Some(address) = self.address(&cast.expr)
                {
                    *cast.expr = address;
                }
            }
            Expr::MethodCall(call) if call.method == "cast" => {
                let to = call.turbofish.as_ref().and_then(|it| it.args.first());
                if let Some(GenericArgument::Type(to)) = to
                    && !is_view(to)
                    && let Some(address) = self.address(&call.receiver)
                {
                    *call.receiver = address;
                }
            }
            _ => {}
        }
    }
}

impl Addresses {
    /// Returns the array's address if the expression is the address of its view.
    fn address(&self, expression: &Expr) -> Option<Expr> {
        let raw = match expression {
            Expr::Paren(paren) => return self.address(&paren.expr),
            Expr::RawAddr(raw) => raw,
            _ => return None,
        };
        let Expr::Path(path) = &*raw.expr else {
            return None;
        };
        let name = path
            .path
            .get_ident()
            .filter(|name| self.views.contains(name))?;
        Some(match raw.mutability {
            PointerMutability::Mut(_) => parse_quote!(#name.as_mut_ptr()),
            PointerMutability::Const(_) => parse_quote!(#name.as_ptr()),
        })
    }
}

/// Returns whether a static is an array. It is not for a barrier, whose functions take its view.
fn is_array(item: &ItemStatic) -> bool {
    match &*item.ty {
        Type::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == "SharedArray")
        }
        _ => false,
    }
}

/// Returns whether a type is that of a view, or is inferred.
fn is_view(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == "SharedArray" || last.ident == "Barrier")
        }
        Type::Infer(_) => true,
        _ => false,
    }
}

/// Returns the `shared!` declaration for a static that is a shared array or a
/// barrier of cuda-oxide.
fn storage(item: &ItemStatic) -> Option<TokenStream> {
    let Type::Path(path) = &*item.ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let Expr::Path(value) = &*item.expr else {
        return None;
    };
    if value.path.segments.last()?.ident != "UNINIT" {
        return None;
    }
    if last.ident == "Barrier" {
        return Some(quote!([::lanewise_std::barrier::BarrierStorage; 1]));
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    if last.ident != "SharedArray" {
        return None;
    }
    let mut arguments = arguments.args.iter();
    let Some(GenericArgument::Type(element)) = arguments.next() else {
        return None;
    };
    // The length may be a literal, a block, or the name of a constant, which parses as a type.
    let length = arguments.next()?;
    let align = arguments
        .next()
        .map_or_else(|| quote!(0), |align| quote!(#align));
    Some(quote!([::lanewise_std::compat::cuda_device::Aligned<[#element; #length], #align>; 1]))
}

/// Declares the storage, and a view of it under the static's name.
fn view(item: &ItemStatic, storage: &TokenStream) -> [Stmt; 2] {
    let (name, ty) = (&item.ident, &item.ty);
    let declared = format_ident!("__{name}");
    [
        parse_quote!(::lanewise_macros::shared! { static #declared: #storage; }),
        parse_quote!(
            #[allow(non_snake_case, unused_mut)]
            let mut #name = <#ty>::of(#declared);
        ),
    ]
}
