//! SwiGLU as an operation of candle, with a kernel in Rust.
#![forbid(unsafe_op_in_unsafe_fn)]

mod kernels;

use candle_core::backend::BackendStorage;
use candle_core::cuda_backend::cudarc::driver::{CudaView, LaunchConfig};
use candle_core::{
    CpuStorage, CudaStorage, CustomOp2, Device, Error, Layout, Result, Shape, Tensor, bail,
};
use lanewise_cudarc::Kernels;

/// `a sigmoid(a) b` of two tensors of `f32` on one device.
pub struct SwiGlu {
    kernels: Kernels,
}

impl SwiGlu {
    /// Makes the operation for tensors on this device.
    pub fn new(device: &Device) -> Result<Self> {
        let stream = device.as_cuda_device()?.cuda_stream();
        let kernels = Kernels::new(stream.context());
        Ok(Self { kernels })
    }

    /// Computes `a sigmoid(a) b`.
    pub fn apply(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        a.contiguous()?.apply_op2_no_bwd(&b.contiguous()?, self)
    }
}

/// Returns the elements of a tensor, which may be a part of its storage.
fn elements<'a>(storage: &'a CudaStorage, layout: &Layout) -> Result<CudaView<'a, f32>> {
    let Some((start, end)) = layout.contiguous_offsets() else {
        bail!("expected a contiguous tensor, found {layout:?}");
    };
    Ok(storage.as_cuda_slice::<f32>()?.slice(start..end))
}

impl CustomOp2 for SwiGlu {
    fn name(&self) -> &'static str {
        "swiglu"
    }

    // ANCHOR: forward
    fn cuda_fwd(
        &self,
        a: &CudaStorage,
        layout_a: &Layout,
        b: &CudaStorage,
        layout_b: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let device = a.device().clone();
        let shape = layout_a.shape().clone();
        let n = shape.elem_count();
        // SAFETY: the kernel writes every element, and reads none.
        let mut y = unsafe { device.alloc::<f32>(n)? };
        let config = LaunchConfig {
            grid_dim: (n.div_ceil(4 * 256).max(1) as u32, 1, 1),
            block_dim: (256, 1, 1),
            shared_mem_bytes: 0,
        };
        let arguments = (&elements(a, layout_a)?, &elements(b, layout_b)?, &mut y);
        self.kernels
            .launch(&device.cuda_stream(), kernels::swiglu, config, arguments)
            .map_err(Error::wrap)?;
        Ok((CudaStorage::wrap_cuda_slice(y, device), shape))
    }
    // ANCHOR_END: forward

    fn cpu_fwd(
        &self,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        bail!("this operation is for CUDA devices")
    }
}
