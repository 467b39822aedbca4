//! `txq`, `suq`, `istypep`: properties of an object.
//!
//! PTX ISA 9.7.10.3, 9.7.11.5, 9.7.10.4. The ISA does not define a height or a depth for objects
//! without such an axis. An H200 (driver 580.159.04, 2026-11-21) returns the number of layers for
//! the first axis that a layered object does not have, 1 for the height of a texture that is a
//! line, and the number of faces of a cube for the depth of a surface.

use super::{Action, Geometry, Query, Wrong, double, set_word, site, word};
use crate::image::{AddressMode, Filter, Image, Object, Sampler, Shape};
use crate::machine::core::Core;
use crate::machine::lane::lanes;
use crate::machine::op::Op;

/// `txq`, `suq`, and `istypep`, whose result is a predicate.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn query(core: &mut Core<'_>, op: *const Op) -> *const Op {
    let run = core.run;
    // SAFETY: the decoder gave rows of the frame and an index of a site.
    unsafe {
        let site = site(run, op);
        let mask = core.mask(&*op);
        let mut references = 0;
        for lane in lanes(mask) {
            let handle = double(core, site.handle, lane);
            let (asked, level) = match site.action {
                Action::Query(asked, level) => {
                    (asked, level.map_or(0, |row| word(core, row, lane)))
                }
                Action::Is { texture } => {
                    let is = texture.is_some_and(|texture| run.is_reference(handle, texture));
                    references |= u32::from(is) << lane;
                    continue;
                }
                _ => continue,
            };
            let answer: Result<u32, Wrong> = match run.images.get(handle) {
                Some(Object::Surface(_) | Object::UnboundSurface) => run
                    .surface(handle, Geometry::Any)
                    .map(|image| about(image, &Sampler::default(), 1, asked, true)),
                _ => run.texture(handle, Geometry::Any).map(|texture| {
                    let levels = texture.levels.len() as u32;
                    // A level that does not exist has no size.
                    let image = texture.levels.get(level as usize);
                    image.map_or(0, |image| {
                        about(image, &texture.sampler, levels, asked, false)
                    })
                }),
            };
            match answer {
                Ok(value) => set_word(core, site.values[0], lane, value),
                Err(what) => return core.fault(op, lane, *what),
            }
        }
        if matches!(site.action, Action::Is { .. }) {
            core.set_predicate(site.values[0], references, mask);
        }
        op.wrapping_add(1)
    }
}

/// Returns the result of a query: sizes in texels, and OpenCL's numbers for formats.
fn about(image: &Image, sampler: &Sampler, levels: u32, asked: Query, surface: bool) -> u32 {
    match asked {
        Query::Width => image.width,
        Query::Height => match image.shape {
            Shape::Linear => 0,
            Shape::D1 => u32::from(!surface),
            Shape::Layered1 => image.depth,
            _ => image.height,
        },
        Query::Depth => match image.shape {
            Shape::D3 | Shape::Layered2 => image.depth,
            Shape::Cube | Shape::LayeredCube if surface => image.depth,
            Shape::LayeredCube => image.layers(),
            _ => 0,
        },
        Query::DataType => image.format.data_type(),
        Query::Order => match image.channels {
            1 => 0x10b0,
            2 => 0x10b2,
            _ => 0x10b5,
        },
        Query::Layers
            if matches!(
                image.shape,
                Shape::Layered1 | Shape::Layered2 | Shape::LayeredCube
            ) =>
        {
            image.layers()
        }
        Query::Layers => 0,
        Query::Normalized => sampler.normalized.into(),
        Query::Levels => levels,
        Query::Fixed(value) => value,
        Query::Filter => u32::from(sampler.filter == Filter::Linear),
        Query::Address(axis) => match sampler.address[axis] {
            AddressMode::Wrap => 0,
            AddressMode::Mirror => 1,
            AddressMode::Clamp => 2,
            AddressMode::Border => 3,
        },
    }
}
