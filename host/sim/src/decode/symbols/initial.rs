//! The initial contents of variables.
//!
//! PTX ISA, "Variables: Initializers". The address of another variable is known only after the
//! module was given memory, so it is stored beside the bytes.

use super::{Program, Symbols};
use crate::decode::problem::{Problem, place};
use crate::load_error::LoadError;
use crate::machine::program::ImageAddress;
use crate::ptx::ast::{self, Initializer};

/// Collects the names in an initializer.
pub(super) fn named<'a>(initializer: Option<&Initializer<'a>>, found: &mut Vec<&'a str>) {
    match initializer {
        Some(Initializer::List(list)) => list.iter().for_each(|one| named(Some(one), found)),
        Some(Initializer::Address(address)) => found.push(address.symbol),
        _ => {}
    }
}

/// Returns every variable that may have an initializer: its text, the function whose body declares
/// it with the index there, and the variable.
pub(super) fn initialised<'m, 'a>(
    modules: &'m [ast::Module<'a>],
) -> impl Iterator<
    Item = (
        usize,
        Option<(&'m ast::Function<'a>, u32)>,
        &'m ast::Variable<'a>,
    ),
> {
    modules.iter().enumerate().flat_map(|(m, module)| {
        let outside = module.variables.iter().map(move |v| (m, None, v));
        let inside = module.functions.iter().flat_map(move |function| {
            let variables = function.body.iter().flat_map(|body| &body.variables);
            let numbered = (0..).zip(variables);
            numbered.map(move |(place, v)| (m, Some((function, place)), v))
        });
        outside.chain(inside)
    })
}

/// Writes the initial contents of the variables.
pub(in crate::decode) fn write<'a>(
    modules: &[ast::Module<'a>],
    bases: &[u32],
    symbols: &Symbols<'a>,
    program: &mut Program,
) -> Result<(), LoadError> {
    for (m, inside, variable) in initialised(modules) {
        let Some(initializer) = &variable.initializer else {
            continue;
        };
        let index = match inside {
            None => symbols.find(m, variable.name),
            Some((function, place)) => symbols.body_variable(m, function.name, place),
        };
        // If a name has several definitions, those that are not used have no place. Parameters
        // have none either.
        let Some(index) = index else { continue };
        let mut image = Image {
            variable,
            symbols,
            module: m,
            bytes: Vec::new(),
            addresses: Vec::new(),
        };
        image
            .write(initializer, 0, variable.dims.len())
            .map_err(|message| {
                place(
                    Problem::Invalid(message),
                    variable.position.line + bases[m],
                    &program.text,
                )
            })?;
        let (bytes, addresses) = (image.bytes, image.addresses);
        let to = &mut program.variables[index as usize];
        (to.image, to.addresses) = (bytes, addresses);
    }
    Ok(())
}

/// The contents of a variable while they are built.
struct Image<'s, 'a> {
    variable: &'s ast::Variable<'a>,
    symbols: &'s Symbols<'a>,
    module: usize,
    bytes: Vec<u8>,
    addresses: Vec<ImageAddress>,
}

impl Image<'_, '_> {
    /// Writes one initializer at `at`. The initializer has `depth` dimensions inside it.
    fn write(
        &mut self,
        initializer: &Initializer<'_>,
        at: usize,
        depth: usize,
    ) -> Result<(), String> {
        let size = self.variable.ty.size() as usize;
        match initializer {
            Initializer::List(list) => {
                let inner = self.variable.dims.len() - depth.saturating_sub(1);
                let stride = self
                    .variable
                    .dims
                    .get(inner..)
                    .unwrap_or(&[])
                    .iter()
                    .flatten()
                    .product::<u64>() as usize
                    * size;
                let stride = if depth == 0 {
                    size
                } else {
                    stride * usize::from(self.variable.vector)
                };
                list.iter().enumerate().try_for_each(|(i, one)| {
                    self.write(one, at + i * stride, depth.saturating_sub(1))
                })
            }
            Initializer::Int(value) => self.put(at, &value.to_le_bytes(), size),
            Initializer::F32(bits) if size == 4 => self.put(at, &bits.to_le_bytes(), size),
            Initializer::F32(bits) => self.put(
                at,
                &f64::from(f32::from_bits(*bits)).to_bits().to_le_bytes(),
                size,
            ),
            Initializer::F64(bits) if size == 8 => self.put(at, &bits.to_le_bytes(), size),
            Initializer::F64(bits) if size == 2 => {
                let value = half::f16::from_f64(f64::from_bits(*bits));
                self.put(at, &value.to_bits().to_le_bytes(), size)
            }
            Initializer::F64(bits) => self.put(
                at,
                &(f64::from_bits(*bits) as f32).to_bits().to_le_bytes(),
                size,
            ),
            Initializer::Address(address) => {
                let Some(variable) = self.symbols.find(self.module, address.symbol) else {
                    return Err(format!(
                        "`{}` is not defined in this module; link the one that defines it",
                        address.symbol
                    ));
                };
                let shift = address.mask.map_or(0, u64::trailing_zeros);
                let (offset, generic) = (address.offset, address.generic);
                self.put(at, &[0; 8], size)?;
                self.addresses.push(ImageAddress {
                    at,
                    width: size,
                    variable,
                    offset,
                    generic,
                    shift,
                });
                Ok(())
            }
        }
    }

    fn put(&mut self, at: usize, bytes: &[u8], size: usize) -> Result<(), String> {
        let end = at + size;
        if end as u64 > self.variable.size() || size > bytes.len() {
            return Err(format!(
                "the initializer of `{}` does not fit",
                self.variable.name
            ));
        }
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(&bytes[..size]);
        Ok(())
    }
}
