//! SwiGLU for Python: kernels in Rust on memory of PyTorch, numba or any library with DLPack.
//!
//! `forward_at` and `backward_at` take addresses, as an operator of PyTorch has them.
//! `forward` takes tensors by DLPack and returns one.

mod kernels;

use std::collections::HashMap;
use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use lanewise_cudarc::cudarc::driver::{CudaContext, CudaSlice, CudaStream, LaunchConfig};
use lanewise_cudarc::dlpack::{DLDevice, DLManagedTensor, Tensor};
use lanewise_cudarc::{Foreign, Kernels};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// The kernels of each device that was used.
static DEVICES: Mutex<Option<HashMap<usize, Arc<Kernels>>>> = Mutex::new(None);

/// Returns an error with its causes as Python's.
fn error(error: impl std::error::Error) -> PyErr {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    PyRuntimeError::new_err(text)
}

/// Returns the kernels of a device.
fn kernels(device: usize) -> PyResult<Arc<Kernels>> {
    let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let devices = devices.get_or_insert_default();
    if let Some(kernels) = devices.get(&device) {
        return Ok(Arc::clone(kernels));
    }
    // The primary context of the device, which PyTorch and numba use, too.
    let context = CudaContext::new(device).map_err(error)?;
    // SAFETY: each call here uses slices on one stream only, that of its caller.
    unsafe { context.disable_event_tracking() };
    let kernels = Arc::new(Kernels::new(&context));
    devices.insert(device, Arc::clone(&kernels));
    Ok(kernels)
}

/// Returns a stream of the caller. `stream` is the handle as a number, 0 for the default stream.
fn stream(kernels: &Kernels, stream: usize) -> Arc<CudaStream> {
    let handle = std::ptr::with_exposed_provenance_mut(stream);
    // SAFETY: the Python side passes the handle of its current stream, which lives during the call.
    unsafe { kernels.context().wrap_borrowed_stream(handle) }
}

/// Returns a shape for `n` elements, `each` of them a thread.
fn shape(n: usize, each: usize) -> LaunchConfig {
    let blocks = n.div_ceil(256 * each).max(1);
    LaunchConfig {
        grid_dim: (u32::try_from(blocks).unwrap_or(u32::MAX), 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Returns the numbers at an address that the caller keeps during the call.
fn numbers(stream: &Arc<CudaStream>, address: u64, n: usize) -> PyResult<Foreign<f32, ()>> {
    // SAFETY: the Python side passes the addresses of `n` numbers each, which are used on this
    // stream, and writes to those that it has just allocated.
    unsafe { Foreign::new(stream, address, n, ()) }.map_err(error)
}

/// Computes `n` elements of `y` on a stream, from addresses.
#[pyfunction]
fn forward_at(a: u64, b: u64, y: u64, n: usize, device: usize, on: usize) -> PyResult<()> {
    let kernels = kernels(device)?;
    let stream = stream(&kernels, on);
    let [a, b] = [numbers(&stream, a, n)?, numbers(&stream, b, n)?];
    let mut y = numbers(&stream, y, n)?;
    let arguments = (&a.view(), &b.view(), &mut y.view_mut());
    // SAFETY: the kernel is a safe function. If the stream is captured, PyTorch keeps the memory of
    // tensors for the graph, and kernels are never unloaded.
    unsafe { kernels.launch_unchecked(&stream, kernels::forward, shape(n, 4), arguments) }
        .map_err(error)
}

/// Computes the gradients of `n` elements on a stream, from addresses: a, b, y, by a, by b.
#[pyfunction]
fn backward_at(addresses: [u64; 5], n: usize, device: usize, on: usize) -> PyResult<()> {
    let kernels = kernels(device)?;
    let stream = stream(&kernels, on);
    let mut slices = Vec::new();
    for address in addresses {
        slices.push(numbers(&stream, address, n)?);
    }
    let [a, b, y, by_a, by_b] = &mut slices[..] else {
        unreachable!("five addresses are five slices");
    };
    let arguments = (
        &a.view(),
        &b.view(),
        &y.view(),
        &mut by_a.view_mut(),
        &mut by_b.view_mut(),
    );
    // SAFETY: as in `forward_at`.
    unsafe { kernels.launch_unchecked(&stream, kernels::backward, shape(n, 1), arguments) }
        .map_err(error)
}

const NAME: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";

/// Takes over the tensor of an object with `__dlpack__`, ready for use on the stream.
fn import(object: &Bound<'_, PyAny>, on: usize) -> PyResult<Tensor> {
    // DLPack names the legacy default stream 1.
    let options = [("stream", on.max(1))].into_py_dict(object.py())?;
    let capsule = object.call_method("__dlpack__", (), Some(&options))?;
    // SAFETY: a capsule of this name holds a tensor, by the protocol. Its new name says that the
    // tensor has an owner.
    unsafe {
        let tensor = ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr());
        let Some(tensor) = NonNull::new(tensor.cast::<DLManagedTensor>()) else {
            return Err(PyErr::fetch(object.py()));
        };
        ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr());
        Ok(Tensor::from_raw(tensor))
    }
}

/// Frees a tensor that nothing has taken over.
unsafe extern "C" fn forget(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this once, with a capsule of `__dlpack__` below.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            let tensor = ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr());
            drop(NonNull::new(tensor.cast()).map(|tensor| Tensor::from_raw(tensor)));
        }
    }
}

/// A result in memory of the device. Another library takes it by `from_dlpack`, once.
#[pyclass]
struct Array {
    slice: Option<CudaSlice<f32>>,
    shape: Vec<i64>,
    ordinal: usize,
}

#[pymethods]
impl Array {
    /// Hands the memory over, for use on the consumer's stream.
    #[pyo3(signature = (stream=None, **_options))]
    fn __dlpack__<'py>(
        &mut self,
        py: Python<'py>,
        stream: Option<isize>,
        _options: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(slice) = self.slice.take() else {
            return Err(PyValueError::new_err("the array was handed over before"));
        };
        // -1 asks for no order, and 1 is the legacy default stream, whose handle is null.
        if let Some(consumer @ 0..) = stream {
            let consumer = if consumer == 1 {
                0
            } else {
                consumer.unsigned_abs()
            };
            let consumer = self::stream(&*kernels(self.ordinal)?, consumer);
            consumer.join(slice.stream()).map_err(error)?;
        }
        let tensor = Tensor::export(slice, &self.shape)
            .map_err(error)?
            .into_raw();
        // SAFETY: the capsule owns the tensor until somebody renames it.
        unsafe {
            let capsule = ffi::PyCapsule_New(tensor.as_ptr().cast(), NAME.as_ptr(), Some(forget));
            Bound::from_owned_ptr_or_err(py, capsule)
        }
    }

    /// Returns the device as DLPack numbers it.
    fn __dlpack_device__(&self) -> (i32, i32) {
        let device = DLDevice::cuda(self.ordinal);
        (device.kind, device.number)
    }
}

/// Computes `y` of two tensors on a device and a stream, by DLPack.
#[pyfunction]
#[pyo3(signature = (a, b, device=0, on=0))]
fn forward(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    device: usize,
    on: usize,
) -> PyResult<Array> {
    let kernels = kernels(device)?;
    let stream = stream(&kernels, on);
    let [a, b] = [import(a, on)?, import(b, on)?];
    let shape = a.shape().to_vec();
    // SAFETY: both libraries were told the stream, and nothing here writes their tensors.
    let (a, b) = unsafe { (a.into_slice::<f32>(&stream), b.into_slice::<f32>(&stream)) };
    let (a, b) = (a.map_err(error)?, b.map_err(error)?);
    let n = a.view().len();
    let mut y = stream.alloc_zeros::<f32>(n).map_err(error)?;
    kernels
        .launch(
            &stream,
            kernels::forward,
            self::shape(n, 4),
            (&a.view(), &b.view(), &mut y),
        )
        .map_err(error)?;
    Ok(Array {
        slice: Some(y),
        shape,
        ordinal: device,
    })
}

/// The module `swiglu._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Array>()?;
    module.add_function(wrap_pyfunction!(forward, module)?)?;
    module.add_function(wrap_pyfunction!(forward_at, module)?)?;
    module.add_function(wrap_pyfunction!(backward_at, module)?)
}
