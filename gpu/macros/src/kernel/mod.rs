//! `#[kernel]`: turns a function into a PTX entry point and a host handle.
//!
//! The modules are the steps. [`options`], [`bounds`] and [`contract`] read the attributes,
//! [`lengths`] what a contract says about lengths, and [`signature`] checks the function.
//! [`description`] describes it to the builder, and is what both sides have to agree on. [`device`]
//! and [`handle`] write the two expansions; [`child`] and [`entry_point`] write what both need for
//! a kernel that other kernels launch.

mod bounds;
mod child;
pub(crate) mod companion;
mod contract;
mod description;
mod device;
mod entry_point;
mod handle;
mod instances;
mod lengths;
mod options;
mod signature;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemFn, Visibility, parse_quote};

use crate::item::function;
use crate::shared::MadeAtEntry;
use bounds::{Cluster, Cooperative, LaunchBounds, MaxRegisters};
use contract::Contract;
use instances::Instance;
use options::Options;
use signature::Param;

/// The properties of a kernel that the two expansions need.
struct Kernel {
    /// The function as written, without the attributes of this crate.
    function: ItemFn,
    params: Vec<Param>,
    bounds: Option<LaunchBounds>,
    contract: Option<Contract>,
    max_registers: Option<MaxRegisters>,
    cluster: Option<Cluster>,
    /// Whether its blocks wait for each other.
    cooperative: bool,
    min_arch: Option<String>,
    /// Whether it launches kernels.
    launches: bool,
    /// The entry points: one, or one for each listed value of the const parameters.
    instances: Vec<Instance>,
    /// Stages and barriers in shared memory, which the entry point makes and passes to the body.
    made_at_entry: MadeAtEntry,
}

impl Kernel {
    /// Returns the function that the entry points call.
    fn body(&self) -> ItemFn {
        let mut body = self.function.clone();
        body.vis = Visibility::Inherited;
        let before = body.sig.inputs.len();
        body.sig.inputs.extend(self.made_at_entry.parameters());
        if body.sig.inputs.len() > before {
            body.attrs
                .push(parse_quote!(#[allow(clippy::too_many_arguments)]));
        }
        body
    }
}

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let options: Options = syn::parse2(options)?;
    let mut function = function(item, "kernel")?;
    let bounds = companion::take(&mut function.attrs, "launch_bounds")?;
    let contract: Option<Contract> = companion::take(&mut function.attrs, "launch_contract")?;
    let max_registers = companion::take(&mut function.attrs, "max_registers")?;
    let cluster = companion::take(&mut function.attrs, "cluster_launch")?;
    let cooperative: Option<Cooperative> =
        companion::take(&mut function.attrs, "cooperative_launch")?;
    let params = signature::check(&function)?;
    let made_at_entry = MadeAtEntry::take(&mut function)?;
    if let Some(contract) = &contract {
        contract.check_names(&params)?;
    }
    let instances = instances::of(&function, options.instances)?;
    let kernel = Kernel {
        function,
        params,
        bounds,
        contract,
        max_registers,
        cluster,
        cooperative: cooperative.is_some(),
        min_arch: options.min_arch,
        launches: options.launches,
        instances,
        made_at_entry,
    };

    let device = device::expand(&kernel);
    let handle = handle::expand(&kernel)?;
    Ok(quote! { #device #handle })
}
