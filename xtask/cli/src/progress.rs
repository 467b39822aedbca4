//! A line that says what is being done, and for how long.
//!
//! It goes to stderr, and only to a terminal: what is piped or parsed stays clean.

use std::borrow::Cow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A spinner with a text. Gone from the screen when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Starts to spin.
    pub fn start(text: impl Into<Cow<'static, str>>) -> Self {
        let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}")
            .expect("the template is well formed");
        let bar = ProgressBar::new_spinner()
            .with_style(style)
            .with_message(text);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Says what is being done now.
    pub fn now(&self, text: impl Into<Cow<'static, str>>) {
        self.0.set_message(text);
    }

    /// Writes a line that stays, to stderr, above the spinner.
    pub fn line(&self, text: &str) {
        self.0.suspend(|| eprintln!("{text}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
