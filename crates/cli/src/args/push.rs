//! The arguments of `push`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::watch::duration;

pub const EXAMPLES: &str = "\
Examples:
  ioalign push https://collector.lan:9184 --token-file /etc/ioalign/token
  ioalign push https://collector.lan:9184 --token-file token --profile day.json
  ioalign push https://collector.lan:9184 --token-file token --ca our-ca.pem
  ioalign watch --duration 10m --json >day.json     a profile: what misalignment costs here

What is sent is what `ioalign capture` packs, and the profile. It is in the spool before it is sent
and until the server has acknowledged it: the next push sends what this one could not.

Exit codes: 0 acknowledged, 1 something is left in the spool or was refused, 64 wrong usage,
65 the host or a file cannot be read, or the spool not written, 130 interrupted: the spool is kept.";

#[derive(Debug, Args)]
pub struct PushArgs {
    /// The server, as `ioalign serve --collect` prints it
    #[arg(value_name = "URL")]
    pub url: String,

    /// The token of this host or its group: one line
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,

    /// What the host does: a document of `watch --json` or `trace summarize --json`
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,

    /// The authorities that may sign for the server, as PEM (default: those of the system)
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,

    /// Send the token over plain HTTP to another machine: whoever listens can push as this host
    #[arg(long)]
    pub plain_http: bool,

    /// Where pushes wait (default: /var/lib/ioalign/spool for root, else below XDG_STATE_HOME)
    #[arg(long, value_name = "DIR")]
    pub spool: Option<PathBuf>,

    /// How long to try, with pauses that double; then the spool waits for the next push
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    pub retry_for: Duration,

    /// Push a captured host instead of this one: a tree with sys/, proc/ and dev/ in it
    #[arg(long, value_name = "DIR")]
    pub sysroot: Option<PathBuf>,

    /// The name of the host (default: its own; in a container that of its node)
    #[arg(long, value_name = "NAME")]
    pub host_name: Option<String>,

    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,

    /// Print nothing but what went wrong
    #[arg(long, short)]
    pub quiet: bool,

    /// No colour, also on a terminal (there is none)
    #[arg(long)]
    pub no_color: bool,
}
