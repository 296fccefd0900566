//! The interfaces, one file each. A handler reads its clients' fields, makes a
//! [`Task`](crate::desk::Task) of them and gives the answer its clients' shape.

mod any_of;
pub(crate) mod chat;
pub(crate) mod deepl;
pub(crate) mod deeplx;
pub(crate) mod detect;
pub(crate) mod docs;
pub(crate) mod file;
pub(crate) mod frontend;
pub(crate) mod google;
pub(crate) mod hcfy;
pub(crate) mod health;
pub(crate) mod imme;
pub(crate) mod kiss;
pub(crate) mod languages;
pub(crate) mod libre;
pub(crate) mod metrics;
pub(crate) mod mtran;
pub(crate) mod own;
pub(crate) mod page;
mod stream;
pub(crate) mod translate;

use csanmt::Options;

/// The options of interfaces that have none. One hypothesis is asked for, since its score goes into
/// the statistics.
fn options() -> Options {
    Options::default().with_n_best(1)
}

/// The same with other hypotheses, as many as the widest beam has at most.
fn with_alternatives(options: Options, count: u64) -> Options {
    let most = Options::MAX_BEAM - 1;
    let count = usize::try_from(count).map_or(most, |count| count.min(most));
    options.with_n_best(1 + count)
}

/// The body of an error in our interface and LibreTranslate's.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub(crate) struct ErrorBody {
    /// What is wrong and what to do.
    #[schema(example = "Empty input")]
    error: String,
}
