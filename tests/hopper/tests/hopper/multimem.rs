//! Buffers of several devices under one address. They are tested on simulated devices only: on GPUs
//! they need an NVLink switch with NVLS.

use hopper::buffer;
use hopper_kernels::multimem::{all_reduce, count_on_all, extremes, sum_over_devices};
use lanewise::{Device, LaunchConfig, MulticastBuffer};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tests::isolate::isolated_with;
use tests::sizes::cases;

/// Numbers of `count` devices, a list for each.
fn lists<T>(
    count: usize,
    element: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Vec<Vec<T>>>
where
    T: std::fmt::Debug + Clone,
{
    (0usize..400).prop_flat_map(move |len| {
        let list = proptest::collection::vec(element.clone(), len);
        proptest::collection::vec(list, count)
    })
}

fn multicast<T>(devices: &[Device], lists: &[Vec<T>]) -> MulticastBuffer<T>
where
    T: lanewise::DeviceCopy + lanewise_std::multimem::Multimem + bytemuck::Pod,
{
    let mut made =
        MulticastBuffer::zeroed(devices, lists[0].len()).expect("devices with multicast");
    for (part, list) in lists.iter().enumerate() {
        made.copy_from_slice(part, list).expect("a part");
    }
    made
}

/// Tests every claim on all devices.
fn everything() -> String {
    let devices = Device::all().expect("devices");
    let streams: Vec<_> = devices
        .iter()
        .map(|device| device.stream().expect("a stream"))
        .collect();
    let last = devices.len() - 1;
    let mut runner = TestRunner::new(cases(6));
    let sums = runner.run(&lists(devices.len(), -1000i32..1000), |lists| {
        let floats: Vec<Vec<f32>> = lists
            .iter()
            .map(|l| l.iter().map(|&x| x as f32).collect())
            .collect();
        let shared = multicast(&devices, &floats);
        let len = shared.len();
        let mut got = buffer(&devices[last], &vec![0f32; len]);
        let config = LaunchConfig::for_num_elems(len);
        streams[last]
            .launch(sum_over_devices, config, (&shared, &mut got))
            .expect("a launch");
        let wanted: Vec<f32> = (0..len)
            .map(|i| lists.iter().map(|l| l[i]).sum::<i32>() as f32)
            .collect();
        prop_assert_eq!(got.to_vec().expect("sums"), wanted);
        Ok(())
    });
    let reduced = runner.run(&lists(devices.len(), any::<u32>()), |lists| {
        let shared = multicast(&devices, &lists);
        // Each device reduces a part of the whole for all.
        let share = shared.len().div_ceil(devices.len());
        for (n, stream) in streams.iter().enumerate() {
            let start = (n * share).min(shared.len());
            let count = share.min(shared.len() - start);
            let config = LaunchConfig::for_num_elems(count);
            stream
                .launch(all_reduce, config, (&shared, start as u32, count as u32))
                .expect("a launch");
        }
        let wanted: Vec<u32> = (0..shared.len())
            .map(|i| lists.iter().fold(0u32, |sum, l| sum.wrapping_add(l[i])))
            .collect();
        for part in 0..devices.len() {
            prop_assert_eq!(&shared.to_vec(part).expect("a part"), &wanted);
        }
        Ok(())
    });
    let counted = runner.run(&(1usize..40, 0u32..3000), |(cells, count)| {
        let totals = MulticastBuffer::<i64>::zeroed(&devices, cells).expect("a buffer");
        let most = MulticastBuffer::<i32>::zeroed(&devices, cells).expect("a buffer");
        let least = MulticastBuffer::<i32>::zeroed(&devices, cells).expect("a buffer");
        // All devices at once.
        for stream in &streams {
            let config = LaunchConfig::for_num_elems(count as usize);
            stream
                .launch(count_on_all, config, (&totals, &most, &least, count))
                .expect("a launch");
        }
        let mut wanted = vec![(0i64, 0i32, 0i32); cells];
        for number in 0..count as usize {
            let cell = &mut wanted[number % cells];
            cell.0 += (number as i64 - 5) * devices.len() as i64;
            cell.1 = cell.1.max(number as i32);
            cell.2 = cell.2.min(-(number as i32));
        }
        for part in 0..devices.len() {
            let (totals, most) = (
                totals.to_vec(part).expect("a part"),
                most.to_vec(part).expect("a part"),
            );
            let least = least.to_vec(part).expect("a part");
            let got: Vec<_> = (0..cells).map(|i| (totals[i], most[i], least[i])).collect();
            prop_assert_eq!(&got, &wanted);
        }
        Ok(())
    });
    let compared = runner.run(&lists(devices.len(), any::<u64>()), |lists| {
        let shared = multicast(&devices, &lists);
        let mut got = buffer(&devices[0], &vec![[0u64; 2]; shared.len()]);
        let config = LaunchConfig::for_num_elems(shared.len());
        streams[0]
            .launch(extremes, config, (&shared, &mut got))
            .expect("a launch");
        let of = |i: usize| lists.iter().map(move |l| l[i]);
        let wanted: Vec<[u64; 2]> = (0..shared.len())
            .map(|i| [of(i).min().unwrap_or(0), of(i).max().unwrap_or(0)])
            .collect();
        prop_assert_eq!(got.to_vec().expect("pairs"), wanted);
        Ok(())
    });
    let said = [
        sums.err().map(|error| error.to_string()),
        reduced.err().map(|error| error.to_string()),
        counted.err().map(|error| error.to_string()),
        compared.err().map(|error| error.to_string()),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    said.join("; ")
}

#[test]
fn two_devices_add_up() {
    if tests::simulator("several simulated devices", "it takes an NVLink switch").is_some() {
        let two = [("LANEWISE_SIM_DEVICES", "2")];
        assert_eq!(
            isolated_with(&two, "multimem::two_devices_add_up", everything).text,
            ""
        );
    }
}

#[test]
fn five_devices_add_up() {
    if tests::simulator("several simulated devices", "it takes an NVLink switch").is_some() {
        let five = [("LANEWISE_SIM_DEVICES", "5")];
        assert_eq!(
            isolated_with(&five, "multimem::five_devices_add_up", everything).text,
            ""
        );
    }
}

/// The messages of calls that are refused.
fn refusals() -> String {
    let devices = Device::all().expect("devices");
    let report = |error: lanewise::DriverError| format!("{} {error}", error.name());
    let none = MulticastBuffer::<u32>::zeroed(&[], 4).expect_err("no device");
    assert!(report(none).contains("on no device"));
    let twice = [devices[0].clone(), devices[0].clone()];
    let twice = MulticastBuffer::<u32>::zeroed(&twice, 4).expect_err("one device twice");
    assert!(report(twice).contains("added already"));
    let huge = MulticastBuffer::<u64>::zeroed(&devices[..2], usize::MAX).expect_err("too much");
    assert!(report(huge).contains("OUT_OF_MEMORY"));
    let mut shared = MulticastBuffer::<u32>::zeroed(&devices[..2], 4).expect("two devices");
    let short = shared.copy_from_slice(0, &[1]).expect_err("too short");
    assert!(report(short).contains("1 elements for a part of 4"));
    let part = shared.to_vec(2).expect_err("no such part");
    assert!(report(part).contains("part 2 of a buffer on 2 devices"));
    let stream = devices[2].stream().expect("a stream");
    let config = LaunchConfig::for_num_elems(4);
    let third = stream.launch(all_reduce, config, (&shared, 0, 4));
    let said = format!("{:?}", third.expect_err("a third device"));
    assert!(said.contains("has no part in the buffer"), "{said}");
    String::new()
}

#[test]
fn what_cannot_be_is_refused() {
    if tests::simulator("several simulated devices", "it takes an NVLink switch").is_some() {
        let three = [("LANEWISE_SIM_DEVICES", "3")];
        assert_eq!(
            isolated_with(&three, "multimem::what_cannot_be_is_refused", refusals).text,
            ""
        );
    }
}
