//! What each guard does, costs and brings.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use csanmt::{Fault, Guard, Guards, Mended, Options};

use super::{Pairs, Run};
use crate::output;
use crate::translate::Batch;

const MENDED: [Mended; 5] = [
    Mended::Sibling,
    Mended::Correction,
    Mended::Search,
    Mended::Parts,
    Mended::Not,
];

/// Evaluates with all guards, without each, and without any.
pub(super) fn print_table(batch: &Batch, pairs: &Pairs, options: &Options) -> Result<ExitCode> {
    let run = |guards: Guards| {
        let options = options.clone().with_guards(guards);
        pairs.evaluate(&batch.with_options(options))
    };
    let all = run(Guards::default())?;
    let mut table = String::from(
        "| guard | noticed | other hypothesis | correction | signs | parts | not mended \
         | BLEU without it | chrF2 without it | it brings | repeated tokens without it |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for guard in Guard::ALL {
        let without = run(Guards::default().without(guard))?;
        row(&mut table, guard.name(), Some(guard), &all, &without);
    }
    row(&mut table, "all of them", None, &all, &run(Guards::none())?);
    let share = repeated(&all);
    writeln!(
        table,
        "\nWith all guards: BLEU {:.2}, chrF2 {:.2}; {share:.1} % of the source tokens of the first \
         searches are searched for again, in {} searches.",
        all.score.bleu, all.score.chrf, all.work.repeated_searches,
    )?;
    output::print(&table)?;
    Ok(ExitCode::SUCCESS)
}

fn row(table: &mut String, name: &str, guard: Option<Guard>, all: &Run, without: &Run) {
    let of_guard = |fault: &&Fault| guard.is_none_or(|guard| fault.guard == guard);
    let noticed: Vec<&Fault> = all.work.faults.iter().filter(of_guard).collect();
    *table += &format!("| {name} | {} |", noticed.len());
    for mended in MENDED {
        let count = noticed
            .iter()
            .filter(|fault| fault.mended == mended)
            .count();
        *table += &format!(" {count} |");
    }
    let (bleu, chrf) = (without.score.bleu, without.score.chrf);
    let brings = all.score.chrf - chrf;
    let share = repeated(without);
    *table += &format!(" {bleu:.2} | {chrf:.2} | {brings:+.2} | {share:.1} % |\n");
}

fn repeated(run: &Run) -> f64 {
    run.work.repeated_tokens as f64 * 100.0 / run.work.tokens.max(1) as f64
}
