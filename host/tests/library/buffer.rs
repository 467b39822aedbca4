//! Buffers of any length, there and back.

use lanewise::{Device, DeviceBuffer};

#[test]
fn what_goes_to_the_device_comes_back() {
    let device = Device::open().expect("a device");
    for len in [0usize, 1, 3, 1000, 100_001] {
        let host: Vec<u32> = (0..len as u32)
            .map(|i| i.wrapping_mul(2_654_435_761))
            .collect();
        let buffer = DeviceBuffer::from_slice(&device, &host).expect("a buffer");
        assert_eq!((buffer.len(), buffer.is_empty()), (len, len == 0));
        assert_eq!(buffer.to_vec().expect("a copy"), host);
    }
}

#[test]
fn zeroed_means_zero_and_filling_again_too() {
    let device = Device::open().expect("a device");
    for len in [0, 1, 777] {
        let mut buffer = DeviceBuffer::<f64>::zeroed(&device, len).expect("a buffer");
        assert_eq!(buffer.to_vec().expect("a copy"), vec![0.0; len]);
        buffer.copy_from_slice(&vec![1.5; len]).expect("a copy");
        assert_eq!(buffer.to_vec().expect("a copy"), vec![1.5; len]);
        buffer.fill_zero().expect("zeroes");
        assert_eq!(buffer.to_vec().expect("a copy"), vec![0.0; len]);
    }
}

#[test]
fn an_empty_buffer_has_an_aligned_address_that_is_not_null() {
    let device = Device::open().expect("a device");
    assert_eq!(
        DeviceBuffer::<u64>::zeroed(&device, 0)
            .expect("a buffer")
            .address(),
        8
    );
    assert_eq!(
        DeviceBuffer::<u8>::from_slice(&device, &[])
            .expect("a buffer")
            .address(),
        1
    );
}

#[test]
fn arrays_and_tuples_of_numbers_go_as_they_are() {
    let device = Device::open().expect("a device");
    let host = [[1i16, -2, 3], [4, -5, 6]];
    assert_eq!(
        DeviceBuffer::from_slice(&device, &host)
            .expect("a buffer")
            .to_vec()
            .expect("a copy"),
        host
    );
}

#[test]
fn buffers_may_be_made_used_and_dropped_on_any_thread() {
    let device = Device::open().expect("a device");
    let buffer = DeviceBuffer::from_slice(&device, &[1, 2, 3]).expect("a buffer");
    let copied = std::thread::spawn(move || buffer.to_vec().expect("a copy"))
        .join()
        .expect("no panic");
    assert_eq!(copied, [1, 2, 3]);
}

#[test]
fn errors_name_the_line_of_the_caller() {
    let device = Device::open().expect("a device");
    let line = line!() + 1;
    let error = DeviceBuffer::<u8>::zeroed(&device, 1 << 50).expect_err("a pebibyte");
    let source = std::error::Error::source(&error).expect("the driver's answer");
    let driver = source
        .downcast_ref::<lanewise::DriverError>()
        .expect("a driver error");
    assert_eq!(
        (driver.location().file(), driver.location().line()),
        (file!(), line),
        "{driver}"
    );
    assert_eq!(driver.call(), "cuMemAlloc");
}

#[test]
fn filling_sets_every_element_of_a_buffer_or_of_a_part_of_it() {
    let device = Device::open().expect("a device");
    let stream = device.stream().expect("a stream");
    let mut words = DeviceBuffer::<u32>::zeroed(&device, 777).expect("a buffer");
    words.fill(u32::MAX).expect("a fill");
    assert_eq!(words.to_vec().expect("a copy"), [u32::MAX; 777]);
    stream.fill(&mut words, 5).expect("a fill");
    assert_eq!(words.to_vec().expect("a copy"), [5; 777]);

    words.slice_mut(1..3).fill(7).expect("a fill");
    stream.fill(&mut words.slice_mut(775..), 8).expect("a fill");
    words.slice_mut(..1).fill_zero().expect("a fill");
    words
        .slice_mut(3..=4)
        .copy_from_slice(&[1, 2])
        .expect("a copy");
    let host = words.to_vec().expect("a copy");
    assert_eq!(host[..6], [0, 7, 7, 1, 2, 5]);
    assert_eq!(host[773..], [5, 5, 8, 8]);
    assert_eq!(words.slice(1..4).to_vec().expect("a copy"), [7, 7, 1]);

    let mut bytes = DeviceBuffer::from_slice(&device, &[1u8; 5]).expect("a buffer");
    bytes.fill(9).expect("a fill");
    assert_eq!(bytes.to_vec().expect("a copy"), [9; 5]);
    let mut halves = DeviceBuffer::from_slice(&device, &[-1i16; 5]).expect("a buffer");
    halves.fill(-300).expect("a fill");
    assert_eq!(halves.to_vec().expect("a copy"), [-300; 5]);
    let mut nothing = DeviceBuffer::<f32>::zeroed(&device, 0).expect("a buffer");
    nothing.fill(1.0).expect("a fill of nothing");
}

#[test]
fn a_part_that_is_not_there_panics_at_the_callers_line_with_both_lengths() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Arc, Mutex};

    let device = Device::open().expect("a device");
    let mut buffer = DeviceBuffer::from_slice(&device, &[0u8; 10]).expect("a buffer");
    let seen = Arc::new(Mutex::new(String::new()));
    let (told, before) = (seen.clone(), Arc::new(std::panic::take_hook()));
    let (me, others) = (std::thread::current().id(), before.clone());
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() != me {
            return others(info);
        }
        let file = info.location().map(|at| at.file()).unwrap_or_default();
        *told.lock().expect("no panic") = format!("{file}: {info}");
    }));
    let mut said = |work: &mut dyn FnMut(&mut DeviceBuffer<u8>)| {
        catch_unwind(AssertUnwindSafe(|| work(&mut buffer))).expect_err("a panic");
        seen.lock().expect("no panic").clone()
    };
    let all = [
        said(&mut |buffer| drop(buffer.slice(4..11))),
        said(&mut |buffer| drop(buffer.slice_mut(11..))),
        said(&mut |buffer| drop(buffer.split_at_mut(11))),
        said(&mut |buffer| drop(buffer.parts_of(&[4, 7]))),
        said(&mut |buffer| drop(buffer.chunks_mut(0))),
    ];
    std::panic::set_hook(Box::new(move |info| before(info)));
    for text in &all {
        assert!(text.starts_with(file!()), "{text}");
    }
    for text in &all[..4] {
        assert!(text.contains("11") && text.contains("10"), "{text}");
    }
}

#[test]
fn a_buffer_shows_its_device_in_a_few_words() {
    let device = Device::open().expect("a device");
    let shown = format!("{device:?}");
    assert!(
        shown.starts_with("Device { ordinal: 0, backend: ") && shown.len() < 120,
        "{shown}"
    );
    let buffer = DeviceBuffer::<u8>::zeroed(&device, 1).expect("a buffer");
    assert!(format!("{buffer:?}").contains(&shown), "{buffer:?}");
}
