//! Errors as JavaScript sees them.

use csanmt_documents::DocumentError;
use wasm_bindgen::JsValue;

/// What can go wrong on this side of the boundary. Converted to a JavaScript `Error` whose `code`
/// is [`Failure::code`], whose `reason`, if any, is [`Failure::reason`], and whose `message` is the
/// `Display` text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// There is no room for the model.
    #[error("no memory for the model: {bytes} bytes are needed")]
    Memory {
        /// The size of the model file.
        bytes: usize,
    },
    /// More bytes arrived than the buffer was made for.
    #[error("the model file is longer than announced: {expected} bytes were expected")]
    TooLong {
        /// The announced size.
        expected: usize,
    },
    /// The download ended early.
    #[error("the model file is incomplete: {filled} of {expected} bytes arrived")]
    Incomplete {
        /// Bytes written.
        filled: usize,
        /// The announced size.
        expected: usize,
    },
    /// The options object has a field of the wrong type or an unknown one.
    #[error("options: {0}")]
    Options(String),
    /// A job was asked for its result too early.
    #[error("the job is not done: step it until it is")]
    NotDone,
    /// The kernels of this build do not agree.
    #[error(transparent)]
    Kernels(#[from] csanmt::self_test::Mismatch),
    /// A file cannot be read or written.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The engine refused the model or the text.
    #[error(transparent)]
    Engine(#[from] csanmt::Error),
}

impl Failure {
    /// A stable word for programs to branch on.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Memory { .. } => "memory",
            Self::TooLong { .. } | Self::Incomplete { .. } => "download",
            Self::Options(_) | Self::Engine(csanmt::Error::Option { .. }) => "options",
            Self::Document(_) => "document",
            Self::NotDone | Self::Kernels(_) | Self::Engine(_) => "engine",
        }
    }

    /// What is wrong with a file, for programs that say it in other words.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        let Self::Document(error) = self else {
            return None;
        };
        match error {
            DocumentError::Unsupported { .. } => Some("unsupported"),
            DocumentError::Encoding { .. } => Some("encoding"),
            DocumentError::Syntax { .. } => Some("syntax"),
            DocumentError::Column { .. } => Some("column"),
            DocumentError::Encrypted { .. } => Some("encrypted"),
            DocumentError::Limit { .. } => Some("limit"),
            DocumentError::Archive { .. }
            | DocumentError::EntryName { .. }
            | DocumentError::Missing { .. }
            | DocumentError::Xml { .. }
            | DocumentError::Entities { .. } => Some("damaged"),
            _ => None,
        }
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> Self {
        let error = js_sys::Error::new(&failure.to_string());
        // Setting a property of a fresh ordinary object cannot fail.
        let _ = js_sys::Reflect::set(&error, &"code".into(), &failure.code().into());
        if let Some(reason) = failure.reason() {
            let _ = js_sys::Reflect::set(&error, &"reason".into(), &reason.into());
        }
        error.into()
    }
}
