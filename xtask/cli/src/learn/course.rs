//! The crate of the exercises: its files, which exercise is the current one, and which have passed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::all::{EXERCISES, module_of};
use super::exercise::{Exercise, Variant};
use crate::new::{self, File, source::Source};

/// The file with the reader's progress. It marks the folder as one of exercises.
const PROGRESS: &str = "progress.json";

/// Files of the crate besides the exercises.
const FILES: [File; 4] = [
    ("build.rs", include_str!("template/build.rs.txt")),
    ("src/lib.rs", include_str!("template/lib.rs.txt")),
    ("src/check.rs", include_str!("template/check.rs.txt")),
    ("rustfmt.toml", include_str!("template/rustfmt.toml.txt")),
];

/// Variables for the programs that cargo starts in the crate, besides those of every project.
const VARIABLES: &str = include_str!("template/config.toml.txt");

/// What is kept of the reader's work.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Progress {
    /// The name of the current exercise.
    current: String,
    /// The names of those that have passed.
    passed: BTreeSet<String>,
    /// How many hints of an exercise were shown.
    hints: BTreeMap<String, usize>,
}

/// The crate and the reader's progress.
#[derive(Debug)]
pub(super) struct Course {
    folder: PathBuf,
    progress: Progress,
}

impl Course {
    /// Makes the crate in a folder that is empty or not there yet.
    pub(super) fn make(folder: &Path, source: &Source) -> Result<Course> {
        let files = new::EVERY.iter().chain([&new::MANIFEST]).chain(&FILES);
        let files = files.map(|&(file, text)| match file {
            ".cargo/config.toml" => (
                file,
                format!("{}{VARIABLES}", text.trim_end().to_owned() + "\n"),
            ),
            _ => (file, text.to_owned()),
        });
        new::write_project(folder, files, source)?;
        let mut course = Course {
            folder: folder.to_owned(),
            progress: Progress::default(),
        };
        for exercise in EXERCISES {
            course.reset(exercise)?;
        }
        course.choose(&EXERCISES[0])?;
        Ok(course)
    }

    /// Opens the crate that a folder is in.
    pub(super) fn open(here: &Path) -> Result<Course> {
        let found = here.ancestors().find(|folder| is_course(folder));
        let Some(folder) = found else {
            bail!(
                "`{}` is in no folder of exercises; `cargo lanewise learn exercises` makes one",
                here.display()
            );
        };
        let file = folder.join(PROGRESS);
        let text = fs::read_to_string(&file)
            .with_context(|| format!("cannot read `{}`", file.display()))?;
        let progress = serde_json::from_str(&text).with_context(|| {
            format!(
                "`{}` is damaged; repair it, or write `{{}}` to begin again",
                file.display()
            )
        })?;
        let mut course = Course {
            folder: folder.to_owned(),
            progress,
        };
        // A newer program has more exercises than the crate.
        for exercise in EXERCISES {
            if !course.path(exercise).exists() {
                course.reset(exercise)?;
            }
        }
        // An older one may have had others.
        if course.exercise(None).is_err() {
            course.choose(&EXERCISES[0])?;
        }
        Ok(course)
    }

    /// Returns the crate's folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the reader's file.
    pub(super) fn path(&self, exercise: &Exercise) -> PathBuf {
        self.folder.join(exercise.file())
    }

    /// Returns the exercise of this name, or the current one.
    pub(super) fn exercise(&self, name: Option<&str>) -> Result<&'static Exercise> {
        let name = name.unwrap_or(&self.progress.current);
        let found = EXERCISES.iter().find(|exercise| exercise.name == name);
        found.with_context(|| {
            format!("there is no exercise `{name}`; `cargo lanewise learn list` shows all")
        })
    }

    /// Makes an exercise the current one: the only one that is compiled.
    pub(super) fn choose(&mut self, exercise: &Exercise) -> Result<()> {
        let file = self.folder.join("src/kernels/mod.rs");
        let text = module_of(std::slice::from_ref(exercise));
        if fs::read_to_string(&file).is_ok_and(|old| old == text)
            && self.progress.current == exercise.name
        {
            return Ok(());
        }
        new::write(&file, &text)?;
        exercise.name.clone_into(&mut self.progress.current);
        self.save()
    }

    /// Writes the exercise's file as it was at the start.
    pub(super) fn reset(&mut self, exercise: &Exercise) -> Result<()> {
        new::write(&self.path(exercise), &exercise.text(Variant::Start))?;
        match self.progress.passed.remove(exercise.name) {
            true => self.save(),
            false => Ok(()),
        }
    }

    /// Returns whether the exercise has passed.
    pub(super) fn has_passed(&self, exercise: &Exercise) -> bool {
        self.progress.passed.contains(exercise.name)
    }

    /// Returns whether the exercise is the current one.
    pub(super) fn is_current(&self, exercise: &Exercise) -> bool {
        self.progress.current == exercise.name
    }

    /// Returns how many exercises have passed.
    pub(super) fn passed(&self) -> usize {
        EXERCISES
            .iter()
            .filter(|exercise| self.has_passed(exercise))
            .count()
    }

    /// Notes that the exercise has passed.
    pub(super) fn pass(&mut self, exercise: &Exercise) -> Result<()> {
        self.progress.passed.insert(exercise.name.to_owned());
        self.save()
    }

    /// Returns the next exercise that has not passed: the first one after the current one,
    /// or else the first of all.
    pub(super) fn next(&self) -> Option<&'static Exercise> {
        let current = EXERCISES
            .iter()
            .position(|exercise| self.is_current(exercise));
        let after = current.map_or(0, |current| current + 1);
        let (before, after) = EXERCISES.split_at(after);
        let mut candidates = after.iter().chain(before);
        candidates.find(|exercise| !self.has_passed(exercise))
    }

    /// Returns the hints that the reader may see now: one more than the last time.
    pub(super) fn hints(&mut self, exercise: &Exercise) -> Result<Vec<String>> {
        let all = exercise.hints();
        let shown = self
            .progress
            .hints
            .entry(exercise.name.to_owned())
            .or_default();
        *shown = (*shown + 1).min(all.len());
        let shown = *shown;
        self.save()?;
        Ok(all[..shown].to_vec())
    }

    fn save(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.progress)? + "\n";
        new::write(&self.folder.join(PROGRESS), &text)
    }
}

/// Returns whether a folder is a crate of exercises.
fn is_course(folder: &Path) -> bool {
    folder.join(PROGRESS).is_file() && folder.join(FILES[2].0).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(root: &Path) -> Course {
        let folder = root.join("exercises");
        Course::make(&folder, &Source::Release("0.1".into())).expect("it is made")
    }

    #[test]
    fn progress_is_kept_in_the_crate() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let mut course = made(root.path());
        let [first, second, ..] = EXERCISES else {
            panic!("there are two exercises");
        };
        course.pass(first).expect("it is written");
        course.choose(second).expect("it is written");
        let inside = course.folder().join("src/kernels");
        let mut again = Course::open(&inside).expect("it is there");
        assert!(again.has_passed(first) && again.is_current(second));
        let module = fs::read_to_string(inside.join("mod.rs")).expect("it is there");
        assert!(
            module.contains(&format!("pub mod {};", second.name)),
            "{module}"
        );
        assert!(
            !module.contains(&format!("pub mod {};", first.name)),
            "{module}"
        );
        again.reset(first).expect("it is written");
        let again = Course::open(&inside).expect("it is there");
        assert_eq!(again.passed(), 0);
    }

    #[test]
    fn the_next_exercise_is_behind_the_current_one_and_then_before_it() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let mut course = made(root.path());
        let next = |course: &Course| course.next().map(|exercise| exercise.name);
        assert_eq!(next(&course), Some(EXERCISES[1].name));
        for exercise in &EXERCISES[1..] {
            course.pass(exercise).expect("it is written");
        }
        assert_eq!(next(&course), Some(EXERCISES[0].name));
        course.pass(&EXERCISES[0]).expect("it is written");
        assert_eq!(next(&course), None);
    }

    #[test]
    fn each_call_shows_one_hint_more_until_there_are_no_others() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let mut course = made(root.path());
        let all = EXERCISES[0].hints().len();
        for shown in (1..=all).chain([all]) {
            let hints = course.hints(&EXERCISES[0]).expect("it is written");
            assert_eq!(hints.len(), shown);
        }
    }

    #[test]
    fn an_exercise_that_is_gone_and_a_damaged_file_are_told() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let course = made(root.path());
        let file = course.folder().join(PROGRESS);
        fs::write(&file, "{ \"current\": \"of_another_version\" }").expect("it is ours");
        let course = Course::open(course.folder()).expect("it is read");
        assert!(course.is_current(&EXERCISES[0]));
        fs::write(&file, "{").expect("it is ours");
        let error = Course::open(course.folder()).expect_err("it is no JSON");
        assert!(error.to_string().contains("is damaged"), "{error}");
        let error = Course::open(root.path()).expect_err("there are none");
        assert!(
            error.to_string().contains("in no folder of exercises"),
            "{error}"
        );
    }
}
