//! `#[max_registers(64)]`, `#[cluster_launch(2, 1, 1)]` and `#[cooperative_launch]`.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, LitInt, Token};

/// The most registers that a thread may have.
pub(super) struct MaxRegisters(pub(super) u32);

impl Parse for MaxRegisters {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let number: LitInt = input.parse()?;
        match number.base10_parse()? {
            count @ 16..=255 => Ok(MaxRegisters(count)),
            other => Err(Error::new(
                number.span(),
                format!("a thread has 16 to 255 registers, not {other}"),
            )),
        }
    }
}

/// The cluster's shape in blocks.
pub(super) struct Cluster(pub(super) [u32; 3]);

impl Parse for Cluster {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let sizes = Punctuated::<LitInt, Token![,]>::parse_terminated(input)?;
        let mut shape = [1; 3];
        if sizes.len() > 3 {
            return Err(Error::new(input.span(), "a cluster has 1, 2 or 3 sizes"));
        }
        for (size, place) in sizes.iter().zip(&mut shape) {
            *place = size.base10_parse()?;
        }
        // 8 blocks fit on every GPU with clusters. A larger cluster depends on the device, and the
        // launch returns an error if it does not fit.
        let blocks = shape
            .iter()
            .try_fold(1u32, |product, size| product.checked_mul(*size));
        match blocks {
            Some(1..=16) => Ok(Cluster(shape)),
            _ => Err(Error::new(
                input.span(),
                "a cluster has 1 to 16 blocks in all",
            )),
        }
    }
}

/// All blocks of a grid are on the device at once. The attribute has no options.
pub(super) struct Cooperative;

impl Parse for Cooperative {
    fn parse(_: ParseStream) -> syn::Result<Self> {
        Ok(Cooperative)
    }
}
