//! Address modes: what stands at an index outside the texture or surface.
//!
//! PTX ISA 5.3, "addr_mode_*"; 9.7.11 "Surface Instructions", ".clamp". Wrapping and mirroring
//! exist for normalised coordinates only; else they are clamping, as the Programming Guide says.

/// What a sampler does with an index outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// `wrap`: the texture repeats.
    Wrap,
    /// `mirror`: the texture repeats, every other time reversed.
    Mirror,
    /// `clamp_to_edge`: the nearest texel.
    Clamp,
    /// `clamp_to_border`: the border colour, zero.
    Border,
}

impl AddressMode {
    /// The mode that holds for coordinates that are normalised or not.
    #[inline]
    pub(crate) fn for_coordinates(self, normalized: bool) -> AddressMode {
        match self {
            AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::Clamp,
            mode => mode,
        }
    }
}

/// The texel that stands at `index` on an axis of `size` texels; `None` for the border, and if
/// there is none.
#[inline]
pub(crate) fn texel(index: i64, size: u32, mode: AddressMode) -> Option<u32> {
    let length = i64::from(size);
    if length == 0 {
        return None;
    }
    let inside = match mode {
        AddressMode::Wrap => index.rem_euclid(length),
        AddressMode::Mirror => {
            let twice = index.rem_euclid(2 * length);
            if twice < length {
                twice
            } else {
                2 * length - 1 - twice
            }
        }
        AddressMode::Clamp => index.clamp(0, length - 1),
        AddressMode::Border if (0..length).contains(&index) => index,
        AddressMode::Border => return None,
    };
    Some(inside as u32)
}

/// What a surface instruction does with an index outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SurfaceClamp {
    /// `.trap`: a fault.
    Trap,
    /// `.clamp`: the nearest element.
    Clamp,
    /// `.zero`: a load gives zero, a store does nothing.
    Zero,
}

/// Where a surface access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Texel {
    /// The access goes to this element.
    At(u32),
    /// Nowhere: a load gives zero.
    Nowhere,
    /// Outside, which is a fault.
    Fault,
}

/// The element that a surface access at `index` goes to, on an axis of `size` elements. (`sust` and
/// `suld` count the first axis in bytes: `size` is then in bytes, and `Clamp` may end inside an
/// element, which the caller aligns.)
#[inline]
pub(crate) fn surface_texel(index: i32, size: u32, clamp: SurfaceClamp) -> Texel {
    match (u32::try_from(index), clamp) {
        (Ok(inside), _) if inside < size => Texel::At(inside),
        (_, SurfaceClamp::Trap) => Texel::Fault,
        (_, SurfaceClamp::Zero) => Texel::Nowhere,
        (_, SurfaceClamp::Clamp) if size == 0 => Texel::Nowhere,
        (Ok(_), SurfaceClamp::Clamp) => Texel::At(size - 1),
        (Err(_), SurfaceClamp::Clamp) => Texel::At(0),
    }
}
