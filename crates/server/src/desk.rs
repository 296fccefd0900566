//! Where every interface hands in its texts and gets their translations.

mod files;
mod growing;

use std::sync::Arc;

use csanmt::{Format, Options, Translation, is_blank};

pub(crate) use growing::{Bit, Growing};

use crate::access::Caller;
use crate::cache::{self, Key, Stored};
use crate::language::{Detected, Direction};
use crate::model::Model;
use crate::pool::{Content, Order, Patience, Ticket};
use crate::{ApiError, AppState, Pace};

/// A client that may translate, and the model that was in use when it came.
pub(crate) struct Desk {
    state: AppState,
    model: Arc<Model>,
    caller: Caller,
    /// The token that let it in.
    token: Option<String>,
}

/// What every interface asks for.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) texts: Vec<String>,
    pub(crate) direction: Direction,
    /// The format of the texts among them.
    pub(crate) options: Options,
}

/// The answer to one text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) text: String,
    /// Other translations, best first.
    pub(crate) alternatives: Vec<String>,
    /// A sentence reached the length limit before its end.
    pub(crate) truncated: bool,
    /// The text had nothing to translate and is its own translation.
    pub(crate) blank: bool,
}

impl Item {
    fn copy(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }
}

impl AppState {
    /// Lets a client in: with a token where there are any. `key` is what came in the body.
    pub(crate) fn admit(&self, caller: Caller, key: Option<&str>) -> Result<Desk, ApiError> {
        let token = self.check_token(&caller, key)?;
        Ok(Desk {
            model: self.model()?,
            state: self.clone(),
            caller,
            token,
        })
    }

    /// The token that a client has, none where none is needed.
    pub(crate) fn check_token(
        &self,
        caller: &Caller,
        key: Option<&str>,
    ) -> Result<Option<String>, ApiError> {
        if self.tokens().is_empty() {
            return Ok(None);
        }
        let key = key.filter(|key| !key.is_empty());
        let candidates: Vec<&str> = key.into_iter().chain(caller.token.as_deref()).collect();
        match candidates
            .iter()
            .find(|token| self.tokens().contains(token))
        {
            Some(token) => Ok(Some((*token).to_owned())),
            None => Err(ApiError::Unauthorized {
                presented: candidates.iter().any(|token| !token.is_empty()),
            }),
        }
    }
}

impl Desk {
    /// What a client's language codes mean.
    pub(crate) fn direction(
        &self,
        source: Option<&str>,
        target: Option<&str>,
    ) -> Result<Direction, ApiError> {
        self.model.pair.direction(source, target)
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// The language of a text: as given, or else as detected.
    pub(crate) fn language(&self, direction: &Direction, text: &str) -> Detected {
        match direction {
            Direction::Echo { language }
            | Direction::Translate {
                source: Some(language),
            } => Detected {
                language: language.clone(),
                confidence: 1.0,
            },
            Direction::Translate { source: None } => self.state.detect(text),
        }
    }

    /// One answer a text, in order. A text that cannot be translated is answered with itself when
    /// there are others; alone it is an error.
    pub(crate) async fn translate(&self, task: Task) -> Result<Vec<Item>, ApiError> {
        let mut open = self.open(task).await?;
        if !open.missing.is_empty() {
            let texts: Vec<String> = open.missing_texts();
            match self.compute(&open.task.options, texts).await {
                Ok(translations) => open.accept(&self.state, translations),
                Err(ApiError::Internal) if open.task.texts.len() > 1 => {
                    self.translate_singly(&mut open).await?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(open.items)
    }

    /// After the texts have failed together: one of them may be the cause.
    async fn translate_singly(&self, open: &mut Open) -> Result<(), ApiError> {
        let mut failed = 0;
        for (at, key) in std::mem::take(&mut open.missing) {
            open.missing = vec![(at, key)];
            match self.compute(&open.task.options, open.missing_texts()).await {
                Ok(translations) => open.accept(&self.state, translations),
                Err(ApiError::Internal) => {
                    failed += 1;
                    open.items[at] = Item::copy(&open.task.texts[at]);
                }
                Err(error) => return Err(error),
            }
        }
        match failed == open.task.texts.len() {
            true => Err(ApiError::Internal),
            false => Ok(()),
        }
    }

    /// The translations bit by bit. The first bit is waited for, so that what is refused is refused
    /// with a status.
    pub(crate) async fn stream(&self, task: Task) -> Result<Growing, ApiError> {
        let open = self.open(task).await?;
        let settings = self.state.settings();
        let ticket = match open.missing.is_empty() {
            true => None,
            false => Some(self.submit(&open.task.options, open.missing_texts(), Pace::Steps)?),
        };
        let patience = Patience::new(settings.stall, settings.deadline);
        Growing::begin(self.state.clone(), open, ticket, patience).await
    }

    /// Checks limits, and answers what needs no translator.
    async fn open(&self, task: Task) -> Result<Open, ApiError> {
        let settings = self.state.settings();
        if task.texts.len() > settings.texts {
            return Err(ApiError::TooMuch {
                of: "batch",
                found: task.texts.len(),
                limit: settings.texts,
            });
        }
        let characters: usize = task.texts.iter().map(|text| text.chars().count()).sum();
        if let Some(limit) = settings.characters
            && characters > limit.get()
        {
            return Err(ApiError::TooMuch {
                of: "text",
                found: characters,
                limit: limit.get(),
            });
        }
        let token = self.token.as_deref();
        self.state.rates().charge(&self.caller, token, characters)?;
        let echo = matches!(task.direction, Direction::Echo { .. });
        let (mut items, mut missing) = (Vec::with_capacity(task.texts.len()), Vec::new());
        for (at, text) in task.texts.iter().enumerate() {
            let blank = is_blank(text);
            if !echo && !blank {
                let key = cache::key(&self.model.fingerprint, &task.options, text);
                missing.push((at, key));
                items.push(Item::default());
            } else {
                let copy = Item::copy(text);
                items.push(Item { blank, ..copy });
            }
        }
        let keys: Vec<Key> = missing.iter().map(|(_, key)| *key).collect();
        let metrics = self.state.metrics();
        let known = self.state.cache().get(&keys, metrics).await;
        let mut known = known.into_iter();
        missing.retain(|(at, _)| match known.next().flatten() {
            None => true,
            Some(stored) => {
                items[*at] = Item {
                    text: stored.text,
                    alternatives: stored.alternatives,
                    ..Item::default()
                };
                false
            }
        });
        Ok(Open {
            model: Arc::clone(&self.model),
            task,
            items,
            missing,
        })
    }

    fn submit(
        &self,
        options: &Options,
        texts: Vec<String>,
        pace: Pace,
    ) -> Result<Ticket, ApiError> {
        self.state.pool().submit(Order {
            service: Arc::clone(&self.model.service),
            options: options.clone(),
            content: Content::Texts(texts),
            pace,
        })
    }

    async fn compute(
        &self,
        options: &Options,
        texts: Vec<String>,
    ) -> Result<Vec<Translation>, ApiError> {
        let settings = self.state.settings();
        let patience = Patience::new(settings.stall, settings.deadline);
        let ticket = self.submit(options, texts, Pace::Whole)?;
        Ok(ticket.result(patience).await?.into_texts())
    }
}

/// A task of which some texts are not answered yet.
struct Open {
    model: Arc<Model>,
    task: Task,
    items: Vec<Item>,
    /// Positions of these texts and their keys in the cache.
    missing: Vec<(usize, Key)>,
}

impl Open {
    fn missing_texts(&self) -> Vec<String> {
        let text = |(at, _): &(usize, Key)| self.task.texts[*at].clone();
        self.missing.iter().map(text).collect()
    }

    /// Takes the translations of all that is missing.
    fn accept(&mut self, state: &AppState, translations: Vec<Translation>) {
        let mut complete = Vec::new();
        for ((at, key), translation) in std::mem::take(&mut self.missing)
            .into_iter()
            .zip(translations)
        {
            let source = &self.task.texts[at];
            self.count(state, source, &translation);
            let item = Item {
                truncated: translation.sentences.iter().any(|one| one.truncated),
                alternatives: match self.task.options.format {
                    Format::Text => alternatives(&translation),
                    // Its sentences do not say where they are in their paragraphs.
                    _ => Vec::new(),
                },
                text: translation.text,
                blank: false,
            };
            if !item.truncated {
                let stored = Stored {
                    text: item.text.clone(),
                    alternatives: item.alternatives.clone(),
                };
                complete.push((key, stored));
            }
            self.items[at] = item;
        }
        state.cache().put(complete);
    }

    fn count(&self, state: &AppState, source: &str, translation: &Translation) {
        let best = translation
            .sentences
            .iter()
            .filter_map(|one| one.hypotheses.first());
        let tokens = best.map(|best| best.ids.len()).sum();
        let characters = source.chars().count();
        let metrics = state.metrics();
        metrics.translated(translation.sentences.len(), characters, tokens);
        let is_text = self.task.options.format == Format::Text;
        let unknown = is_text.then(|| self.model.service.unknown(source));
        state
            .quality()
            .observe(source, translation, unknown.flatten());
    }
}

/// Whole texts made of the sentences' other hypotheses: the first has every sentence's second best.
fn alternatives(translation: &Translation) -> Vec<String> {
    let most = translation.sentences.iter().map(|one| one.hypotheses.len());
    let mut found: Vec<String> = Vec::new();
    for rank in 1..most.max().unwrap_or(0) {
        let mut text = String::with_capacity(translation.text.len());
        let mut end = 0;
        for sentence in &translation.sentences {
            let own = translation
                .text
                .get(sentence.target.clone())
                .unwrap_or_default();
            text.push_str(
                translation
                    .text
                    .get(end..sentence.target.start)
                    .unwrap_or_default(),
            );
            text.push_str(
                sentence
                    .hypotheses
                    .get(rank)
                    .map_or(own, |other| &other.text),
            );
            end = sentence.target.end;
        }
        text.push_str(translation.text.get(end..).unwrap_or_default());
        if text != translation.text && !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use csanmt::{Hypothesis, Sentence, Translation};

    use super::alternatives;

    #[test]
    fn j1_alternatives_are_whole_texts() {
        let hypothesis = |text: &str| Hypothesis {
            text: text.to_owned(),
            ids: Vec::new(),
            score: 0.0,
        };
        let sentence = |target, texts: &[&str]| Sentence {
            source: 0..1,
            target,
            truncated: false,
            hypotheses: texts.iter().map(|text| hypothesis(text)).collect(),
            ..Default::default()
        };
        let translation = Translation {
            text: " One. Two.\n".into(),
            sentences: vec![
                sentence(1..5, &["One.", "1.", "One."]),
                sentence(6..10, &["Two.", "2."]),
            ],
        };
        assert_eq!(alternatives(&translation), [" 1. 2.\n"]);
        assert!(alternatives(&Translation::default()).is_empty());
    }
}
