//! A case on the driver's device: a GPU, or the simulator through the driver's calls.

use cust::memory::DeviceBuffer as New;
use lanewise::tensor_map::{Columns, Im2colMap, TensorMap, TensorMapError, Tiles};
use lanewise::{Device, DeviceBuffer, LaunchConfig, LaunchError, Module, Stream};
use lanewise_std::tma;

use crate::case::{Case, Language, Variant};
use crate::host;
use crate::simulated::WORDS;

/// A tensor map as a kernel takes it.
type Map<T, const RANK: usize> = tma::TensorMap<'static, T, RANK>;
/// The one of images.
type Images = tma::Im2colMap<'static, u32, 4>;

/// The result of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The driver's compiler refuses the kernel, for this reason.
    Refused(String),
    /// A call failed, by the error's name.
    Failed(String),
    /// The kernel completed, and no call failed.
    Ended,
}

/// A device on which cases are launched, one after another, until one makes it unusable.
#[derive(Debug)]
pub struct Launcher {
    device: Device,
    stream: Stream,
    /// The kernels of all cases in Rust, once one was asked for.
    rust: Option<Module>,
}

impl Launcher {
    /// On the device that the driver opens.
    ///
    /// # Errors
    /// The driver's error, in words.
    pub fn new() -> Result<Self, String> {
        let device = Device::open().map_err(|error| error.to_string())?;
        let stream = device.stream().map_err(|error| error.to_string())?;
        Ok(Self {
            device,
            stream,
            rust: None,
        })
    }

    /// Launches a part of a case and waits for it; tells when all is there but the launch.
    pub fn run(&mut self, case: &Case, part: Variant, launches: &mut dyn FnMut()) -> Ending {
        if case.language == Language::Host {
            return host::run(case, part, launches);
        }
        let (text, kernel) = case.module(part);
        let own;
        let module = match (case.language, &self.rust) {
            (Language::Rust, Some(module)) => module,
            (language, _) => match Module::from_ptx(&self.device, &text) {
                Err(error) => {
                    let source = std::error::Error::source(&error).map(ToString::to_string);
                    return Ending::Refused(source.unwrap_or_else(|| error.to_string()));
                }
                Ok(module) if language == Language::Rust => self.rust.insert(module),
                Ok(module) => {
                    own = module;
                    &own
                }
            },
        };
        let data = match DeviceBuffer::<u32>::zeroed(&self.device, WORDS as usize) {
            Ok(data) => data,
            Err(error) => return Ending::Failed(error.to_string()),
        };
        // SAFETY: that nobody has written it is what it is for; the host does not read it.
        let new = match unsafe { New::<u32>::uninitialized(WORDS as usize) } {
            Ok(new) => new,
            Err(error) => return Ending::Failed(error.to_string()),
        };
        let [grid, cluster, block] = case.extents();
        let mut config = LaunchConfig::new(grid, block);
        if cluster > 1 {
            config = config.with_cluster(cluster);
        }
        // SAFETY: the buffer's own bytes, of which any are a number; it outlives this.
        let floats = unsafe {
            DeviceBuffer::<f32>::borrow_raw(&self.device, data.address(), WORDS as usize)
        };
        let maps = case.takes_maps().then(|| {
            let tiles = || Tiles::new([32, 32], [8, 4]);
            let images = Columns::new([4, 8, 4, 2], ([-1, -1, 0], [-1, -1, 0]), (4, 8));
            Ok::<_, TensorMapError>((
                TensorMap::new(&data, tiles())?,
                TensorMap::new(&floats, tiles())?,
                Im2colMap::new(&data, images)?,
            ))
        });
        let maps = match maps.transpose() {
            Ok(maps) => maps,
            Err(error) => return Ending::Failed(error.to_string()),
        };
        launches();
        let (at, new) = (data.address(), new.as_device_ptr().as_raw());
        // SAFETY: a kernel in PTX takes two addresses, one in Rust two slices. What else would have
        // to hold is what a wrong one breaks: it runs in a process that is there for nothing else.
        let launched = unsafe {
            let stream = &self.stream;
            match (case.language, &maps) {
                (Language::Ptx, Some((tiles, floats, images))) => {
                    module.launch_named::<(u64, u64, Map<u32, 2>, Map<f32, 2>, Images), _>(
                        stream,
                        &kernel,
                        config,
                        (at, new, tiles, floats, images),
                    )
                }
                (Language::Ptx, None) => {
                    module.launch_named::<(u64, u64), _>(stream, &kernel, config, (at, new))
                }
                (Language::Rust | Language::Host, _) => module
                    .launch_named::<(u64, u64, u64, u64), _>(
                        stream,
                        &kernel,
                        config,
                        (at, WORDS, new, WORDS),
                    ),
            }
        };
        match launched {
            Err(LaunchError::UnknownKernel { .. }) => {
                return Ending::Refused("the module loads, without this kernel".into());
            }
            Err(error) => {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                return Ending::Failed(source.unwrap_or_else(|| error.to_string()));
            }
            Ok(()) => {}
        }
        match self.stream.synchronize() {
            Ok(()) => Ending::Ended,
            Err(error) => Ending::Failed(error.name().to_owned()),
        }
    }
}
