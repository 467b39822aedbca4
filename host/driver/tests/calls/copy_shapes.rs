//! Copies of boxes between host memory, device memory and arrays, against a loop over bytes.
//!
//! Each case makes two volumes with room around the box, fills both with different bytes,
//! and copies. It compares the whole destination: the bytes that were copied, and those that
//! must not change.

use crate::answer::ok;
use lanewise_driver::abi::*;
use lanewise_driver::api::*;
use proptest::prelude::*;
use std::sync::Once;

/// Where a volume is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Host,
    Device,
    /// Host or device memory. The driver finds out which.
    Unified,
    Array,
}

/// One end of a copy: where it is, the offset of the box in the volume (in texels, rows and
/// slices), the room after the box, and the bytes of padding after each row.
#[derive(Debug, Clone)]
struct End {
    place: Place,
    offset: [usize; 3],
    room: [usize; 3],
    padding: usize,
}

#[derive(Debug, Clone)]
struct Case {
    /// Bytes of a texel: 1 to 16.
    texel: usize,
    extent: [usize; 3],
    from: End,
    to: End,
    asynchronous: bool,
    peer: bool,
}

/// A volume with its bytes: rows of `width` bytes with a pitch, in the order of memory (for arrays:
/// as they are copied out).
struct Volume {
    place: Place,
    width: usize,
    rows: usize,
    slices: usize,
    pitch: usize,
    host: Vec<u8>,
    device: CUdeviceptr,
    array: CUarray,
}

/// Makes the device's primary context current on this thread.
fn context() {
    static ONCE: Once = Once::new();
    // SAFETY: takes zero.
    ONCE.call_once(|| ok(unsafe { cuInit(0) }));
    let mut context = CUcontext(0);
    // SAFETY: a variable to write to; the context is live.
    unsafe {
        ok(cuDevicePrimaryCtxRetain(&mut context, 0));
        ok(cuCtxSetCurrent(context));
    }
}

impl Volume {
    fn new(end: &End, extent: [usize; 3], texel: usize, seed: u8) -> Volume {
        let [width, rows, slices] =
            std::array::from_fn(|axis| (end.offset[axis] + extent[axis] + end.room[axis]).max(1));
        let width = width * texel;
        let pitch = if end.place == Place::Array {
            width
        } else {
            width + end.padding
        };
        let bytes = pitch * rows * slices;
        let host: Vec<u8> = (0..bytes)
            .map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed))
            .collect();
        let mut volume = Volume {
            place: end.place,
            width,
            rows,
            slices,
            pitch,
            host,
            device: 0,
            array: CUarray(0),
        };
        // SAFETY: variables to write to, and as many bytes as were allocated.
        unsafe {
            match end.place {
                Place::Host => {}
                Place::Device | Place::Unified => {
                    ok(cuMemAlloc_v2(&mut volume.device, bytes));
                    ok(cuMemcpyHtoD_v2(
                        volume.device,
                        volume.host.as_ptr().cast(),
                        bytes,
                    ));
                }
                Place::Array => {
                    // Channels of 8 or 32 bits.
                    let (format, channels) = if texel <= 4 {
                        (1, texel)
                    } else {
                        (3, texel / 4)
                    };
                    let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
                        width: width / texel,
                        height: rows,
                        depth: slices,
                        format,
                        channels: channels as u32,
                        flags: 0,
                    };
                    ok(cuArray3DCreate_v2(&mut volume.array, &descriptor));
                    let whole = volume.whole();
                    ok(cuMemcpy3D_v2(&whole));
                }
            }
        }
        volume
    }

    fn side(&self, place: Place, [x, y, z]: [usize; 3]) -> Side3D {
        let memory_type = match place {
            Place::Host => 1,
            Place::Device => 2,
            Place::Array => 3,
            Place::Unified => 4,
        };
        Side3D {
            x_in_bytes: x,
            y,
            z,
            lod: 0,
            memory_type,
            host: self.host.as_ptr().cast_mut().cast(),
            device: self.device,
            array: self.array,
            context: CUcontext(0),
            pitch: self.pitch,
            height: self.rows,
        }
    }

    /// Copies the whole volume from host memory to its array.
    fn whole(&self) -> CUDA_MEMCPY3D {
        CUDA_MEMCPY3D {
            src: self.side(Place::Host, [0; 3]),
            dst: self.side(Place::Array, [0; 3]),
            width_in_bytes: self.width,
            height: self.rows,
            depth: self.slices,
        }
    }

    /// Returns the bytes of the volume as they are now.
    fn read(&mut self) -> &[u8] {
        // SAFETY: the vector has as many bytes as the volume.
        unsafe {
            match self.place {
                Place::Host => {}
                Place::Device | Place::Unified => {
                    let bytes = self.host.len();
                    ok(cuMemcpyDtoH_v2(
                        self.host.as_mut_ptr().cast(),
                        self.device,
                        bytes,
                    ));
                }
                Place::Array => {
                    let whole = self.whole();
                    ok(cuMemcpy3D_v2(&CUDA_MEMCPY3D {
                        src: whole.dst,
                        dst: whole.src,
                        ..whole
                    }));
                }
            }
        }
        &self.host
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        // SAFETY: they are ours, and null is fine for the first.
        unsafe {
            ok(cuMemFree_v2(self.device));
            if self.array != CUarray(0) {
                ok(cuArrayDestroy(self.array));
            }
        }
    }
}

fn run(case: &Case) {
    context();
    let mut from = Volume::new(&case.from, case.extent, case.texel, 7);
    let mut to = Volume::new(&case.to, case.extent, case.texel, 101);
    let [width, height, depth] = [case.extent[0] * case.texel, case.extent[1], case.extent[2]];
    let place = |end: &End| [end.offset[0] * case.texel, end.offset[1], end.offset[2]];
    let (at, onto) = (place(&case.from), place(&case.to));
    let mut context = CUcontext(0);
    // SAFETY: a variable.
    ok(unsafe { cuCtxGetCurrent(&mut context) });
    let side = |volume: &Volume, at| Side3D {
        context,
        ..volume.side(volume.place, at)
    };
    let copy = CUDA_MEMCPY3D {
        src: side(&from, at),
        dst: side(&to, onto),
        width_in_bytes: width,
        height,
        depth,
    };
    // SAFETY: both volumes hold the box at its offset; the contexts of peers are the current one.
    let code = unsafe {
        let stream = CUstream::default();
        let code = match (case.peer, case.asynchronous) {
            (false, false) => cuMemcpy3D_v2(&copy),
            (false, true) => cuMemcpy3DAsync_v2(&copy, stream),
            (true, false) => cuMemcpy3DPeer(&copy),
            (true, true) => cuMemcpy3DPeerAsync(&copy, stream),
        };
        ok(cuCtxSynchronize());
        code
    };
    let mut expected = to.host.clone();
    if width * height * depth > 0 {
        ok(code);
        let source = from.read().to_vec();
        if to.place == Place::Host {
            // The vector is the destination: start from what it was.
            expected = Volume::new(&case.to, case.extent, case.texel, 101)
                .host
                .clone();
        }
        for z in 0..depth {
            for y in 0..height {
                let row = |volume: &Volume, [x, y0, z0]: [usize; 3]| {
                    ((z + z0) * volume.rows + y + y0) * volume.pitch + x
                };
                let (read, write) = (row(&from, at), row(&to, onto));
                expected[write..write + width].copy_from_slice(&source[read..read + width]);
            }
        }
    }
    assert_eq!(to.read(), expected);
}

fn end() -> impl Strategy<Value = End> {
    let place = prop_oneof![
        Just(Place::Host),
        Just(Place::Device),
        Just(Place::Unified),
        Just(Place::Array)
    ];
    let offset = prop::array::uniform3(0usize..4);
    let room = prop::array::uniform3(0usize..3);
    (place, offset, room, 0usize..9).prop_map(|(place, offset, room, padding)| End {
        place,
        offset,
        room,
        padding,
    })
}

fn case() -> impl Strategy<Value = Case> {
    let texel = prop::sample::select(vec![1usize, 2, 4, 8, 16]);
    let extent = (0usize..9, 0usize..6, 0usize..4).prop_map(|(x, y, z)| [x, y, z]);
    (texel, extent, end(), end(), any::<bool>(), any::<bool>()).prop_map(
        |(texel, extent, from, to, asynchronous, peer)| Case {
            texel,
            extent,
            from,
            to,
            asynchronous,
            peer,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn boxes_arrive_and_nothing_else_changes(case in case()) {
        run(&case);
    }
}
