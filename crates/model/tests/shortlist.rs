//! Searches among the candidates of a shortlist, with the default model and made-up source ids.
#![allow(clippy::unwrap_used)]

mod support;

use std::ops::ControlFlow;
use std::sync::Arc;

use csanmt_model::{BatchSize, Model, ModelError, Shortlist};
use support::{model, search, sentences};

/// `of(line)` gives the ids of a line: 0 for all sentences, 1 + s for source token s.
fn shortlist(model: &Model, of: impl Fn(usize) -> Vec<u32>) -> Arc<Shortlist> {
    let (sources, targets) = sizes(model);
    let line = |line| {
        let ids: Vec<String> = of(line).iter().map(u32::to_string).collect();
        ids.join(" ") + "\n"
    };
    let text: String = (0..=sources).map(line).collect();
    Arc::new(Shortlist::parse(text.as_bytes(), sources, targets).unwrap())
}

fn sizes(model: &Model) -> (usize, usize) {
    let config = model.config();
    (config.src_vocab_size, config.trg_vocab_size)
}

#[test]
fn a_list_of_everything_changes_nothing() {
    let (model, sentences) = (model(), sentences(24));
    let all: Vec<u32> = (0..sizes(&model).1 as u32).collect();
    let mut options = model.search_options().for_translation();
    options.forbidden = Some(1);
    let expected = search(&model, &sentences, &options);
    options.shortlist = Some(shortlist(&model, |line| {
        if line == 0 { all.clone() } else { Vec::new() }
    }));
    assert_eq!(search(&model, &sentences, &options), expected);
}

#[test]
fn only_candidates_are_chosen_whatever_else_is_in_the_batch() {
    let (model, sentences) = (model(), sentences(40));
    let targets = sizes(&model).1;
    let common: Vec<u32> = (2..300).collect();
    let own = |source: usize| (0..9).map(move |i| ((source * 31 + i * 977) % targets) as u32);
    let mut options = model.search_options();
    options.forbidden = Some(5);
    options.shortlist = Some(shortlist(&model, |line| match line {
        0 => common.clone(),
        line => own(line - 1).collect(),
    }));
    let together = search(&model, &sentences, &options);
    options.batch = BatchSize {
        sentences: 1,
        tokens: 1,
    };
    assert_eq!(search(&model, &sentences, &options), together);
    let mut not_common = 0;
    for (sentence, result) in sentences.iter().zip(&together) {
        for &id in result.hypotheses.iter().flat_map(|h| &h.ids) {
            let listed = sentence
                .iter()
                .any(|&source| own(source as usize).any(|t| t == id));
            assert!(listed || common.contains(&id), "{id} is no candidate");
            assert_ne!(id, 5, "it is forbidden");
            not_common += usize::from(!common.contains(&id));
        }
    }
    assert!(not_common > 0, "the words' own candidates are chosen too");
}

#[test]
fn the_beginning_is_always_a_candidate() {
    let (model, sentences) = (model(), sentences(3));
    let mut options = model.search_options();
    options.shortlist = Some(shortlist(&model, |_| vec![7]));
    options.beginning.tokens = vec![4321, 1234];
    for result in search(&model, &sentences, &options) {
        for hypothesis in &result.hypotheses {
            assert_eq!(hypothesis.ids[..2], [4321, 1234]);
            assert!(
                hypothesis.ids[2..]
                    .iter()
                    .all(|id| [7, 4321, 1234].contains(id))
            );
        }
    }
}

#[test]
fn a_list_of_another_model_is_refused() {
    let model = model();
    let mut options = model.search_options();
    let list = Shortlist::parse(b"1\n\n2", 2, 9).unwrap();
    options.shortlist = Some(Arc::new(list));
    let outcome = model.search(&[[3_u32]], &options, &mut model.workspace(), &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(matches!(outcome, Err(ModelError::Shortlist { .. })));
}
