//! Textures and surfaces: fetches and filters, accesses, queries, and errors.

mod objects;
mod surfaces;
mod textures;

use crate::common::Rig;
use lanewise_sim::AllocationKind;
use lanewise_sim::image::{Format, Image, Object, Sampler, Shape, Texture};

/// Makes a kernel that does `body` with thread-private operands and stores `%r0` to `%r3` for
/// each thread: parameters are a handle, the output, and the address of four words of coordinates
/// for each thread.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 object, .param .u64 out, .param .u64 at)
{{
    .reg .b32 %r<4>; .reg .b32 %c<4>; .reg .b32 %t; .reg .b64 %rd<6>; .reg .pred %p; .reg .b64 %l<2>; .reg .b16 %h<4>;
    ld.param.u64 %rd0, [object];
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [at];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %rd3, %t, 16, %rd1;
    mad.wide.u32 %rd4, %t, 16, %rd2;
    ld.global.v4.u32 {{%c0, %c1, %c2, %c3}}, [%rd4];
    mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0;
    {body}
    st.global.v4.u32 [%rd3], {{%r0, %r1, %r2, %r3}};
    ret;
}}"
    )
}

/// An image of `values` with rows padded to 64 bytes, as an array has them.
fn image<T: Copy>(
    rig: &Rig,
    shape: Shape,
    [width, height, depth]: [u32; 3],
    (format, channels): (Format, u32),
    values: &[T],
) -> Image {
    let bytes = std::mem::size_of_val(values);
    let texel = channels * format.bytes();
    assert_eq!(bytes as u32, width * height * depth * texel);
    let row = u64::from(width * texel).next_multiple_of(64);
    let slice = row * u64::from(height);
    let kind = if shape == Shape::Linear {
        AllocationKind::Device
    } else {
        AllocationKind::Array
    };
    let address = rig
        .device
        .memory()
        .allocate(slice * u64::from(depth), 1, kind, None)
        .expect("memory");
    let line = (width * texel) as usize;
    for n in 0..(height * depth) as usize {
        let from = values.as_ptr().cast::<u8>().wrapping_add(n * line);
        // SAFETY: both ends have the bytes of this row.
        unsafe { ((address + n as u64 * row) as *mut u8).copy_from_nonoverlapping(from, line) };
    }
    Image {
        address,
        format,
        channels,
        shape,
        width,
        height,
        depth,
        row,
        slice,
    }
}

fn texture(rig: &Rig, image: Image, sampler: Sampler) -> u64 {
    let levels = vec![image];
    rig.device
        .images()
        .add(Object::Texture(Texture { levels, sampler }))
}

/// Returns what threads at these coordinates read.
fn at<const N: usize>(rig: &Rig, object: u64, coordinates: &[[u32; N]]) -> Vec<[u32; 4]> {
    let padded: Vec<u32> = coordinates
        .iter()
        .flat_map(|c| std::array::from_fn::<u32, 4, _>(|i| c.get(i).copied().unwrap_or(0)))
        .collect();
    let (from, out) = (rig.buffer(&padded), rig.buffer(&vec![0u32; padded.len()]));
    rig.ok("k", 1, coordinates.len() as u32, &[object, out, from]);
    let words: Vec<u32> = rig.read(out, padded.len());
    words.chunks(4).map(|c| [c[0], c[1], c[2], c[3]]).collect()
}

/// Returns the first channel, as floats, at these one-dimensional coordinates.
fn line(rig: &Rig, object: u64, coordinates: &[f32]) -> Vec<f32> {
    let coordinates: Vec<[u32; 1]> = coordinates.iter().map(|x| [x.to_bits()]).collect();
    at(rig, object, &coordinates)
        .iter()
        .map(|v| f32::from_bits(v[0]))
        .collect()
}

const TEX_1D: &str = "tex.1d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0}];";
const TEX_2D: &str = "tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%c0, %c1}];";
