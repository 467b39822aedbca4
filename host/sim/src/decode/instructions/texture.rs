//! `tex`, `tld4`, `txq`, `suld`, `sust`, `sured`, `suq`, `istypep`.
//!
//! PTX ISA 9.7.10 and 9.7.11. The object is a 64-bit handle in a register, or a `.texref` or
//! `.surfref` variable, whose address is also a handle. A texture includes its sampler (unified
//! mode, as in CUDA). A separate sampler is refused.

use crate::decode::builder::{Builder, Operands};
use crate::decode::operand::repr;
use crate::decode::problem::{Problem, Result, because, invalid, unsupported};
use crate::machine::image::{Action, Geometry, ImageSite, LevelOf, Query, ResultAs, Update};
use crate::machine::image::{query as answer, surface, texture as run};
use crate::machine::memory::transfer::NOWHERE;
use crate::machine::op::Handler;
use crate::ptx::ast::{Base, Instruction, Modifier as M, Opcode, Operand, Symbol, Type};
use crate::semantics::texture::SurfaceClamp;

/// Returns the geometry that the modifiers specify.
fn geometry(i: &Instruction) -> Result<Geometry> {
    let named = i.modifiers.iter().find_map(|word| {
        Some(match word {
            M::D1 => Geometry::D1,
            M::D2 => Geometry::D2,
            M::D3 => Geometry::D3,
            M::A1d => Geometry::A1d,
            M::A2d => Geometry::A2d,
            M::Cube => Geometry::Cube,
            M::Acube => Geometry::Acube,
            _ => return None,
        })
    });
    named.map_or_else(unsupported, Ok)
}

fn clamp(i: &Instruction) -> SurfaceClamp {
    match () {
        () if i.modifiers.has(M::Clamp) => SurfaceClamp::Clamp,
        () if i.modifiers.has(M::Zero) => SurfaceClamp::Zero,
        () => SurfaceClamp::Trap,
    }
}

impl<'a> Builder<'a, '_> {
    /// Returns the row of an object's handles.
    fn handle(&mut self, operand: &Operand<'a>) -> Result<u32> {
        match *operand {
            Operand::Symbol(Symbol::Param(_) | Symbol::Return(_), _) => {
                because("a texture or surface as a parameter by itself; pass its handle")
            }
            Operand::Register(_) | Operand::Symbol(_, 0) => self.source(operand, 8, None),
            Operand::Address(Base::Register(id), 0) => self.register(&Operand::Register(id), 8),
            Operand::Address(Base::Symbol(symbol), 0) => self.handle(&Operand::Symbol(symbol, 0)),
            _ => invalid("expected a texture or surface, or a register with its handle"),
        }
    }

    /// Returns the rows of the handle and of the used coordinates, from the object and the
    /// coordinates in brackets.
    fn object(
        &mut self,
        operand: &Operand<'a>,
        geometry: Geometry,
        ty: Option<Type>,
    ) -> Result<(u32, Vec<u32>)> {
        let Operand::List(slice) = *operand else {
            return invalid("expected a list such as `[texture, {x, y}]`");
        };
        let (object, coordinates) = match *self.body.elements(slice) {
            [object, coordinates] => (object, coordinates),
            [_, _, _] => {
                return because("a sampler of its own; CUDA's textures have theirs with them");
            }
            _ => return invalid("expected an object and its coordinates"),
        };
        let handle = self.handle(&object)?;
        let elements = self.elements(&coordinates);
        let count = geometry.coordinates();
        if elements.len() < count {
            return invalid(format!(
                "{} coordinates, where the geometry has {count}",
                elements.len()
            ));
        }
        let mut rows = Vec::with_capacity(count);
        for element in &elements[..count] {
            rows.push(self.source(element, 4, ty)?);
        }
        Ok((handle, rows))
    }

    /// Returns whether the last operand of a fetch is a depth for a comparison, and not an offset
    /// in texels. Offsets are vectors, but along a single axis they may be scalars.
    fn compares(&self, operand: &Operand<'a>, geometry: Geometry) -> bool {
        match *operand {
            Operand::F32(_) | Operand::F64(_) => true,
            Operand::Register(id) => {
                let register = self.body.registers.get(id as usize);
                let float = register.is_some_and(|register| register.ty == Type::F32);
                let line = matches!(geometry, Geometry::D1 | Geometry::A1d);
                float || !line && !self.is_vector(operand)
            }
            _ => false,
        }
    }

    /// Returns rows of 32-bit values, one for each element.
    fn words(&mut self, operand: &Operand<'a>, ty: Option<Type>) -> Result<Vec<u32>> {
        let elements = self.elements(operand);
        elements
            .iter()
            .map(|element| self.source(element, 4, ty))
            .collect()
    }

    fn image(&mut self, handler: Handler, site: ImageSite) -> Result<()> {
        let aux = self.code.images.push(site);
        self.emit(handler, Operands::NONE.aux(aux));
        Ok(())
    }
}

pub(super) fn fetch<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let geometry = geometry(i)?;
    let types: Vec<Type> = i.modifiers.types().collect();
    let [result, coordinate] = types[..] else {
        return invalid("expected the types of the result and of the coordinates");
    };
    let operands = b.body.operands(i);
    let (Some(results), Some(object)) = (operands.first(), operands.get(1)) else {
        return invalid("expected results and an object");
    };
    let (results, object) = (*results, *object);
    let result = match result {
        Type::F16x2 => ResultAs::PackedHalves,
        Type::F16 => ResultAs::Halves,
        _ => ResultAs::Words,
    };
    let mut values = Vec::with_capacity(4);
    for element in b.elements(&results) {
        values.push(match element {
            Operand::Sink => NOWHERE,
            element => b.destination(&element, 4)?,
        });
    }
    let resident = match results {
        Operand::VectorPair(_, predicate) => Some(b.predicate_register(predicate)?),
        _ => None,
    };
    let (handle, coordinates) = b.object(&object, geometry, Some(coordinate))?;
    let (level, rest) = match operands[2..] {
        [level, ref rest @ ..] if i.modifiers.has(M::Level) => {
            (LevelOf::Row(b.source(&level, 4, Some(coordinate))?), rest)
        }
        [x, y, ref rest @ ..] if i.modifiers.has(M::Grad) => (
            LevelOf::Gradient(b.words(&x, Some(Type::F32))?, b.words(&y, Some(Type::F32))?),
            rest,
        ),
        ref rest => (LevelOf::Base, rest),
    };
    let (offset, depth) = match *rest {
        [] => (None, None),
        [depth] if b.compares(&depth, geometry) => (None, Some(depth)),
        [offset] => (Some(offset), None),
        [offset, depth] => (Some(offset), Some(depth)),
        _ => return invalid("at most an offset and a depth stand behind the coordinates"),
    };
    let offsets = match offset {
        Some(offset) => b.words(&offset, Some(Type::S32))?,
        None => Vec::new(),
    };
    // Depth textures belong to graphics. An H200's driver creates none for CUDA, and for other
    // textures the depth is ignored.
    if let Some(depth) = depth {
        b.source(&depth, 4, Some(Type::F32))?;
    }
    let action = if i.opcode == Opcode::Tld4 {
        let component = match () {
            () if i.modifiers.has(M::G) => 1,
            () if i.modifiers.has(M::B) => 2,
            () if i.modifiers.has(M::A) => 3,
            () => 0,
        };
        Action::Gather { component, result }
    } else {
        Action::Fetch {
            integers: coordinate != Type::F32,
            level,
            result,
        }
    };
    b.image(
        run::fetch,
        ImageSite {
            geometry,
            handle,
            coordinates,
            offsets,
            resident,
            values,
            wide: false,
            action,
        },
    )
}

pub(super) fn query<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let asked = i.modifiers.iter().find_map(|word| {
        Some(match word {
            M::Width => Query::Width,
            M::Height => Query::Height,
            M::Depth => Query::Depth,
            M::ChannelDataType => Query::DataType,
            M::ChannelOrder => Query::Order,
            M::ArraySize => Query::Layers,
            M::NormalizedCoords => Query::Normalized,
            M::NumMipmapLevels => Query::Levels,
            M::NumSamples => Query::Fixed(1),
            // Rows lie one after another, and CUDA's samplers leave coordinates unchanged.
            M::MemoryLayout | M::ForceUnnormalizedCoords => Query::Fixed(0),
            M::FilterMode => Query::Filter,
            M::AddrMode0 => Query::Address(0),
            M::AddrMode1 => Query::Address(1),
            M::AddrMode2 => Query::Address(2),
            _ => return None,
        })
    });
    let (Some(asked), [d, object, level @ ..]) = (asked, b.body.operands(i)) else {
        return unsupported();
    };
    let (d, object) = (*d, *object);
    let level = match *level {
        [level] => Some(b.source(&level, 4, Some(Type::U32))?),
        _ => None,
    };
    let values = vec![b.destination(&d, 4)?];
    let handle = b.handle(&object)?;
    b.image(
        answer::query,
        plain(handle, values, Action::Query(asked, level)),
    )
}

pub(super) fn is_type<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let [d, object] = *b.operands(i)?;
    let values = vec![b.predicate_destination(&d)?];
    let handle = b.handle(&object)?;
    let texture = match () {
        () if i.modifiers.has(M::Texref) => Some(true),
        () if i.modifiers.has(M::Surfref) => Some(false),
        // A module with a sampler of its own is refused, so no handle belongs to a sampler.
        () => None,
    };
    b.image(answer::query, plain(handle, values, Action::Is { texture }))
}

/// Returns a site without coordinates.
fn plain(handle: u32, values: Vec<u32>, action: Action) -> ImageSite {
    ImageSite {
        geometry: Geometry::Any,
        handle,
        coordinates: Vec::new(),
        offsets: Vec::new(),
        resident: None,
        values,
        wide: false,
        action,
    }
}

/// Returns the type of a surface's elements.
fn element(i: &Instruction) -> Result<Type> {
    let ty = i.modifiers.types().last();
    ty.ok_or_else(|| Problem::Invalid("expected the type of elements".into()))
}

impl<'a> Builder<'a, '_> {
    /// Returns the elements of a surface access, and the bytes of a register for one element.
    fn surface_elements(&self, operand: &Operand<'a>, ty: Type) -> (Vec<Operand<'a>>, u64) {
        let elements = self.elements(operand);
        let register = elements.iter().find_map(|e| self.register_size(e));
        let width = register.map_or(repr(ty.size()), repr);
        (elements, width)
    }

    /// Adds a surface access, with the rows of its elements, which have `width` bytes each.
    fn surface(
        &mut self,
        handler: Handler,
        (object, geometry): (&Operand<'a>, Geometry),
        (values, width): (Vec<u32>, u64),
        action: Action,
    ) -> Result<()> {
        let (handle, coordinates) = self.object(object, geometry, None)?;
        self.image(
            handler,
            ImageSite {
                geometry,
                coordinates,
                wide: width == 8,
                ..plain(handle, values, action)
            },
        )
    }
}

pub(super) fn load<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let (geometry, ty) = (geometry(i)?, element(i)?);
    let [results, object] = *b.operands(i)?;
    let (elements, width) = b.surface_elements(&results, ty);
    let mut values = Vec::with_capacity(elements.len());
    for element in &elements {
        values.push(match element {
            Operand::Sink => NOWHERE,
            element => b.destination(element, width)?,
        });
    }
    let (bytes, clamp) = (ty.size() as u32, clamp(i));
    let action = Action::Raw { bytes, clamp };
    b.surface(surface::load, (&object, geometry), (values, width), action)
}

pub(super) fn store<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let (geometry, ty) = (geometry(i)?, element(i)?);
    let [object, from] = *b.operands(i)?;
    let (elements, width) = b.surface_elements(&from, ty);
    let mut values = Vec::with_capacity(elements.len());
    for element in &elements {
        values.push(b.source(element, width, Some(ty))?);
    }
    let (bytes, clamp) = (ty.size() as u32, clamp(i));
    let (handler, action): (Handler, _) = match i.modifiers.has(M::P) {
        true => (surface::store_formatted, Action::Formatted { clamp }),
        false => (surface::store, Action::Raw { bytes, clamp }),
    };
    b.surface(handler, (&object, geometry), (values, width), action)
}

pub(super) fn reduce<'a>(b: &mut Builder<'a, '_>, i: &Instruction) -> Result<()> {
    let (geometry, ty) = (geometry(i)?, element(i)?);
    let update = i.modifiers.iter().find_map(|word| {
        Some(match word {
            M::Add => Update::Add,
            M::Min => Update::Min,
            M::Max => Update::Max,
            M::And => Update::And,
            M::Or => Update::Or,
            _ => return None,
        })
    });
    let (Some(update), &[object, with]) = (update, b.body.operands(i)) else {
        return invalid("expected an object and a value");
    };
    let width = repr(ty.size());
    let values = vec![b.source(&with, width, Some(ty))?];
    let typed = (ty.size() as u32, matches!(ty, Type::S32 | Type::S64));
    let action = Action::Reduce {
        update,
        clamp: clamp(i),
        value: (!i.modifiers.has(M::P)).then_some(typed),
    };
    b.surface(
        surface::reduce,
        (&object, geometry),
        (values, width),
        action,
    )
}
