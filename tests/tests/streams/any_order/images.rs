//! Operations on surfaces and textures, and on memory of several devices under one address.

use device_kernels::surfaces::{paint_2d, painted, read_row};
use hopper_kernels::multimem::all_reduce;
use lanewise::texture::{Sampling, Texture};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, MulticastBuffer, Surface};

use super::ops::Op;
use super::world::{Did, LENGTHS, World, config, good, numbers};

/// Texels of what is made, by columns and rows.
const SIZES: [[usize; 2]; 4] = [[48, 1], [7, 5], [1, 1], [33, 3]];

/// An array of texels, as one or the other.
enum Kind {
    Surface(Surface<2>),
    Texture(Texture<2>),
}

/// An array, and what should be in it.
pub(super) struct Image {
    kind: Kind,
    device: Device,
    size: [usize; 2],
    expected: Vec<f32>,
}

/// What a launch with an image answers: another device's is refused.
fn launched(answer: Result<(), LaunchError>, same_device: bool) -> Result<bool, String> {
    match answer {
        Ok(()) if same_device => Ok(true),
        Err(LaunchError::Argument { source, .. })
            if !same_device && source.name() == "CUDA_ERROR_INVALID_HANDLE" =>
        {
            Ok(false)
        }
        answer => Err(format!("{answer:?}, of one device: {same_device}")),
    }
}

impl World<'_> {
    pub(super) fn on_images(&self, op: Op) -> Option<Did> {
        Some(match op {
            Op::NewImage {
                image,
                how,
                device,
                size,
            } => {
                let device = &self.devices[device.get() % self.devices.len()];
                let size = SIZES[size.get()];
                let made = new(device, size, how.get());
                made.map(|made| drop(self.images[image.get()].put(made)))
            }
            Op::DropImage { image } => {
                drop(self.images[image.get()].take()?);
                Ok(())
            }
            Op::Paint { stream, image } => {
                let queue = self.queue(stream.get())?;
                let image = &mut *self.images[image.get()].write()?;
                let Kind::Surface(surface) = &mut image.kind else {
                    return None;
                };
                let [width, height] = image.size;
                let shape = LaunchConfig::cover_2d((width + 3, height + 5), (16, 8));
                let device = queue.stream.device();
                let answer = queue.stream.launch(paint_2d, shape, (surface,));
                launched(answer, *device == image.device).map(|done| {
                    let texels = image.expected.iter_mut().enumerate();
                    for (i, texel) in texels.filter(|_| done) {
                        let (x, y) = ((i % width) as u32, (i / width) as u32);
                        *texel = painted(*texel, x, y, 0);
                    }
                })
            }
            Op::ReadImage { image } => {
                let image = self.images[image.get()].read()?;
                let Kind::Surface(surface) = &image.kind else {
                    return None;
                };
                good(surface.to_vec()).and_then(|found| image.check(&found, 0))
            }
            Op::IntoTexture { image } => {
                let mut place = self.images[image.get()].place()?;
                let image = place.take()?;
                let kind = match image.kind {
                    Kind::Surface(surface) => good(surface.into_texture(Sampling::default())),
                    texture @ Kind::Texture(_) => {
                        *place = Some(Image {
                            kind: texture,
                            ..image
                        });
                        return None;
                    }
                };
                kind.map(|texture| {
                    *place = Some(Image {
                        kind: Kind::Texture(texture),
                        ..image
                    });
                })
            }
            Op::ReadRow {
                stream,
                image,
                row,
                reads,
            } => {
                let queue = self.queue(stream.get())?;
                let image = self.images[image.get()].read()?;
                let Kind::Texture(texture) = &image.kind else {
                    return None;
                };
                let [width, height] = image.size;
                let row = row.get() % height;
                let made = good(DeviceBuffer::<f32>::zeroed_on(&queue.stream, width));
                made.and_then(|mut output| {
                    let device = queue.stream.device();
                    let arguments = (texture, row as u32, &mut output);
                    let answer = queue.stream.launch(read_row, config(width), arguments);
                    // Where nobody looks, it goes while it is in use.
                    match launched(answer, *device == image.device)? && reads.get() > 0 {
                        true => image.check(&good(output.to_vec())?, row),
                        false => Ok(()),
                    }
                })
            }
            Op::Multicast {
                stream,
                length,
                seed,
                reads,
            } => {
                let queue = self.queue(stream.get())?;
                let length = LENGTHS[length.get()];
                let mut made = match MulticastBuffer::<u32>::zeroed(self.devices, length) {
                    Ok(made) => made,
                    Err(error)
                        if self.devices.len() == 1
                            && error.name() == "CUDA_ERROR_NOT_SUPPORTED" =>
                    {
                        return None;
                    }
                    Err(error) => return Some(Err(format!("{error:?}"))),
                };
                let mut sum = vec![0u32; length];
                for part in 0..self.devices.len() {
                    let values = numbers(length, seed.get() + part);
                    if let Err(why) = good(made.copy_from_slice(part, &values)) {
                        return Some(Err(why));
                    }
                    sum.iter_mut().zip(values).for_each(|(sum, x)| *sum += x);
                }
                let arguments = (&made, 0, length as u32);
                let answer = queue.stream.launch(all_reduce, config(length), arguments);
                // Read by some, and dropped in use by others.
                let read = || {
                    (0..self.devices.len() * reads.get()).try_for_each(|part| {
                        match good(made.to_vec(part))? == sum {
                            true => Ok(()),
                            false => Err(format!("part {part} is not the sum of all")),
                        }
                    })
                };
                good(answer).and_then(|()| read())
            }
            op => return self.on_own_code(op),
        })
    }
}

/// A surface of zeros or of numbers, or a texture of numbers.
pub(super) fn new(device: &Device, size: [usize; 2], how: usize) -> Result<Image, String> {
    let values: Vec<f32> = numbers(size[0] * size[1], how)
        .into_iter()
        .map(|number| number as f32)
        .collect();
    let (kind, expected) = match how {
        0 => {
            let made = good(Surface::zeroed(device, size))?;
            (Kind::Surface(made), vec![0.0; values.len()])
        }
        1 => {
            let made = good(Surface::from_slice(device, &values, size))?;
            (Kind::Surface(made), values)
        }
        _ => {
            let made = good(Texture::from_slice(
                device,
                &values,
                size,
                Sampling::default(),
            ))?;
            (Kind::Texture(made), values)
        }
    };
    Ok(Image {
        kind,
        device: device.clone(),
        size,
        expected,
    })
}

impl Image {
    /// Sees whether that is what is there, from the start of a row on.
    fn check(&self, found: &[f32], row: usize) -> Did {
        let expected = &self.expected[row * self.size[0]..];
        let at = found.iter().zip(expected).position(|(a, b)| a != b);
        match at {
            None => Ok(()),
            Some(at) => Err(format!(
                "an image, texel {at} from row {row} on: found {}, expected {}",
                found[at], expected[at]
            )),
        }
    }

    /// Sees whether that is what is there, if it can be read.
    pub(super) fn check_all(&self) -> Did {
        match &self.kind {
            Kind::Surface(surface) => self.check(&good(surface.to_vec())?, 0),
            Kind::Texture(_) => Ok(()),
        }
    }
}
