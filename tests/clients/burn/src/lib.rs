//! SwiGLU as an operation of burn, with a kernel in Rust.
#![forbid(unsafe_op_in_unsafe_fn)]

mod beside;
mod kernels;

use beside::Beside;
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::cuda::{CudaDevice, CudaRuntime};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;
use burn_tensor::{DType, Tensor, TensorMetadata, TensorPrimitive};
use lanewise_cudarc::cudarc::driver::{DriverError, LaunchConfig};
use lanewise_cudarc::{Foreign, Kernels};
use std::error::Error;

/// burn's backend for CUDA below its fusion: its tensors are in memory when an operation gets them.
pub type Cuda = CubeBackend<CudaRuntime, f32, i32, u8>;

/// `a sigmoid(a) b` of two tensors of `f32` on one device.
pub struct SwiGlu {
    device: CudaDevice,
    kernels: Kernels,
    stream: Beside,
}

impl SwiGlu {
    /// Makes the operation for tensors on this device.
    pub fn new(device: &CudaDevice) -> Result<Self, DriverError> {
        let stream = Beside::new(device.index)?;
        Ok(Self {
            device: device.clone(),
            kernels: Kernels::new(stream.context()),
            stream,
        })
    }

    /// Computes `a sigmoid(a) b`.
    ///
    /// # Panics
    /// If a tensor is on another device, or has elements of another type.
    pub fn apply<const D: usize>(
        &self,
        a: Tensor<Cuda, D>,
        b: Tensor<Cuda, D>,
    ) -> Result<Tensor<Cuda, D>, Box<dyn Error>> {
        let [a, b] = [a, b].map(|it| into_contiguous(it.into_primitive().tensor()));
        let (client, device) = (a.client.clone(), a.device.clone());
        let y = empty_device_contiguous_dtype(client, device, a.shape(), DType::F32);
        let n = y.shape().num_elements();
        let config = LaunchConfig {
            grid_dim: (n.div_ceil(4 * 256).max(1) as u32, 1, 1),
            block_dim: (256, 1, 1),
            shared_mem_bytes: 0,
        };
        let [a, b, mut to] = [self.elements(&a)?, self.elements(&b)?, self.elements(&y)?];
        let arguments = (&a.view(), &b.view(), &mut to.view_mut());
        self.stream.run(|stream| {
            self.kernels
                .launch(stream, kernels::swiglu, config, arguments)
        })?;
        Ok(Tensor::from_primitive(TensorPrimitive::Float(y)))
    }

    // ANCHOR: elements
    /// Returns the elements of a contiguous tensor.
    fn elements(
        &self,
        tensor: &CubeTensor<CudaRuntime>,
    ) -> Result<Foreign<f32, impl Sized + use<>>, DriverError> {
        assert_eq!(tensor.device, self.device, "the tensor's device");
        assert_eq!(tensor.dtype, DType::F32, "the tensor's elements");
        let memory = tensor.client.get_resource(tensor.handle.clone());
        let memory = memory.expect("the tensor's memory");
        let (address, n) = (memory.resource().ptr, tensor.shape().num_elements());
        // SAFETY: the tensor's memory is there until `memory` is dropped. `Beside::run` comes after
        // what CubeCL has submitted before it and before what it submits later.
        unsafe { Foreign::new(self.stream.stream(), address, n, memory) }
    }
    // ANCHOR_END: elements
}
