//! The arguments of `serve`.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ioalign_fleet::StorePlace;

use super::watch::duration;

pub const EXAMPLES: &str = "\
Examples:
  ioalign serve                              this machine on http://127.0.0.1:9184/
  ioalign serve sda nvme0n1                  live counters of these devices only
  ioalign serve --reports /srv/reports       and the documents of check, measure, simulate, lab there
  ioalign serve --listen 0.0.0.0:9184 --token-file token      for others, who show the token
  ioalign serve --listen 0.0.0.0:9184 --tls-cert cert.pem --tls-key key.pem --tls-client-ca ca.pem
  openssl rand -hex 32 > token; chmod 600 token
  ioalign serve --collect --store sqlite:fleet.db --agents-file agents.toml      a fleet
  curl -H \"Authorization: Bearer $(cat token)\" http://stor1:9184/metrics

Nothing is written to a device. Live counters need root, or CAP_BPF and CAP_PERFMON; without them the pages show what
can be read, and say why.

Exit codes: 0 ended by Ctrl-C, 64 wrong usage, 65 it cannot listen, or a file cannot be read.";

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Devices to watch, by name or path; a partition means its disk (default: all)
    #[arg(value_name = "DEVICE")]
    pub devices: Vec<String>,

    /// Where to listen; port 0 takes a free one. Addresses that others reach need --token-file or --tls-client-ca
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:9184")]
    pub listen: SocketAddr,

    /// A file with the token that clients have to show, 16 characters at least
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// The certificate of the server, with its chain, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Clients need a certificate that one of these authorities signed, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_client_ca: Option<PathBuf>,

    /// A name by which this server is asked for, besides localhost and addresses; repeatable
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,

    /// A folder whose reports are shown: documents that other commands have written with --json
    #[arg(long, value_name = "FOLDER")]
    pub reports: Option<PathBuf>,

    /// Collect what other hosts push, and show the fleet instead of this machine
    #[arg(long, requires_all = ["store", "agents_file"])]
    pub collect: bool,

    /// The store of the fleet: sqlite:FILE or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "STORE", requires = "collect")]
    pub store: Option<StorePlace>,

    /// Who may push: names and hashes of tokens, in TOML
    #[arg(long, value_name = "FILE", requires = "collect")]
    pub agents_file: Option<PathBuf>,

    /// Reports of each host that are kept; older ones are deleted when it pushes (default: all)
    #[arg(long, value_name = "REPORTS", requires = "collect")]
    pub keep: Option<NonZeroU32>,

    /// How often the stack is checked again
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub check_every: Duration,

    /// One line of JSON when it is ready
    #[arg(long)]
    pub json: bool,

    /// Check this machine whenever a line comes on standard input: the part of the server that keeps its rights
    #[arg(long, hide = true)]
    pub as_checker: bool,
}
