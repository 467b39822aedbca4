//! Makes the pictures: runs patterns on the simulator, each once for all figures of it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use cargo_lanewise::figure::{self, Record};

use super::mark::Mark;
use crate::workspace;

/// Draws figures, and keeps what patterns recorded.
pub(super) struct Artist {
    patterns: PathBuf,
    records: HashMap<Vec<String>, Rc<Record>>,
}

impl Artist {
    pub(super) fn new(patterns: PathBuf) -> Self {
        Self {
            patterns,
            records: HashMap::new(),
        }
    }

    /// Returns the picture, as SVG.
    pub(super) fn draw(&mut self, mark: &Mark) -> Result<String> {
        match mark {
            Mark::Recorded(of) => {
                let record = self.record(&of.pattern)?;
                figure::draw(of.kind, &of.kernel, &of.choice, &record)
            }
            Mark::Timeline(options) => self.timeline(options),
            Mark::Order(case) => {
                super::order::draw(&read("tests/wrong/reports", &format!("{case}.txt"))?)
            }
            Mark::Hand(name) => read("docs/src/figures", &format!("{name}.svg")),
        }
    }

    /// Returns what a pattern recorded.
    fn record(&mut self, options: &[String]) -> Result<Rc<Record>> {
        if let Some(known) = self.records.get(options) {
            return Ok(known.clone());
        }
        let record = Rc::new(figure::record_of(&mut self.run(options))?);
        self.records.insert(options.to_vec(), record.clone());
        Ok(record)
    }

    fn run(&self, options: &[String]) -> Command {
        let mut command = Command::new(&self.patterns);
        command.arg("run").args(options).args(["--device", "sim"]);
        command
    }

    /// Returns the timeline of a pattern, which `patterns` draws.
    fn timeline(&self, options: &[String]) -> Result<String> {
        let folder = workspace::target().join("figures");
        std::fs::create_dir_all(&folder)?;
        let file = folder.join("timeline.svg");
        let output = self
            .run(options)
            .arg("--timeline")
            .arg(&file)
            // A pattern that works with several devices shows two.
            .env("LANEWISE_SIM_DEVICES", "2")
            .output()
            .context("`patterns` could not be started")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`patterns run` failed: {said}");
        Ok(std::fs::read_to_string(&file)?)
    }
}

/// Returns the text of a file of the repository.
fn read(folder: &str, name: &str) -> Result<String> {
    let path = workspace::root().join(folder).join(name);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
}
