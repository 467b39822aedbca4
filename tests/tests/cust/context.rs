//! `cust::context`: the primary context, its settings, and the contexts of before (`legacy`).

use cust::context::legacy;
use cust::context::{
    CacheConfig, Context, ContextFlags, CurrentContext, ResourceLimit, SharedMemoryConfig,
};
use cust::device::Device;
use cust::error::CudaError;

#[test]
fn contexts_of_one_device_are_one() {
    let first = super::context();
    let device = Device::get_device(0).expect("a device");
    let second = Context::new(device).expect("the primary context again");
    assert_eq!(first.as_raw(), second.as_raw());
    assert_eq!(first.as_raw(), first.clone().as_raw());
    assert!(first.get_api_version().expect("a version").major() >= 3);
    Context::drop(second)
        .map_err(|(error, _)| error)
        .expect("it was retained");
    // The other holder's still works.
    CurrentContext::synchronize().expect("nothing to wait for");
}

#[test]
fn a_context_is_of_each_thread_that_makes_it_current() {
    let context = super::context();
    let device = CurrentContext::get_device().expect("the device").as_raw();
    let elsewhere = std::thread::spawn(move || {
        let before = CurrentContext::get_device().map(|device| device.as_raw());
        CurrentContext::set_current(&context).expect("a live context");
        (
            before,
            CurrentContext::get_device().map(|device| device.as_raw()),
        )
    });
    let (before, after) = elsewhere.join().expect("no panic");
    assert_eq!(before, Err(CudaError::InvalidContext));
    assert_eq!(after, Ok(device));
}

#[test]
fn settings_of_the_context_are_read_back() {
    // A context of its own, so that no other test sees them.
    let _device = super::context();
    let device = Device::get_device(0).expect("a device");
    let context = legacy::Context::create_and_push(
        legacy::ContextFlags::MAP_HOST | legacy::ContextFlags::SCHED_AUTO,
        device,
    )
    .expect("a context");
    assert!(
        legacy::CurrentContext::get_flags()
            .expect("flags")
            .contains(legacy::ContextFlags::SCHED_AUTO)
    );

    CurrentContext::set_resource_limit(ResourceLimit::StackSize, 2048).expect("a limit");
    let stack = CurrentContext::get_resource_limit(ResourceLimit::StackSize).expect("a limit");
    assert!(stack >= 2048, "{stack}");
    let heap = CurrentContext::get_resource_limit(ResourceLimit::MallocHeapSize).expect("a limit");
    assert!(heap > 0);

    CurrentContext::set_cache_config(CacheConfig::PreferL1).expect("a hint");
    CurrentContext::get_cache_config().expect("a hint, taken or not");
    CurrentContext::set_shared_memory_config(SharedMemoryConfig::DefaultBankSize).expect("a hint");
    CurrentContext::get_shared_memory_config().expect("a width");

    let range = CurrentContext::get_stream_priority_range().expect("a range");
    assert!(range.greatest <= range.least, "{range:?}");

    let current = legacy::CurrentContext::get_current().expect("the context");
    assert_eq!(
        current.get_api_version().expect("a version").major(),
        context.get_api_version().expect("a version").major()
    );
    legacy::ContextStack::pop().expect("the context");
    legacy::ContextStack::push(&context).expect("the context");
    legacy::ContextStack::pop().expect("the context");
    legacy::Context::drop(context)
        .map_err(|(error, _)| error)
        .expect("a live context");
}

#[test]
fn flags_of_the_primary_context_can_be_set() {
    let context = super::context();
    context
        .set_flags(ContextFlags::SCHED_BLOCKING_SYNC)
        .expect("flags");
    context.set_flags(ContextFlags::SCHED_AUTO).expect("flags");
    CurrentContext::get_flags().expect("flags");
}
