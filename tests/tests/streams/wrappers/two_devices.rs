//! Buffers, pools, textures and copies of two devices.

use std::time::Duration;

use gpu::basics::vector_add::vec_add;
use gpu::shared::texture::texture_1d;
use lanewise::texture::Sampling;
use lanewise::{Device, DeviceBuffer, LaunchConfig, ManagedBuffer, MemoryPool, Module, Texture};
use tests::isolate::{ChildOutput, isolated_with};

/// Runs `body` with two simulated devices in a process of its own. `more` are
/// further environment variables.
fn with_two_devices(
    more: &[(&str, &str)],
    test: &str,
    body: impl FnOnce(&Device, &Device) -> String,
) -> ChildOutput {
    let environment = [&[("LANEWISE_SIM_DEVICES", "2")][..], more].concat();
    isolated_with(&environment, test, || {
        let devices = Device::all().expect("two devices");
        match &devices[..] {
            [first, second] => body(first, second),
            others => format!("{} devices", others.len()),
        }
    })
}

/// A pool's buffer counts as memory of the stream's device, so both must be of one device.
#[test]
fn a_pool_gives_memory_to_streams_of_its_own_device_alone() {
    let _turn = tests::turn();
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let test = "wrappers::two_devices::a_pool_gives_memory_to_streams_of_its_own_device_alone";
    let answer = with_two_devices(&[], test, |first, second| {
        let pool = MemoryPool::new(first).expect("a pool");
        let [own, other] = [first, second].map(|device| device.stream().expect("a stream"));
        let given = pool.zeroed::<f32>(&own, 8).expect("a buffer");
        let refused = pool.zeroed::<f32>(&other, 8).expect_err("another device's");
        format!("{}, {:#}", given.len(), anyhow::Error::from(refused))
    });
    assert!(
        answer.text.starts_with("8, ") && answer.text.contains("CUDA_ERROR_INVALID_VALUE"),
        "{}",
        answer.text
    );
}

/// The wait for the other device's use fails after a fault there. The use may still run, so the
/// memory is not given to another buffer.
#[test]
fn memory_whose_last_use_cannot_be_waited_for_is_not_freed() {
    let _turn = tests::turn();
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let test = "wrappers::two_devices::memory_whose_last_use_cannot_be_waited_for_is_not_freed";
    let answer = with_two_devices(&[("LANEWISE_LOG", "off")], test, |first, second| {
        const ENDS: &str =
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry ends() { trap; }\n";
        const LENGTH: usize = 1 << 20;
        second.enable_peer(first).expect("access");
        let stream = second.stream().expect("a stream");
        let pool = MemoryPool::new(first).expect("a pool");
        let pooled = pool.zeroed::<f32>(&first.stream().expect("a stream"), LENGTH);
        let pooled = pooled.expect("a buffer");
        let plain = DeviceBuffer::<f32>::zeroed(first, LENGTH).expect("a buffer");
        let mut sum = DeviceBuffer::<f32>::zeroed(second, LENGTH).expect("a buffer");
        first.synchronize().expect("no fault");
        let config = LaunchConfig::for_num_elems(LENGTH);
        let both = (&plain, &pooled, &mut sum);
        stream.launch(vec_add, config, both).expect("a launch");
        let module = Module::from_ptx(second, ENDS).expect("PTX");
        // SAFETY: the kernel has no parameters, and accesses no memory.
        let launched = unsafe { module.launch_named(&stream, "ends", LaunchConfig::new(1, 1), ()) };
        launched.expect("a launch");
        second.synchronize().expect_err("the kernel traps");
        let addresses = [plain.address(), pooled.address()];
        drop((plain, pooled));
        first.synchronize().expect("no fault here");
        let again: Vec<_> = (0..4)
            .map(|_| DeviceBuffer::<f32>::zeroed(first, LENGTH).expect("a buffer"))
            .collect();
        let reused = |address: &u64| again.iter().any(|buffer| buffer.address() == *address);
        format!("{:?}", addresses.each_ref().map(reused))
    });
    assert_eq!(answer.text, "[false, false]");
}

#[test]
fn a_buffer_of_another_device_is_refused_until_it_is_reached() {
    let _turn = tests::turn();
    let test = "wrappers::two_devices::a_buffer_of_another_device_is_refused_until_it_is_reached";
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let answer = with_two_devices(&[], test, |first, second| {
        let streams = [first, second].map(|device| device.stream().expect("a stream"));
        let here = DeviceBuffer::from_slice(first, &[1.0f32, 2.0]).expect("a buffer");
        let mut there = DeviceBuffer::from_slice(second, &[0.0f32; 2]).expect("a buffer");
        let config = LaunchConfig::for_num_elems(2);
        let mut add = || streams[1].launch(vec_add, config, (&here, &here, &mut there));
        let refused = add().expect_err("no access");
        let refused = format!("{:#}", anyhow::Error::from(refused));
        second.enable_peer(first).expect("access");
        second.enable_peer(first).expect("twice is once");
        add().expect("a launch");
        let module = second.module::<gpu::Ptx>().expect("the PTX");
        let arguments = (&here, &here, &mut there);
        // SAFETY: the module is the one of the handle, whose launch has no conditions.
        let other = unsafe { module.launch_unchecked(&streams[0], vec_add, config, arguments) }
            .expect_err("the stream is the first device's");
        let mut back = DeviceBuffer::from_slice(first, &[0.0f32; 2]).expect("a buffer");
        streams[0].copy(&there, &mut back).expect("a copy");
        let reach = first.can_reach(second).expect("an answer");
        format!("{refused}\n{other}\n{reach} {:?}", back.to_vec())
    });
    let lines: Vec<&str> = answer.text.lines().collect();
    assert!(
        lines[0].contains("CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"),
        "{}",
        answer.text
    );
    assert!(lines[1].contains("is on device 0"), "{}", answer.text);
    assert!(
        lines[2].contains("on a stream of device 0"),
        "{}",
        answer.text
    );
    assert_eq!(lines[3], "true Ok([2.0, 4.0])");
}

#[test]
fn a_texture_of_another_device_is_refused() {
    let _turn = tests::turn();
    let test = "wrappers::two_devices::a_texture_of_another_device_is_refused";
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let answer = with_two_devices(&[], test, |first, second| {
        second.enable_peer(first).expect("access");
        let stream = second.stream().expect("a stream");
        let sampling = Sampling::default();
        let texture = Texture::from_slice(first, &[1.0, 2.0], [2], sampling).expect("a texture");
        let at = DeviceBuffer::from_slice(second, &[0.5f32, 1.5]).expect("a buffer");
        let mut output = DeviceBuffer::<f32>::zeroed(second, 2).expect("a buffer");
        let config = LaunchConfig::for_num_elems(2);
        let refused = stream.launch(texture_1d, config, (&texture, &at, &mut output));
        format!(
            "{:#}",
            anyhow::Error::from(refused.expect_err("another device's"))
        )
    });
    assert!(
        answer
            .text
            .contains("the texture is of device 0, and the kernel would run on device 1"),
        "{}",
        answer.text
    );
}

#[test]
fn managed_memory_waits_for_kernels_of_other_devices_too() {
    let _turn = tests::turn();
    let test = "wrappers::two_devices::managed_memory_waits_for_kernels_of_other_devices_too";
    if tests::simulator("two devices", "the machine may have one").is_none() {
        return;
    }
    let answer = with_two_devices(&[], test, |first, second| {
        second.enable_peer(first).expect("access");
        let stream = second.stream().expect("a stream");
        let mut ones = ManagedBuffer::<f32>::zeroed(first, 2).expect("managed memory");
        let mut sum = ManagedBuffer::<f32>::zeroed(first, 2).expect("managed memory");
        ones.as_mut_slice().expect("no fault").fill(1.0);
        // The kernel begins long after the launch, on a device that is not the memory's own.
        stream
            .call(|| std::thread::sleep(Duration::from_millis(50)))
            .expect("a host function");
        let config = LaunchConfig::for_num_elems(2);
        stream
            .launch(vec_add, config, (&ones, &ones, &mut sum))
            .expect("a launch");
        format!("{:?}", sum.as_slice())
    });
    assert_eq!(answer.text, "Ok([2.0, 2.0])");
}

#[test]
fn without_peer_access_copies_still_work() {
    let _turn = tests::turn();
    let test = "wrappers::two_devices::without_peer_access_copies_still_work";
    if tests::simulator("no peer access", "the machine's peers are what they are").is_none() {
        return;
    }
    let answer = with_two_devices(&[("LANEWISE_SIM_PEERS", "0")], test, |first, second| {
        let refused = first.enable_peer(second).expect_err("no access");
        let stream = first.stream().expect("a stream");
        let here = DeviceBuffer::from_slice(first, &[1.0f32, 2.0]).expect("a buffer");
        let mut there = DeviceBuffer::from_slice(second, &[0.0f32; 2]).expect("a buffer");
        stream.copy(&here, &mut there).expect("a copy");
        let reach = first.can_reach(second).expect("an answer");
        format!("{reach} {} {:?}", refused.name(), there.to_vec())
    });
    assert_eq!(
        answer.text,
        "false CUDA_ERROR_PEER_ACCESS_UNSUPPORTED Ok([1.0, 2.0])"
    );
}
