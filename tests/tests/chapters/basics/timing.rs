//! The time of a kernel, by the host's clock and by events.

use lanewise_patterns::Setup;
use tests::agree::assert_agrees;

#[test]
fn both_clocks_time_a_kernel_in_three_units() {
    for size in [1, 1000, 1 << 20] {
        assert_agrees("timer_wall_clock", Setup::new(size, 0));
        assert_agrees("timer_events", Setup::new(size, 0));
    }
}
