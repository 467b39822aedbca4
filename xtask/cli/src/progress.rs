//! A line that shows the current step and its duration.
//!
//! It is written to stderr, and only to a terminal, so that piped or parsed output does
//! not contain it.

use std::borrow::Cow;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A spinner with a text. It disappears from the screen when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Starts the spinner.
    pub fn start(text: impl Into<Cow<'static, str>>) -> Self {
        let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}")
            .expect("the template is well formed");
        let bar = ProgressBar::new_spinner()
            .with_style(style)
            .with_message(text);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Shows the current step.
    pub fn now(&self, text: impl Into<Cow<'static, str>>) {
        self.0.set_message(text);
    }

    /// Writes a line to stderr above the spinner. The line stays there.
    pub fn line(&self, text: &str) {
        self.0.suspend(|| eprintln!("{text}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
