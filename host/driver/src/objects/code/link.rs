//! Links: PTX texts that a program collects and combines into one image.
//!
//! The image consists of the texts themselves ([`super::image`]). Names are resolved when it is
//! loaded. They are also resolved once when the link completes, because a program expects an error
//! about missing names there.

use super::jit_options::JitOptions;
use super::{image, module};
use crate::abi::{CUlinkState, CUresult};
use crate::error::{Error, Result, fail};
use crate::objects::handle::ledger::ObjectKind;
use crate::objects::handle::registry::Registry;
use lanewise_sim::LoadError;
use parking_lot::Mutex;
use std::sync::Arc;

pub(crate) static LINKS: Registry<CUlinkState, Link> = Registry::to_give_back(ObjectKind::Link);

/// A link in progress.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) handle: CUlinkState,
    /// The places of the logs. Every call on the link may write them.
    pub(crate) logs: Mutex<JitOptions>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    texts: Vec<String>,
    /// The image. The caller may read it until the link is destroyed.
    image: Option<Vec<u8>>,
}

impl Link {
    /// Makes an empty link.
    pub(crate) fn new(handle: CUlinkState, logs: JitOptions) -> Link {
        Link {
            handle,
            logs: Mutex::new(logs),
            state: Mutex::default(),
        }
    }

    /// Adds an input. Messages call it `name`.
    pub(crate) fn add(&self, input: &[u8], name: &str) -> Result {
        let texts = image::texts(input).map_err(|error| named(name, error))?;
        for text in &texts {
            // Invalid PTX is refused where it is added. A name that is missing in this text may be
            // defined in another one, so the rest is checked when the link is complete.
            if let Err(error @ (LoadError::Syntax { .. } | LoadError::Unsupported { .. })) =
                lanewise_sim::Module::load(text)
            {
                return Err(named(name, module::load_error(error)));
            }
        }
        let mut state = self.state.lock();
        if state.image.is_some() {
            fail!(
                ERROR_INVALID_VALUE,
                "the link is complete; start another one with cuLinkCreate"
            );
        }
        state
            .texts
            .extend(texts.into_iter().map(|text| text.into_owned()));
        Ok(())
    }

    /// Makes the image and returns its address and length, which are valid until the
    /// link is destroyed.
    pub(crate) fn complete(&self) -> Result<(*const u8, usize)> {
        let mut state = self.state.lock();
        if state.image.is_none() {
            if state.texts.is_empty() {
                fail!(
                    ERROR_INVALID_VALUE,
                    "the link has no inputs; add them with cuLinkAddData or cuLinkAddFile"
                );
            }
            let image = image::linked(&state.texts);
            module::read(&image)?;
            state.image = Some(image);
        }
        let image = state.image.as_deref().unwrap_or_default();
        Ok((image.as_ptr(), image.len()))
    }
}

fn named(name: &str, error: Error) -> Error {
    Error::new(error.code, format_args!("{name}: {}", error.message))
}

/// Returns the link that `handle` names.
pub(crate) fn get(handle: CUlinkState) -> Result<Arc<Link>> {
    LINKS.get(handle).ok_or_else(|| {
        Error::new(
            CUresult::ERROR_INVALID_HANDLE,
            format_args!(
                "{:#x} is not a live link: it was destroyed, or never was one",
                handle.0
            ),
        )
    })
}
