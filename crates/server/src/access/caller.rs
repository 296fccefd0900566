//! Who sent a request.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::header::{AUTHORIZATION, HeaderMap};
use axum::http::request::Parts;

/// The address at the other end of the connection, noted by the accept loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Address and token of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// None where requests come without a socket.
    pub(crate) address: Option<IpAddr>,
    /// The token in header or query.
    pub(crate) token: Option<String>,
}

impl Caller {
    /// With `trust_proxy` the address is the one that the proxy before this server saw: the last
    /// of `X-Forwarded-For`. Earlier ones are whatever the client wrote.
    pub(crate) fn new(parts: &Parts, trust_proxy: bool) -> Self {
        let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
        let forwarded = trust_proxy.then(|| forwarded(&parts.headers)).flatten();
        let query = parts.uri.query().unwrap_or_default();
        Self {
            address: forwarded.or(peer).map(network),
            token: in_headers(&parts.headers).or_else(|| in_query(query)),
        }
    }
}

fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    last.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}

/// One IPv6 client has 2^64 addresses.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let bits = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(bits))
        }
        address => address,
    }
}

/// `Authorization: Bearer TOKEN`, `Authorization: DeepL-Auth-Key TOKEN`, `Authorization: TOKEN`,
/// or a header of its own as some clients have it.
fn in_headers(headers: &HeaderMap) -> Option<String> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let value = value.to_str().ok()?.trim();
        let token = match value.split_once(' ') {
            Some((scheme, token))
                if ["bearer", "deepl-auth-key", "token"]
                    .iter()
                    .any(|known| scheme.eq_ignore_ascii_case(known)) =>
            {
                token
            }
            _ => value,
        };
        return Some(token.trim().to_owned());
    }
    let own = ["deepl-auth-key", "x-api-key", "x-goog-api-key"];
    let value = own.iter().find_map(|name| headers.get(*name))?;
    Some(value.to_str().ok()?.trim().to_owned())
}

/// `?token=TOKEN`; Google's clients call it `key`.
fn in_query(query: &str) -> Option<String> {
    form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| matches!(&**name, "token" | "api_key" | "key" | "auth_key"))
        .map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn caller(headers: &[(&str, &str)], uri: &str, trust_proxy: bool) -> Caller {
        let mut request = Request::post(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        parts.extensions.insert(Peer("10.0.0.1".parse().unwrap()));
        Caller::new(&parts, trust_proxy)
    }

    #[test]
    fn j7_tokens_are_found_wherever_clients_put_them() {
        for (headers, uri) in [
            (&[("authorization", "Bearer s3cret")][..], "/"),
            (&[("authorization", "bearer  s3cret ")], "/"),
            (&[("authorization", "DeepL-Auth-Key s3cret")], "/"),
            (&[("authorization", "s3cret")], "/"),
            (&[("deepl-auth-key", "s3cret")], "/"),
            (&[("x-api-key", "s3cret")], "/?token=other"),
            (&[], "/?a=b&token=s3cret"),
            (&[], "/?key=s3cret"),
        ] {
            let token = caller(headers, uri, false).token;
            assert_eq!(token.as_deref(), Some("s3cret"), "{headers:?} {uri}");
        }
        assert_eq!(caller(&[], "/?tokens=x", false).token, None);
    }

    #[test]
    fn only_a_trusted_proxy_names_the_address() {
        let headers = [("x-forwarded-for", "1.1.1.1, 2.2.2.2")];
        let address = |trust| caller(&headers, "/", trust).address.unwrap().to_string();
        assert_eq!(address(false), "10.0.0.1");
        assert_eq!(address(true), "2.2.2.2");
    }

    #[test]
    fn an_ipv6_client_is_its_network() {
        let of = |address: &str| network(address.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
