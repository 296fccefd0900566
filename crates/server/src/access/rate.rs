//! How much one client may ask for in a minute.

use std::net::IpAddr;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};

use super::Caller;
use crate::{ApiError, Settings};

/// How many requests pass between two looks for clients that have not come back.
const SWEEP: usize = 1024;

/// Requests and characters a minute and client. A client is its token, or else its address.
pub(crate) struct Rates {
    requests: Option<Limiter>,
    characters: Option<Limiter>,
    clock: DefaultClock,
    since_sweep: AtomicUsize,
}

struct Limiter {
    limit: NonZero<u32>,
    of: &'static str,
    state: DefaultKeyedRateLimiter<Client>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Client {
    Token(String),
    Address(Option<IpAddr>),
}

impl Rates {
    pub(crate) fn new(settings: &Settings) -> Self {
        let limiter = |limit: Option<NonZero<u32>>, of| {
            limit.map(|limit| Limiter {
                limit,
                of,
                state: DefaultKeyedRateLimiter::keyed(Quota::per_minute(limit)),
            })
        };
        Self {
            requests: limiter(settings.requests_per_minute, "requests"),
            characters: limiter(settings.characters_per_minute, "characters"),
            clock: DefaultClock::default(),
            since_sweep: AtomicUsize::new(0),
        }
    }

    /// Counts a request with so many characters. `token` is that of an authorised client.
    pub(crate) fn charge(
        &self,
        caller: &Caller,
        token: Option<&str>,
        characters: usize,
    ) -> Result<(), ApiError> {
        if self.requests.is_none() && self.characters.is_none() {
            return Ok(());
        }
        if self.since_sweep.fetch_add(1, Ordering::Relaxed) >= SWEEP {
            self.since_sweep.store(0, Ordering::Relaxed);
            for limiter in [&self.requests, &self.characters].into_iter().flatten() {
                limiter.state.retain_recent();
            }
        }
        let client = match token {
            Some(token) => Client::Token(token.to_owned()),
            None => Client::Address(caller.address),
        };
        if let Some(limiter) = &self.requests {
            self.take(limiter, &client, 1)?;
        }
        match &self.characters {
            Some(limiter) => self.take(limiter, &client, characters),
            None => Ok(()),
        }
    }

    fn take(&self, limiter: &Limiter, client: &Client, count: usize) -> Result<(), ApiError> {
        let Some(count) = u32::try_from(count).ok().and_then(NonZero::new) else {
            return if count == 0 {
                Ok(())
            } else {
                Err(limiter.never(count))
            };
        };
        match limiter.state.check_key_n(client, count) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(not_until)) => Err(ApiError::TooFrequent {
                of: limiter.of,
                limit: limiter.limit.get(),
                seconds: not_until.wait_time_from(self.clock.now()).as_secs() + 1,
            }),
            Err(_) => Err(limiter.never(count.get() as usize)),
        }
    }
}

impl Limiter {
    /// More than a whole minute's worth.
    fn never(&self, found: usize) -> ApiError {
        ApiError::TooMuch {
            of: "text",
            found,
            limit: self.limit.get() as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(requests: u32, characters: u32) -> Rates {
        Rates::new(&Settings {
            requests_per_minute: NonZero::new(requests),
            characters_per_minute: NonZero::new(characters),
            ..Settings::default()
        })
    }

    fn caller(address: &str) -> Caller {
        Caller {
            address: address.parse().ok(),
            token: None,
        }
    }

    #[test]
    fn j8_each_client_has_its_own_allowance() {
        let rates = rates(2, 0);
        let (one, other) = (caller("10.0.0.1"), caller("10.0.0.2"));
        for _ in 0..2 {
            rates.charge(&one, None, 5).unwrap();
        }
        let error = rates.charge(&one, None, 5).unwrap_err();
        let ApiError::TooFrequent { seconds, .. } = error else {
            panic!("{error}");
        };
        assert!((1..=31).contains(&seconds), "{seconds}");
        rates.charge(&other, None, 5).unwrap();
        // Behind one address, but with a token of its own.
        rates.charge(&one, Some("token"), 5).unwrap();
    }

    #[test]
    fn j8_characters_are_counted_too() {
        let rates = rates(0, 100);
        let one = caller("10.0.0.1");
        rates.charge(&one, None, 60).unwrap();
        let error = rates.charge(&one, None, 60).unwrap_err();
        assert!(
            error.to_string().starts_with("Slowdown: 100 characters"),
            "{error}"
        );
        rates.charge(&one, None, 40).unwrap();
        let never = rates.charge(&one, None, 101).unwrap_err();
        assert!(matches!(
            never,
            ApiError::TooMuch {
                found: 101,
                limit: 100,
                ..
            }
        ));
    }
}
