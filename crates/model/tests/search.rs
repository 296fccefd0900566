//! The search with the default model, over made-up source ids.
#![allow(clippy::unwrap_used)]

mod support;

use std::ops::ControlFlow;

use csanmt_model::{BatchSize, Beginning, Limits, ModelError, Step};
use support::{model, search, sentences};

/// Giving up early never changes what is found.
#[test]
fn fewer_wanted_hypotheses_are_the_same_ones() {
    let (model, sentences) = (model(), sentences(40));
    for limits in [
        Limits::Model,
        Limits::Source {
            factor: 3,
            extra: 10,
        },
    ] {
        for beam in [1, 4] {
            let mut options = model.search_options();
            (options.beam, options.wanted, options.limits) = (beam, 0, limits);
            // None given up: the original's search.
            let all = search(&model, &sentences, &options);
            for wanted in 1..=beam {
                options.wanted = wanted;
                let found = search(&model, &sentences, &options);
                for (all, found) in all.iter().zip(found) {
                    let wanted = wanted.min(all.hypotheses.len());
                    assert_eq!(found.hypotheses[..wanted], all.hypotheses[..wanted]);
                }
            }
        }
    }
}

/// Sentences that join a running search are found as if they had been alone.
#[test]
fn what_is_found_does_not_depend_on_what_is_decoded_beside_it() {
    let (model, mut sentences) = (model(), sentences(60));
    // One that is empty, one with an end token inside, and one that is longer than a batch.
    sentences[20] = Vec::new();
    sentences[21] = vec![5, 0, 6];
    sentences[22] = (0..90).map(|i| 3 + i * 31 % 2000).collect();
    for (beam, for_translation) in [(1, true), (4, true), (4, false)] {
        let mut options = model.search_options();
        if for_translation {
            options = options.for_translation();
        }
        options.beam = beam;
        options.wanted = beam;
        let all = search(&model, &sentences, &options);
        let mut reused = model.workspace();
        for (sentences_at_once, tokens) in [(1, 10), (7, 50), (32, 80), (16, usize::MAX)] {
            options.batch = BatchSize {
                sentences: sentences_at_once,
                tokens,
            };
            let mut most = 0;
            let observe = &mut |step: Step| {
                most = most.max(step.live_sentences);
                ControlFlow::Continue(())
            };
            let found = model
                .search(&sentences, &options, &mut reused, observe)
                .unwrap();
            assert_eq!(found, all);
            assert!(most <= sentences_at_once, "{most} sentences at once");
        }
    }
}

/// What is already written is scored as if the search had chosen it.
#[test]
fn a_translation_goes_on_from_its_beginning() {
    let (model, sentences) = (model(), sentences(12));
    let options = model.search_options();
    for (sentence, free) in sentences.iter().zip(search(&model, &sentences, &options)) {
        let best = &free.hypotheses[0];
        for len in 0..best.ids.len().min(4) {
            let mut options = options.clone();
            // Its own beginning, with the next token among some.
            options.beginning = Beginning {
                tokens: best.ids[..len].to_vec(),
                next: best
                    .ids
                    .get(len)
                    .copied()
                    .into_iter()
                    .chain([7, 9])
                    .collect(),
            };
            let found = search(&model, std::slice::from_ref(sentence), &options);
            let first = &found[0].hypotheses[0];
            assert_eq!(first.ids[..len], best.ids[..len]);
            assert!(first.score <= best.score + 1e-5 || len > 0);
            for other in &found[0].hypotheses {
                assert_eq!(other.ids[..len], best.ids[..len]);
                assert!(options.beginning.next.contains(&other.ids[len]));
            }
        }
        // Something else than it would have said.
        let tokens = vec![11, 12, 13];
        let next = Vec::new();
        let mut options = options.clone();
        options.beginning = Beginning { tokens, next };
        for other in &search(&model, std::slice::from_ref(sentence), &options)[0].hypotheses {
            assert_eq!(other.ids[..3], [11, 12, 13]);
        }
    }
}

#[test]
fn a_beginning_outside_the_vocabulary_is_refused() {
    let model = model();
    let mut options = model.search_options();
    options.beginning.tokens = vec![u32::MAX];
    let outcome = model.search(&[[3_u32, 4]], &options, &mut model.workspace(), &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(matches!(outcome, Err(ModelError::Token { .. })));
}
