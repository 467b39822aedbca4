//! One error for all that this crate returns, for functions that do several things.

use crate::tensor_map::TensorMapError;
use crate::{
    DriverError, GraphError, IpcError, LaunchError, LoadError, MemoryError, OpenError, SymbolError,
};

/// Any error of this crate. All of them convert to it, so that `?` works in a function that opens a
/// device, allocates, and launches. It says what the error that it holds says.
///
/// ```
/// use kernels::vec_add;
/// use lanewise::{Device, DeviceBuffer, LaunchConfig};
///
/// fn sum(a: &[f32], b: &[f32]) -> Result<Vec<f32>, lanewise::Error> {
///     let device = Device::open()?;
///     let stream = device.stream()?;
///     let [a, b] = [a, b].map(|numbers| DeviceBuffer::from_slice(&device, numbers));
///     let mut c = DeviceBuffer::zeroed(&device, 2)?;
///     stream.launch(vec_add, LaunchConfig::for_num_elems(2), (&a?, &b?, &mut c))?;
///     Ok(c.to_vec()?)
/// }
/// assert_eq!(sum(&[1.0, 2.0], &[10.0, 20.0])?, [11.0, 22.0]);
/// # Ok::<(), lanewise::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum Error {
    /// A call of the driver failed, or a kernel that ran before it.
    Driver(#[from] DriverError),
    /// No device was opened.
    Open(Box<OpenError>),
    /// Memory was not allocated, copied or seen as another type.
    Memory(Box<MemoryError>),
    /// A module was not loaded.
    Load(Box<LoadError>),
    /// A static of a module was not found, or is of another size.
    Symbol(Box<SymbolError>),
    /// A kernel was not launched.
    Launch(Box<LaunchError>),
    /// A graph was not built or launched.
    Graph(Box<GraphError>),
    /// Memory or an event of another process was not opened.
    Ipc(Box<IpcError>),
    /// A tensor map was refused.
    TensorMap(Box<TensorMapError>),
}

/// Those that would make each `Result` large are in boxes.
macro_rules! boxed {
    ($($variant:ident: $error:ty;)*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Error::$variant(Box::new(error))
            }
        }
    )*};
}
boxed! {
    Open: OpenError;
    Memory: MemoryError;
    Load: LoadError;
    Symbol: SymbolError;
    Launch: LaunchError;
    Graph: GraphError;
    Ipc: IpcError;
    TensorMap: TensorMapError;
}
