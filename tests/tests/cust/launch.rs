//! `cust::function` and `launch!`: kernels, their attributes, and running them.

use cust::context::{CacheConfig, SharedMemoryConfig};
use cust::error::CudaError;
use cust::function::{BlockSize, FunctionAttribute, GridSize};
use cust::launch;
use cust::memory::{DeviceBuffer, UnifiedBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};

fn module() -> Module {
    Module::from_ptx(super::PTX, &[]).expect("PTX")
}

fn stream() -> Stream {
    Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream")
}

#[test]
fn a_kernel_adds_for_every_size_and_way_to_launch() {
    let _context = super::context();
    let (module, stream) = (module(), stream());
    for n in [1usize, 31, 256, 1000] {
        let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let b: Vec<f32> = (0..n).map(|i| 0.5 * i as f32).collect();
        let (a, b) = (
            DeviceBuffer::from_slice(&a).expect("memory"),
            DeviceBuffer::from_slice(&b).expect("memory"),
        );
        let sum = DeviceBuffer::<f32>::zeroed(n).expect("memory");
        let function = module.get_function("add").expect("a kernel");
        let blocks = n.div_ceil(64) as u32;
        // SAFETY: three buffers of `n` floats and `n`.
        unsafe {
            launch!(module.add<<<blocks, 64, 0, stream>>>(
                a.as_device_ptr(), b.as_device_ptr(), sum.as_device_ptr(), n))
            .expect("a launch by name");
            launch!(function<<<GridSize::x(blocks), BlockSize::xy(64, 1), 0, stream>>>(
                a.as_device_ptr(), b.as_device_ptr(), sum.as_device_ptr(), n))
            .expect("a launch of a function");
            launch!(function<<<(blocks, 1, 1), (64, 1), 0, stream>>>(
                a.as_device_ptr(), sum.as_device_ptr(), sum.as_device_ptr(), n))
            .expect("a launch with tuples");
        }
        stream.synchronize().expect("no fault");
        let expected: Vec<f32> = (0..n).map(|i| 2.5 * i as f32).collect();
        assert_eq!(sum.as_host_vec().expect("a copy"), expected);
    }
}

#[test]
fn managed_memory_goes_to_a_kernel_as_it_is() {
    let _context = super::context();
    let (module, stream) = (module(), stream());
    let mut values = UnifiedBuffer::new(&2.0f32, 40).expect("managed memory");
    // SAFETY: 40 floats, of which thread `i` of 40 touches the one at `i`.
    unsafe { launch!(module.scale<<<1, 40, 0, stream>>>(values.as_unified_ptr())) }
        .expect("a launch");
    stream.synchronize().expect("no fault");
    assert!(values.iter().all(|&x| x == 3.0), "{:?}", &values[..]);
}

#[test]
fn constants_are_what_the_module_says() {
    let _context = super::context();
    let (module, stream) = (module(), stream());
    let out = DeviceBuffer::<u32>::zeroed(2).expect("memory");
    // SAFETY: the kernel writes two words.
    unsafe { launch!(module.offsets<<<1, 1, 0, stream>>>(out.as_device_ptr())) }.expect("a launch");
    stream.synchronize().expect("no fault");
    assert_eq!(out.as_host_vec().expect("a copy"), [7, 9]);
}

#[test]
fn a_function_has_attributes_and_hints() {
    let _context = super::context();
    let module = module();
    let mut function = module.get_function("add").expect("a kernel");
    let get = |attribute| function.get_attribute(attribute).expect("an attribute");
    assert_eq!(get(FunctionAttribute::MaxThreadsPerBlock), 1024);
    assert_eq!(get(FunctionAttribute::SharedMemorySizeBytes), 0);
    assert!(get(FunctionAttribute::NumRegisters) > 0);
    assert!(get(FunctionAttribute::BinaryVersion) >= 50);
    assert!(!function.to_raw().is_null());
    function
        .set_cache_config(CacheConfig::PreferShared)
        .expect("a hint");
    function
        .set_shared_memory_config(SharedMemoryConfig::EightByteBankSize)
        .expect("a hint");
}

#[test]
fn occupancy_is_answered() {
    let _context = super::context();
    let module = module();
    let function = module.get_function("add").expect("a kernel");
    let blocks = function
        .max_active_blocks_per_multiprocessor(BlockSize::x(256), 0)
        .expect("a number");
    assert!(blocks >= 1);
    let (grid, block) = function
        .suggested_launch_configuration(0, BlockSize::x(1024))
        .expect("a shape");
    assert!(
        grid > 0 && block.is_multiple_of(32) && block <= 1024,
        "{grid} {block}"
    );
    let room = function
        .available_dynamic_shared_memory_per_block(GridSize::x(1), BlockSize::x(64))
        .expect("a size");
    assert!(room > 0);
}

#[test]
fn a_shape_that_no_device_has_is_refused() {
    let _context = super::context();
    let (module, stream) = (module(), stream());
    let out = DeviceBuffer::<u32>::zeroed(2).expect("memory");
    // SAFETY: nothing runs.
    let launched = unsafe { launch!(module.offsets<<<1, 4096, 0, stream>>>(out.as_device_ptr())) };
    assert_eq!(launched, Err(CudaError::InvalidValue));
    // SAFETY: nothing runs.
    let launched = unsafe { launch!(module.offsets<<<0, 1, 0, stream>>>(out.as_device_ptr())) };
    assert_eq!(launched, Err(CudaError::InvalidValue));
}
