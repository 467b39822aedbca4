//! Programmatic dependent launches, and elected lanes.

use hopper::{buffer, device, values};
use hopper_kernels::grids::{choose, count_up, fill};
use lanewise::LaunchConfig;

#[test]
fn a_launch_that_begins_early_sees_what_came_before() {
    let (device, stream) = device();
    let config = LaunchConfig::new(64, 256);
    // SAFETY: both kernels wait before they touch memory.
    let early = unsafe { config.with_programmatic_start() };
    let mut output = buffer(&device, &vec![0; 64 * 256]);
    for value in 0..8 {
        // SAFETY: as said of the configuration; the kernels ask for nothing else.
        unsafe {
            stream
                .launch_unchecked(fill, early, (&mut output, 10 * value))
                .expect("a launch");
            stream
                .launch_unchecked(count_up, early, (&mut output,))
                .expect("a launch");
        }
    }
    assert_eq!(values(&output), vec![71; 64 * 256]);
}

#[test]
fn one_lane_is_chosen_of_those_that_are_asked() {
    let (device, stream) = device();
    let mut output = buffer(&device, &vec![9; 96]);
    stream
        .launch(choose, LaunchConfig::new(1, 96), (&mut output,))
        .expect("a launch");
    for warp in values(&output).chunks(32) {
        let count = |bit: u32| warp.iter().filter(|said| **said & bit != 0).count();
        assert_eq!((count(1), count(2)), (1, 1), "{warp:?}");
        let odd = warp.iter().position(|said| said & 2 != 0).expect("one");
        assert_eq!(odd % 2, 1);
    }
}
