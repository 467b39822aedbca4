//! `suld`, `sust`, `sured`: loads, stores and reductions through a surface.
//!
//! PTX ISA 9.7.11. `.b` instructions count the first coordinate in bytes and copy bytes unchanged.
//! `.p` instructions count texels and convert to the surface's format. An access outside is a fault
//! (`.trap`), goes to the nearest element (`.clamp`), or does nothing (`.zero`: zeros are read, and
//! a store does nothing).
//!
//! The ISA leaves the following open, and an H200 (driver 580.159.04, 2026-11-21) does it so: a
//! first coordinate that is not a multiple of the access is a fault, whatever the clamping is; the
//! low 16 bits of a layer's number count, without a sign; a formatted store writes zero to the
//! channels for which it has no values, integers that a format cannot represent become the nearest
//! that it can, and floats that `.f16` cannot represent are truncated.

use super::{
    Action, Geometry, ImageSite, Update, Wrong, coordinates, double, set_double, set_word, site,
    word, wrong_as,
};
use crate::image::{Format, Image};
use crate::machine::core::Core;
use crate::machine::event::ImageFault;
use crate::machine::lane::lanes;
use crate::machine::memory::atomics::Cell;
use crate::machine::memory::transfer::NOWHERE;
use crate::machine::op::Op;
use crate::semantics::texture::{SurfaceClamp, Texel, format, surface_texel};

/// Returns the address of an access of `bytes`, or `None` if it goes nowhere. `scale` is the unit
/// of the first coordinate, in bytes.
fn place(
    image: &Image,
    geometry: Geometry,
    at: [u32; 4],
    (bytes, scale): (u32, u32),
    clamp: SurfaceClamp,
) -> Result<Option<u64>, Wrong> {
    let [x, y, z] = match geometry {
        Geometry::D1 => [at[0], 0, 0],
        Geometry::A1d => [at[1], 0, at[0] & 0xffff],
        Geometry::A2d => [at[1], at[2], at[0] & 0xffff],
        _ => match geometry {
            Geometry::D2 => [at[0], at[1], 0],
            _ => [at[0], at[1], at[2]],
        },
    };
    let outside = || {
        let named = &at[..geometry.coordinates()];
        let named: Vec<String> = named.iter().map(|&c| (c as i32).to_string()).collect();
        let message = format!("a surface access of {bytes} bytes outside of the surface");
        let notes = vec![
            format!("coordinates are ({})", named.join(", ")),
            format!(
                "the surface has rows of {} bytes, {} rows, {} slices",
                image.row_bytes(),
                image.height,
                image.depth
            ),
        ];
        wrong_as(
            ImageFault::Outside,
            message,
            notes,
            "compare coordinates with the surface's size, or use `.zero` or `.clamp`",
        )
    };
    let x = i64::from(x as i32) * i64::from(scale);
    if x % i64::from(bytes) != 0 {
        let message = format!("a surface access of {bytes} bytes at byte {x} of a row");
        let help =
            "the first coordinate counts bytes, and has to be a multiple of the access' size";
        return Err(wrong_as(ImageFault::Misaligned, message, vec![], help));
    }
    // The last place in a row at which the access fits.
    let room = image.row_bytes().checked_sub(u64::from(bytes));
    let x = match (u64::try_from(x), room) {
        (Ok(x), Some(room)) if x <= room => x,
        (_, _) if clamp == SurfaceClamp::Trap => return Err(outside()),
        (_, None) => return Ok(None),
        _ if clamp == SurfaceClamp::Zero => return Ok(None),
        (Ok(_), Some(room)) => room - room % u64::from(bytes),
        (Err(_), Some(_)) => 0,
    };
    let mut others = [0; 2];
    for (other, (index, size)) in others.iter_mut().zip([(y, image.height), (z, image.depth)]) {
        *other = match surface_texel(index as i32, size, clamp) {
            Texel::At(index) => index,
            Texel::Nowhere => return Ok(None),
            Texel::Fault => return Err(outside()),
        };
    }
    Ok(Some(image.at(x, others[0], others[1])))
}

/// Runs `access` for every active lane with its surface.
///
/// # Safety
/// `op` must be a surface operation of the running frame.
unsafe fn each(
    core: &mut Core<'_>,
    op: *const Op,
    access: impl Fn(&mut Core<'_>, &ImageSite, usize, &Image) -> Result<(), Wrong>,
) -> *const Op {
    let run = core.run;
    // SAFETY: the decoder gave rows of the frame and an index of a site.
    unsafe {
        let site = site(run, op);
        let mask = core.mask(&*op);
        let mut found: Option<(u64, &Image)> = None;
        for lane in lanes(mask) {
            let handle = double(core, site.handle, lane);
            let image = match found {
                Some((of, image)) if of == handle => image,
                _ => match run.surface(handle, site.geometry) {
                    Ok(image) => image,
                    Err(what) => return core.fault(op, lane, *what),
                },
            };
            found = Some((handle, image));
            if let Err(what) = access(core, site, lane, image) {
                return core.fault(op, lane, *what);
            }
        }
        op.wrapping_add(1)
    }
}

/// `suld.b`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn load(core: &mut Core<'_>, op: *const Op) -> *const Op {
    let access = |core: &mut Core<'_>, site: &ImageSite, lane: usize, image: &Image| {
        let Action::Raw { bytes, clamp } = site.action else {
            return Ok(());
        };
        let whole = bytes * site.values.len() as u32;
        // SAFETY: `each` runs this for the operation that `site` belongs to.
        let at = unsafe { coordinates(core, site, lane) };
        let from = place(image, site.geometry, at, (whole, 1), clamp)?;
        core.tally.read += u64::from(whole);
        for (e, &row) in site.values.iter().enumerate() {
            let mut value = [0u8; 8];
            if let Some(from) = from {
                let from = (from + e as u64 * u64::from(bytes)) as *const u8;
                // SAFETY: `place` gives addresses inside the image, which is live; an element has 8
                // bytes at most.
                unsafe { from.copy_to_nonoverlapping(value.as_mut_ptr(), bytes as usize) };
            }
            if row == NOWHERE {
                continue;
            }
            let value = u64::from_le_bytes(value);
            // SAFETY: the decoder gave rows of the width in `wide`.
            unsafe {
                if site.wide {
                    set_double(core, row, lane, value);
                } else {
                    set_word(core, row, lane, value as u32);
                }
            }
        }
        Ok(())
    };
    // SAFETY: passed on.
    unsafe { each(core, op, access) }
}

/// `sust.b`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn store(core: &mut Core<'_>, op: *const Op) -> *const Op {
    let access = |core: &mut Core<'_>, site: &ImageSite, lane: usize, image: &Image| {
        let Action::Raw { bytes, clamp } = site.action else {
            return Ok(());
        };
        let whole = bytes * site.values.len() as u32;
        // SAFETY: `each` runs this for the operation that `site` belongs to.
        let at = unsafe { coordinates(core, site, lane) };
        let Some(to) = place(image, site.geometry, at, (whole, 1), clamp)? else {
            return Ok(());
        };
        core.turn.effects += 1;
        core.tally.written += u64::from(whole);
        for (e, &row) in site.values.iter().enumerate() {
            // SAFETY: the decoder gave rows of the width in `wide`.
            let value = unsafe { value(core, site, row, lane) }.to_le_bytes();
            let to = (to + e as u64 * u64::from(bytes)) as *mut u8;
            // SAFETY: `place` gives addresses inside the image, which is live; an element has 8
            // bytes at most.
            unsafe { to.copy_from_nonoverlapping(value.as_ptr(), bytes as usize) };
        }
        Ok(())
    };
    // SAFETY: passed on.
    unsafe { each(core, op, access) }
}

/// Returns the value that a lane stores.
///
/// # Safety
/// `row` must be one of the site's values.
unsafe fn value(core: &Core<'_>, site: &ImageSite, row: u32, lane: usize) -> u64 {
    // SAFETY: the decoder gave rows of the width in `wide`.
    unsafe {
        match site.wide {
            true => double(core, row, lane),
            false => word(core, row, lane).into(),
        }
    }
}

/// `sust.p`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn store_formatted(core: &mut Core<'_>, op: *const Op) -> *const Op {
    let access = |core: &mut Core<'_>, site: &ImageSite, lane: usize, image: &Image| {
        let Action::Formatted { clamp } = site.action else {
            return Ok(());
        };
        let whole = image.texel_bytes();
        // SAFETY: `each` runs this for the operation that `site` belongs to.
        let at = unsafe { coordinates(core, site, lane) };
        let Some(to) = place(image, site.geometry, at, (whole, whole), clamp)? else {
            return Ok(());
        };
        core.turn.effects += 1;
        core.tally.written += u64::from(whole);
        let bytes = image.format.bytes();
        for e in 0..image.channels as usize {
            // SAFETY: the decoder gave rows of 32-bit values.
            let value = site
                .values
                .get(e)
                .map_or(0, |&row| unsafe { word(core, row, lane) });
            let value = convert(value, image.format).to_le_bytes();
            let to = (to + e as u64 * u64::from(bytes)) as *mut u8;
            // SAFETY: the texel is inside the image, which is live; the channel is one of its.
            unsafe { to.copy_from_nonoverlapping(value.as_ptr(), bytes as usize) };
        }
        Ok(())
    };
    // SAFETY: passed on.
    unsafe { each(core, op, access) }
}

/// Converts a 32-bit value of the format's kind to the bits of a channel.
fn convert(value: u32, format: Format) -> u32 {
    let signed = value as i32;
    match format {
        Format::U8 => value.min(0xff),
        Format::U16 => value.min(0xffff),
        Format::I8 => signed.clamp(-0x80, 0x7f) as u32,
        Format::I16 => signed.clamp(-0x8000, 0x7fff) as u32,
        Format::F16 => format::half(f32::from_bits(value)).into(),
        Format::U32 | Format::I32 | Format::F32 => value,
    }
}

/// `sured`.
///
/// # Safety
/// As for every handler.
pub(crate) unsafe fn reduce(core: &mut Core<'_>, op: *const Op) -> *const Op {
    let access = |core: &mut Core<'_>, site: &ImageSite, lane: usize, image: &Image| {
        let Action::Reduce {
            update,
            clamp,
            value: typed,
        } = site.action
        else {
            return Ok(());
        };
        // A formatted reduction counts texels, of 32 bits.
        let (bytes, signed, scale) = match typed {
            Some((bytes, signed)) => (bytes, signed, 1),
            None => (4, image.format == Format::I32, 4),
        };
        // SAFETY: `each` runs this for the operation that `site` belongs to.
        let at = unsafe { coordinates(core, site, lane) };
        let Some(to) = place(image, site.geometry, at, (bytes, scale), clamp)? else {
            return Ok(());
        };
        if to % u64::from(bytes) != 0 {
            let message =
                format!("a reduction of {bytes} bytes at {to:#x}, which is no multiple of it");
            let help = "reductions are for arrays with channels of 32 bits";
            return Err(wrong_as(ImageFault::Misaligned, message, vec![], help));
        }
        core.tally.read += u64::from(bytes);
        core.turn.effects += 1;
        core.tally.written += u64::from(bytes);
        // SAFETY: the decoder gave a row of the width in `wide`.
        let with = unsafe { value(core, site, site.values[0], lane) };
        let to = to as *mut u8;
        // SAFETY: `place` gives addresses inside the image, which is live; this one is aligned.
        unsafe {
            if bytes == 8 {
                u64::update(to, |old| match update {
                    Update::Add => old.wrapping_add(with),
                    Update::Min => old.min(with),
                    Update::Max => old.max(with),
                    Update::And => old & with,
                    Update::Or => old | with,
                });
            } else {
                let with = with as u32;
                u32::update(to, |old| match update {
                    Update::Add => old.wrapping_add(with),
                    Update::Min if signed => (old as i32).min(with as i32) as u32,
                    Update::Max if signed => (old as i32).max(with as i32) as u32,
                    Update::Min => old.min(with),
                    Update::Max => old.max(with),
                    Update::And => old & with,
                    Update::Or => old | with,
                });
            }
        }
        Ok(())
    };
    // SAFETY: passed on.
    unsafe { each(core, op, access) }
}
