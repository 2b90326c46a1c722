//! The server that the token is shown to, and the authorities that are believed.

use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use ioalign_fleet::agents::SHORTEST_TOKEN;
use ureq::http::Uri;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::args::PushArgs;
use crate::exit::UsageError;
use crate::say::note;
use crate::small_file;

/// Where systems keep the authorities: Debian and Alpine, Red Hat, SUSE.
const SYSTEM: [&str; 3] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
];
/// Where a push goes on a server.
const PATH: &str = "/api/v1/push";

/// The address of the push, refused where the token would cross a network in the open.
pub(super) fn address(arguments: &PushArgs) -> Result<Uri> {
    let wrong = |what: String| UsageError(format!("{}: {what}", arguments.url));
    let given: Uri = arguments
        .url
        .parse()
        .map_err(|error| wrong(format!("{error}")))?;
    let (Some(scheme), Some(authority)) = (given.scheme_str(), given.authority()) else {
        return Err(wrong("write https://HOST:PORT".to_owned()).into());
    };
    if authority.as_str().contains('@') {
        return Err(wrong("a token goes into --token-file, not into the URL".to_owned()).into());
    }
    match scheme {
        "https" => {}
        "http" if arguments.plain_http || is_loopback(authority.host()) => {}
        "http" => {
            let what = "the token would cross the network in the open: https://, or --plain-http";
            return Err(wrong(what.to_owned()).into());
        }
        _ => return Err(wrong("write https://HOST:PORT".to_owned()).into()),
    }
    let path = given.path().trim_end_matches('/');
    let path = if path.is_empty() {
        PATH.to_owned()
    } else {
        format!("{path}{PATH}")
    };
    let whole = Uri::builder()
        .scheme(scheme)
        .authority(authority.clone())
        .path_and_query(path);
    whole
        .build()
        .map_err(|error| wrong(format!("{error}")).into())
}

/// Whether what is sent to this host stays on the machine.
pub(super) fn is_loopback(host: &str) -> bool {
    let address = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// The token.
pub(super) fn token(path: &Path) -> Result<String> {
    let name = path.display();
    let data = fs::metadata(path).with_context(|| format!("{name}: cannot open it"))?;
    if data.mode() & 0o004 != 0 {
        note(format_args!(
            "{name}: every user of this machine can read the token: chmod 600"
        ));
    }
    let bytes = small_file::read(path, 4096, "it is too long for a token")?;
    let text = String::from_utf8(bytes).with_context(|| format!("{name}: cannot read it"))?;
    let token = text.trim();
    if token.len() < SHORTEST_TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        bail!(
            "{name}: a token is one line of at least {SHORTEST_TOKEN} printable characters: `openssl rand -hex 32` makes one"
        );
    }
    Ok(token.to_owned())
}

/// The authorities that are believed.
pub(super) fn tls(ca: Option<&Path>) -> Result<TlsConfig> {
    let path = match ca {
        Some(path) => Some(path.to_owned()),
        None => SYSTEM
            .map(PathBuf::from)
            .into_iter()
            .find(|path| path.is_file()),
    };
    let path = path.context("this system has no list of authorities: name one with --ca")?;
    let name = path.display();
    let pem = fs::read(&path).with_context(|| format!("{name}: cannot read it"))?;
    let certificates: Vec<Certificate<'static>> = parse_pem(&pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        return Err(anyhow!("{name}: there is no certificate in it"));
    }
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&certificates))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}
