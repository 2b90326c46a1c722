//! Who may ask: what the arguments and their files say.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use ioalign_serve::{AccessRules, AccessToken, HostNames, TlsFiles};

use crate::args::ServeArgs;
use crate::exit::UsageError;
use crate::say::note;
use crate::small_file;

/// No token, certificate or key comes near it.
const LARGEST: usize = 1 << 20;

/// Others reach the server only if they are known.
///
/// # Errors
/// An address that others reach, and nothing that they have to show.
pub fn is_safe(arguments: &ServeArgs) -> Result<(), UsageError> {
    let address = arguments.listen;
    let is_known = arguments.token_file.is_some() || arguments.tls_client_ca.is_some();
    if address.ip().is_loopback() || is_known {
        return Ok(());
    }
    Err(UsageError(format!(
        "--listen {address}: others would read this machine there; name --token-file, or --tls-cert, --tls-key and \
         --tls-client-ca"
    )))
}

/// The names of the server, and the token.
pub fn rules(arguments: &ServeArgs) -> Result<AccessRules> {
    let token = match &arguments.token_file {
        Some(path) => Some(token(path)?),
        None => None,
    };
    if token.is_some() && arguments.tls_cert.is_none() && !arguments.listen.ip().is_loopback() {
        note(
            "the token crosses the network as it is: --tls-cert and --tls-key, or a proxy with TLS, hide it",
        );
    }
    Ok(AccessRules {
        hosts: HostNames::new(arguments.listen.ip(), arguments.host.clone()),
        token,
    })
}

fn token(path: &Path) -> Result<AccessToken> {
    let name = path.display();
    let mode = path
        .metadata()
        .with_context(|| format!("{name}: cannot read it"))?
        .mode();
    if mode & 0o022 != 0 {
        bail!("{name}: others can write to it, and so choose the token: chmod go-w");
    }
    if mode & 0o004 != 0 {
        note(format_args!(
            "{name}: every user of this machine can read the token"
        ));
    }
    let text = String::from_utf8(contents(path)?)
        .map_err(|_| anyhow!("{name}: a token is one word of printable ASCII characters"))?;
    AccessToken::parse(&text).map_err(|why| anyhow!("{name}: {why}"))
}

/// The certificate, its key, and the authority of clients.
pub fn tls(arguments: &ServeArgs) -> Result<Option<TlsFiles>> {
    let (Some(certificate), Some(key)) = (&arguments.tls_cert, &arguments.tls_key) else {
        return Ok(None);
    };
    let authority = arguments.tls_client_ca.as_deref();
    Ok(Some(TlsFiles {
        certificate: contents(certificate)?,
        key: contents(key)?,
        client_authority: authority.map(contents).transpose()?,
    }))
}

fn contents(path: &Path) -> Result<Vec<u8>> {
    small_file::read(path, LARGEST, "larger than a mebibyte")
}
