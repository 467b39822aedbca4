//! The text of a fault's report, without its place.

/// What happened, further notes, and what to do.
pub(in crate::machine::checks) struct Account {
    pub(in crate::machine::checks) what: String,
    pub(in crate::machine::checks) notes: Vec<String>,
    pub(in crate::machine::checks) help: Option<&'static str>,
}

impl Account {
    /// Returns an account of what happened, and what to do about it.
    pub(in crate::machine::checks) fn new(what: impl Into<String>, help: &'static str) -> Self {
        Self {
            help: Some(help),
            ..Self::without_help(what)
        }
    }

    /// Returns an account of what happened, without advice.
    pub(in crate::machine::checks) fn without_help(what: impl Into<String>) -> Self {
        let (what, notes, help) = (what.into(), Vec::new(), None);
        Self { what, notes, help }
    }

    /// Adds a note.
    pub(in crate::machine::checks) fn note(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }

    /// Replaces the notes.
    pub(in crate::machine::checks) fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }
}
