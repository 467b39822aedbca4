//! The objects that an instruction is judged with. There is a family for each kind of result, and
//! each object has a member of it.
//!
//! Float results come from every format that is read as floats, with and without filtering, in
//! every address mode. Integer results come from integers of the same sign. Surfaces have texels as
//! large as the access, or formats of each kind for formatted accesses.

use lanewise_sim::image::{AddressMode, Filter, Format, Sampler, Shape};
use lanewise_sim::isa::sample::Usage;
use lanewise_sim::ptx::ast::{Modifier, Opcode, Type};

use super::Setup;
use crate::case::{BLOCK, Case, THREADS};

/// Format, number of channels, and whether integers are read as floats.
type Texels = (Format, u32, bool);

const FLOATS: [Texels; 8] = [
    (Format::F32, 1, false),
    (Format::F32, 4, false),
    (Format::U8, 4, true),
    (Format::F16, 4, false),
    (Format::I8, 4, true),
    (Format::U16, 2, true),
    (Format::F32, 2, false),
    (Format::I16, 1, true),
];
const UNSIGNED: [Texels; 4] = [
    (Format::U8, 4, false),
    (Format::U16, 2, false),
    (Format::U32, 1, false),
    (Format::U32, 4, false),
];
const SIGNED: [Texels; 4] = [
    (Format::I8, 4, false),
    (Format::I16, 2, false),
    (Format::I32, 1, false),
    (Format::I32, 4, false),
];
/// The formats whose values are exact as `.f16`.
const HALVES: [Texels; 2] = [(Format::F16, 4, false), (Format::F16, 1, false)];

const MODES: [AddressMode; 4] = [
    AddressMode::Clamp,
    AddressMode::Border,
    AddressMode::Wrap,
    AddressMode::Mirror,
];

/// Returns the objects of a case. The blocks of threads use them in turn.
pub fn of(case: &Case) -> Vec<Setup> {
    use Opcode::*;
    match case.row.opcode {
        Suld | Sust | Sured => surfaces(case),
        Suq => all_shapes(true),
        Txq | Istypep => all_shapes(false),
        _ => textures(case),
    }
}

/// Returns the shape and size for the geometry's modifier. Sizes are small, so that edges are near,
/// and uneven, so that the axes differ.
fn shape(case: &Case) -> (Shape, [u32; 3]) {
    use Modifier::*;
    let has = |word| case.has(word);
    match () {
        // On a GPU, integer coordinates read plain memory, but return zeros for an array.
        () if has(D1) && integers(case) && !has(Level) => (Shape::Linear, [37, 1, 1]),
        () if has(D1) => (Shape::D1, [37, 1, 1]),
        () if has(D2) => (Shape::D2, [13, 9, 1]),
        () if has(D3) => (Shape::D3, [7, 5, 4]),
        () if has(A1d) => (Shape::Layered1, [21, 1, 3]),
        () if has(A2d) => (Shape::Layered2, [9, 6, 4]),
        () if has(Cube) => (Shape::Cube, [8, 8, 6]),
        () => (Shape::LayeredCube, [8, 8, 18]),
    }
}

/// Returns whether coordinates are integers.
fn integers(case: &Case) -> bool {
    case.row.opcode == Opcode::Tex && case.types().last() == Some(&Type::S32)
}

fn textures(case: &Case) -> Vec<Setup> {
    let types = case.types();
    let family: &[Texels] = match types.first() {
        Some(Type::U32) => &UNSIGNED,
        Some(Type::S32) => &SIGNED,
        Some(Type::F16 | Type::F16x2) => &HALVES,
        _ => &FLOATS,
    };
    let integers = integers(case);
    let chain = case.has(Modifier::Level) || case.has(Modifier::Grad);
    let (shape, size) = shape(case);
    let cube = matches!(shape, Shape::Cube | Shape::LayeredCube);
    (0..8)
        .map(|n: usize| {
            let (format, channels, as_float) = family[n % family.len()];
            let floats = as_float || format.is_float();
            // Mipmaps have coordinates from 0 to 1. Integer coordinates are never normalized.
            let normalized = chain || cube || (!integers && n % 2 == 1);
            let modes = if normalized { &MODES[..] } else { &MODES[..2] };
            let mode = |axis: usize| modes[(n / 2 + axis) % modes.len()];
            let blends = floats && !integers && n >= 4;
            let pick = |yes| if yes { Filter::Linear } else { Filter::Point };
            Setup {
                surface: false,
                shape,
                format,
                channels,
                size,
                levels: if chain { 3 } else { 1 },
                sampler: Sampler {
                    address: if cube {
                        [AddressMode::Clamp; 3]
                    } else {
                        [mode(0), mode(1), mode(2)]
                    },
                    filter: pick(blends),
                    normalized,
                    as_float,
                    border: [0.25, 0.5, 0.75, 1.0],
                    level_filter: pick(case.has(Modifier::Level) && blends && n % 2 == 1),
                    level_bias: 0.0,
                    levels: [0.0, if chain { 2.0 } else { 0.0 }],
                },
            }
        })
        .collect()
}

/// Returns two surfaces, each with one element for each of the threads that use it.
fn surfaces(case: &Case) -> Vec<Setup> {
    let formats: Vec<(Format, u32)> = if case.has(Modifier::P) {
        let channels = case.registers(Usage::Read).count() as u32;
        match case.row.opcode {
            Opcode::Sured => vec![(Format::U32, 1), (Format::I32, 1)],
            _ => [
                Format::U32,
                Format::I32,
                Format::F32,
                Format::U8,
                Format::I16,
                Format::F16,
            ]
            .map(|format| (format, channels))
            .to_vec(),
        }
    } else {
        let ty = case.cell_type();
        let elements = match () {
            () if case.has(Modifier::V4) => 4,
            () if case.has(Modifier::V2) => 2,
            () => 1,
        };
        let signed = ty == Type::S32;
        vec![match ty.size() {
            1 => (Format::U8, elements),
            2 => (Format::U16, elements),
            4 if signed => (Format::I32, elements),
            4 => (Format::U32, elements),
            _ => (Format::U32, 2 * elements),
        }]
    };
    let objects = formats.len().next_power_of_two() as u32;
    let threads = (THREADS / BLOCK) as u32 / objects * BLOCK as u32;
    let (shape, size) = match shape(case).0 {
        Shape::D1 | Shape::Linear => (Shape::D1, [threads, 1, 1]),
        Shape::D2 => (Shape::D2, [32, threads / 32, 1]),
        Shape::D3 => (Shape::D3, [16, 8, threads / 128]),
        Shape::Layered1 => (Shape::Layered1, [64, 1, threads / 64]),
        other => (other, [16, 8, threads / 128]),
    };
    (0..objects as usize)
        .map(|n| {
            let (format, channels) = formats[n % formats.len()];
            Setup {
                surface: true,
                shape,
                format,
                channels,
                size,
                levels: 1,
                sampler: Sampler::default(),
            }
        })
        .collect()
}

/// Returns one object of each shape, for queries.
fn all_shapes(surface: bool) -> Vec<Setup> {
    let (n, linear) = (true, Filter::Linear);
    let shapes = [
        (
            Shape::D1,
            [37, 1, 1],
            (Format::F32, 1),
            false,
            Filter::Point,
        ),
        (Shape::D2, [13, 9, 1], (Format::U8, 4), n, linear),
        (Shape::D3, [7, 5, 4], (Format::F16, 2), false, linear),
        (
            Shape::Layered1,
            [21, 1, 3],
            (Format::I16, 2),
            n,
            Filter::Point,
        ),
        (
            Shape::Layered2,
            [9, 6, 4],
            (Format::U32, 1),
            n,
            Filter::Point,
        ),
        (Shape::Cube, [8, 8, 6], (Format::I8, 4), n, Filter::Point),
        (
            Shape::LayeredCube,
            [8, 8, 18],
            (Format::U16, 1),
            n,
            Filter::Point,
        ),
        (Shape::D2, [16, 16, 1], (Format::I32, 2), n, Filter::Point),
    ];
    let mode = |n: usize, axis: usize| MODES[(n + axis) % if n == 0 || n == 2 { 2 } else { 4 }];
    let each = shapes.into_iter().enumerate();
    each.map(
        |(number, (shape, size, (format, channels), normalized, filter))| Setup {
            surface,
            shape,
            format,
            channels,
            size,
            levels: if number == 7 && !surface { 4 } else { 1 },
            sampler: Sampler {
                address: std::array::from_fn(|axis| mode(number, axis)),
                filter,
                normalized,
                as_float: filter == linear,
                levels: [0.0, 3.0],
                ..Sampler::default()
            },
        },
    )
    .collect()
}
