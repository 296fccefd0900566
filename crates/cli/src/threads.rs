//! How many threads.

use std::num::NonZero;

/// More would only take turns: no machine this program is for has more cores.
const MOST: usize = 256;

/// Reads the value of `--threads`.
pub(crate) fn parse(value: &str) -> Result<NonZero<usize>, String> {
    value
        .parse()
        .ok()
        .filter(|count: &NonZero<usize>| count.get() <= MOST)
        .ok_or_else(|| format!("expected a number of threads from 1 to {MOST}"))
}

/// One a core.
pub(crate) fn all_cores() -> NonZero<usize> {
    let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    NonZero::new(MOST).map_or(cores, |most| cores.min(most))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_1_to_256_are_accepted() {
        assert_eq!(parse("1").unwrap().get(), 1);
        assert_eq!(parse("256").unwrap().get(), 256);
        for value in [
            "0",
            "257",
            "1000000",
            "99999999999999999999",
            "-1",
            "two",
            "",
        ] {
            let error = parse(value).unwrap_err();
            assert_eq!(error, "expected a number of threads from 1 to 256");
        }
    }
}
