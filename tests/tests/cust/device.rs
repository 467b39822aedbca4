//! `cust::device`: which devices there are and what they can do.

use cust::CudaApiVersion;
use cust::device::{Device, DeviceAttribute};

#[test]
fn initialising_twice_is_as_good_as_once() {
    let _context = super::context();
    cust::init(cust::CudaFlags::empty()).expect("it is initialised");
    cust::init(cust::CudaFlags::empty()).expect("it still is");
}

#[test]
fn the_driver_has_a_version_that_cust_can_work_with() {
    let _context = super::context();
    let version = CudaApiVersion::get().expect("a version");
    assert!(version.major() >= 11, "{version:?}");
    assert!((0..10).contains(&version.minor()), "{version:?}");
}

#[test]
fn as_many_devices_are_listed_as_are_counted() {
    let _context = super::context();
    let count = Device::num_devices().expect("a count");
    assert!(count > 0);
    let listed: Vec<Device> = Device::devices()
        .expect("a list")
        .collect::<Result<_, _>>()
        .expect("every device");
    assert_eq!(listed.len(), count as usize);
    for (ordinal, device) in (0..count).zip(listed) {
        let again = Device::get_device(ordinal).expect("a device");
        assert_eq!(again.as_raw(), device.as_raw());
        assert!(!device.name().expect("a name").is_empty());
        assert!(device.total_memory().expect("a size") > 1 << 20);
    }
}

#[test]
fn a_device_that_is_not_there_is_refused() {
    let _context = super::context();
    let count = Device::num_devices().expect("a count");
    assert_eq!(
        Device::get_device(count).map(|_| ()),
        Err(cust::error::CudaError::InvalidDevice)
    );
}

#[test]
fn every_attribute_has_a_value() {
    use DeviceAttribute::*;
    let _context = super::context();
    let device = Device::get_device(0).expect("a device");
    let get = |attribute| device.get_attribute(attribute).expect("an attribute");
    assert_eq!(get(WarpSize), 32);
    assert_eq!(get(MaxThreadsPerBlock), 1024);
    assert_eq!(get(UnifiedAddressing), 1);
    assert_eq!(get(CanMapHostMemory), 1);
    // What an array may be, which `ArrayObject` asks for before it makes one.
    let extents = [
        MaximumTexture1DWidth,
        MaximumTexture2DWidth,
        MaximumTexture2DHeight,
        MaximumTexture3DWidth,
        MaximumTexture3DHeight,
        MaximumTexture3DDepth,
        MaximumTexture3DWidthAlternate,
        MaximumTexture3DHeightAlternate,
        MaximumTexture3DDepthAlternate,
        MaximumTexture1DLayeredWidth,
        MaximumTexture1DLayeredLayers,
        MaximumTexture2DLayeredWidth,
        MaximumTexture2DLayeredHeight,
        MaximumTexture2DLayeredLayers,
        MaximumTexture2DGatherWidth,
        MaximumTexture2DGatherHeight,
        MaximumTextureCubemapWidth,
        MaximumTextureCubemapLayeredWidth,
        MaximumTextureCubemapLayeredLayers,
        MaximumTexture1DLinearWidth,
        MaximumTexture2DLinearWidth,
        MaximumTexture2DLinearHeight,
        MaximumTexture2DLinearPitch,
        MaximumSurface1DWidth,
        MaximumSurface2DWidth,
        MaximumSurface3DWidth,
        MaximumSurface2DLayeredLayers,
        MaximumSurfacecubemapWidth,
    ];
    for attribute in extents {
        assert!(get(attribute) > 0, "{attribute:?}");
    }
    for attribute in [
        ComputeCapabilityMajor,
        MultiprocessorCount,
        ClockRate,
        MemoryClockRate,
        GlobalMemoryBusWidth,
        L2CacheSize,
        MaxThreadsPerMultiprocessor,
        MaxRegistersPerBlock,
        TotalConstantMemory,
        TextureAlignment,
        TexturePitchAlignment,
        SurfaceAlignment,
    ] {
        assert!(get(attribute) > 0, "{attribute:?}");
    }
}
