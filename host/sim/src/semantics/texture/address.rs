//! Address modes: the texel or element at an index outside the texture or surface.
//!
//! PTX ISA 5.3, "addr_mode_*"; 9.7.11 "Surface Instructions", ".clamp". Wrapping and mirroring
//! exist only for normalised coordinates. For other coordinates they act as clamping, as the
//! Programming Guide states.

/// The effect of an index outside the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// `wrap`: the texture repeats.
    Wrap,
    /// `mirror`: the texture repeats, and every other copy is reversed.
    Mirror,
    /// `clamp_to_edge`: the nearest texel.
    Clamp,
    /// `clamp_to_border`: the border colour, zero.
    Border,
}

impl AddressMode {
    /// Returns the mode that applies to normalised or other coordinates.
    #[inline]
    pub(crate) fn for_coordinates(self, normalized: bool) -> AddressMode {
        match self {
            AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::Clamp,
            mode => mode,
        }
    }
}

/// Returns the texel at `index` on an axis of `size` texels; `None` for the border, and for an
/// axis without texels.
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

/// The effect of an index outside the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SurfaceClamp {
    /// `.trap`: a fault.
    Trap,
    /// `.clamp`: the nearest element.
    Clamp,
    /// `.zero`: a load gives zero, a store does nothing.
    Zero,
}

/// The target of a surface access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Texel {
    /// The access goes to this element.
    At(u32),
    /// No element: a load returns zero.
    Nowhere,
    /// An element outside, which is a fault.
    Fault,
}

/// Returns the element for a surface access at `index`, on an axis of `size` elements. (`sust` and
/// `suld` count the first axis in bytes. `size` is then in bytes, and `Clamp` may return a byte
/// inside an element, which the caller aligns.)
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
