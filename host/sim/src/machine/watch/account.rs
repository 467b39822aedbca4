//! What a report says of a fault beyond its place.

/// What happened, what is known of it, and what to do.
pub(super) struct Account {
    pub(super) what: String,
    pub(super) notes: Vec<String>,
    pub(super) help: Option<&'static str>,
}

impl Account {
    /// What happened, and what to do about it.
    pub(super) fn new(what: impl Into<String>, help: &'static str) -> Self {
        Self {
            help: Some(help),
            ..Self::without_help(what)
        }
    }

    /// What happened, where there is nothing to advise.
    pub(super) fn without_help(what: impl Into<String>) -> Self {
        let (what, notes, help) = (what.into(), Vec::new(), None);
        Self { what, notes, help }
    }

    /// With a line of what is known.
    pub(super) fn note(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }

    /// With lines of what is known.
    pub(super) fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }
}
