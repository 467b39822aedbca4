//! `cust` runs on this driver: initialisation, contexts, memory, streams and events, through
//! its safe API.

use cust::context::{CacheConfig, CurrentContext, ResourceLimit};
use cust::device::DeviceAttribute;
use cust::memory::{
    AsyncCopyDestination, CopyDestination, DeviceBuffer, LockedBuffer, UnifiedBuffer, mem_get_info,
};
use cust::prelude::*;
use lanewise_driver as _;

#[test]
fn a_device_describes_itself() -> Result<(), Box<dyn std::error::Error>> {
    cust::init(CudaFlags::empty())?;
    assert!(Device::num_devices()? >= 1);
    let device = Device::get_device(0)?;
    assert!(!device.name()?.is_empty());
    assert_eq!(device.get_attribute(DeviceAttribute::WarpSize)?, 32);
    assert!(device.total_memory()? > 0);
    assert_eq!(
        Device::get_device(99).unwrap_err(),
        cust::error::CudaError::InvalidDevice
    );
    Ok(())
}

#[test]
fn a_context_keeps_what_is_set() -> Result<(), Box<dyn std::error::Error>> {
    let _context = cust::quick_init()?;
    CurrentContext::set_cache_config(CacheConfig::PreferL1)?;
    assert_eq!(CurrentContext::get_cache_config()?, CacheConfig::PreferL1);
    CurrentContext::set_resource_limit(ResourceLimit::StackSize, 2048)?;
    assert_eq!(
        CurrentContext::get_resource_limit(ResourceLimit::StackSize)?,
        2048
    );
    Ok(())
}

#[test]
fn buffers_go_to_the_device_and_come_back() -> Result<(), Box<dyn std::error::Error>> {
    let _context = cust::quick_init()?;
    let numbers: Vec<u32> = (0..1000).collect();
    let buffer = DeviceBuffer::from_slice(&numbers)?;
    // SAFETY: it is written below before it is read.
    let mut other = unsafe { DeviceBuffer::uninitialized(1000)? };
    other.copy_from(&buffer)?;
    assert_eq!(other.as_host_vec()?, numbers);

    let mut unified = UnifiedBuffer::new(&7u64, 16)?;
    unified[3] = 9;
    assert_eq!((unified[2], unified[3]), (7, 9));
    let (free, total) = mem_get_info()?;
    assert!(free < total);
    Ok(())
}

#[test]
fn asynchronous_copies_are_done_when_the_stream_is() -> Result<(), Box<dyn std::error::Error>> {
    let _context = cust::quick_init()?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let from = LockedBuffer::new(&5u16, 4096)?;
    let mut to = LockedBuffer::new(&0u16, 4096)?;
    // SAFETY: it is written below before it is read.
    let mut on_device = unsafe { DeviceBuffer::<u16>::uninitialized(4096)? };
    let (start, stop) = (
        Event::new(EventFlags::DEFAULT)?,
        Event::new(EventFlags::DEFAULT)?,
    );
    start.record(&stream)?;
    // SAFETY: the buffers live until the stream has been synchronised.
    unsafe {
        on_device.async_copy_from(&from, &stream)?;
        on_device.async_copy_to(&mut to, &stream)?;
    }
    stop.record(&stream)?;
    stop.synchronize()?;
    stream.synchronize()?;
    assert!(to.iter().all(|&x| x == 5));
    assert!(stop.elapsed_time_f32(&start)? > 0.0);
    Ok(())
}
