//! The names by which the server may be asked for.
//!
//! A page of another site can have its name resolve to this machine (DNS rebinding) and then read what is served as if
//! it were its own. Its requests carry its name as their host, so that only names that are known are answered. An
//! address in place of a name cannot be rebound.

use std::net::IpAddr;

use axum::http::uri::Authority;

/// The names by which the server may be asked for.
#[derive(Clone, Debug)]
pub struct HostNames {
    listens_on: IpAddr,
    named: Vec<String>,
}

impl HostNames {
    /// The address that is listened on, and the names that the operator adds.
    pub fn new(listens_on: IpAddr, named: Vec<String>) -> Self {
        Self { listens_on, named }
    }

    /// Whether a `Host` header may be answered: `localhost`, one of the names, an address. With a loopback address only
    /// such addresses.
    pub fn has(&self, header: &str) -> bool {
        let Some(authority) = authority(header) else {
            return false;
        };
        let host = authority.host();
        let is_named = |name: &String| name.eq_ignore_ascii_case(host);
        if host.eq_ignore_ascii_case("localhost") || self.named.iter().any(is_named) {
            return true;
        }
        match address(host) {
            Some(address) if self.listens_on.is_loopback() => address.is_loopback(),
            Some(_) => true,
            None => false,
        }
    }
}

/// Whether an `Origin` header names the same host and port as the `Host` header.
pub fn is_same_origin(origin: &str, host: &str) -> bool {
    let Some((scheme, rest)) = origin.split_once("://") else {
        return false;
    };
    let default = match scheme {
        "http" => 80,
        "https" => 443,
        _ => return false,
    };
    let parts = |text: &str| {
        let found = authority(text)?;
        let port = found.port_u16().unwrap_or(default);
        Some((found.host().to_ascii_lowercase(), port))
    };
    let (of_origin, of_host) = (parts(rest), parts(host));
    of_origin.is_some() && of_origin == of_host
}

/// A host with or without a port, and nothing else.
fn authority(text: &str) -> Option<Authority> {
    let found: Authority = text.parse().ok()?;
    let rest = text.strip_prefix(found.host())?;
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    let whole = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    whole.then_some(found)
}

fn address(host: &str) -> Option<IpAddr> {
    let inner = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match inner {
        Some(inner) => inner.parse().ok().map(IpAddr::V6),
        None => host.parse().ok().map(IpAddr::V4),
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    #[test]
    fn foreign_names_are_not_known() {
        let own = HostNames::new(Ipv4Addr::LOCALHOST.into(), vec!["stor1.lan".into()]);
        for good in [
            "localhost",
            "LOCALHOST:9184",
            "127.0.0.1:9184",
            "127.1.2.3",
            "[::1]:80",
            "stor1.lan:9184",
            "STOR1.LAN",
        ] {
            assert!(own.has(good), "{good}");
        }
        for bad in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "evil.example#localhost",
            "localhost:port",
            "localhost:99999",
            "localhost/x",
            "192.0.2.1",
            "[2001:db8::1]",
            "::1",
            "stor1.lan.",
        ] {
            assert!(!own.has(bad), "{bad}");
        }
        let open = HostNames::new(Ipv6Addr::UNSPECIFIED.into(), Vec::new());
        assert!(open.has("192.0.2.1:9184") && open.has("[2001:db8::1]"));
        assert!(!open.has("evil.example"));
    }

    #[test]
    fn origins_are_compared_with_the_host() {
        for (origin, host, same) in [
            ("http://localhost:9184", "localhost:9184", true),
            ("https://stor1.lan", "STOR1.lan:443", true),
            ("http://localhost:3000", "localhost:9184", false),
            ("http://evil.example", "localhost:9184", false),
            ("null", "localhost:9184", false),
            ("file://", "localhost", false),
        ] {
            assert_eq!(is_same_origin(origin, host), same, "{origin} {host}");
        }
    }
}
