//! The reasons why BPF does not work here, and how to get it.

use std::fs;
use std::path::Path;

use super::btf;

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// Sentences that say what is missing and what helps, most likely first. Read under `root` (`/`).
pub fn reasons(root: &Path) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(capabilities(root));
    all.extend(lockdown(root));
    if !root.join(btf::VMLINUX.trim_start_matches('/')).exists() {
        all.push(
            "The kernel shows no type information (/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF): \
             plain tracepoints are used then, and they need tracefs: \
             mount -t tracefs tracefs /sys/kernel/tracing"
                .to_owned(),
        );
    }
    if let Some(version) = old_kernel(root) {
        all.push(format!(
            "Linux {version} is older than 5.8, which brought the ring buffer and CAP_BPF."
        ));
    }
    all
}

fn text(root: &Path, path: &str) -> Option<String> {
    fs::read_to_string(root.join(path)).ok()
}

fn capabilities(root: &Path) -> Option<String> {
    let status = text(root, "proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))?;
    let held = u64::from_str_radix(line.trim(), 16).ok()?;
    let has = |bit: u32| held & (1 << bit) != 0;
    if has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_PERFMON)) {
        return None;
    }
    let lacking: Vec<_> = [(CAP_BPF, "CAP_BPF"), (CAP_PERFMON, "CAP_PERFMON")]
        .into_iter()
        .filter_map(|(bit, name)| (!has(bit)).then_some(name))
        .collect();
    let switch = text(root, "proc/sys/kernel/unprivileged_bpf_disabled");
    let switch = match switch.as_deref().map(str::trim) {
        Some("0") | None => String::new(),
        Some(value) => format!(
            " (kernel.unprivileged_bpf_disabled is {value}; tracing programs always need them)"
        ),
    };
    Some(format!(
        "This process lacks {}{switch}. Run it as root, or give the binary what it needs once: \
         setcap cap_bpf,cap_perfmon+ep $(command -v ioalign). In a container: \
         --cap-add BPF --cap-add PERFMON, and /sys/kernel/btf readable.",
        lacking.join(" and ")
    ))
}

fn lockdown(root: &Path) -> Option<String> {
    let text = text(root, "sys/kernel/security/lockdown")?;
    text.contains("[confidentiality]").then(|| {
        "The kernel is locked down in confidentiality mode, which forbids BPF to read kernel memory: \
         integrity mode (lockdown=integrity) permits it."
            .to_owned()
    })
}

fn old_kernel(root: &Path) -> Option<String> {
    let release = text(root, "proc/sys/kernel/osrelease")?;
    let release = release.trim().to_owned();
    let mut parts = release
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse().unwrap_or(0));
    let version: (u32, u32) = (parts.next()?, parts.next()?);
    (version < (5, 8)).then_some(release)
}

#[cfg(test)]
mod tests {
    use ioalign_testkit::files::put;

    use super::*;

    #[test]
    fn a_user_without_rights_is_told_how_to_get_them() {
        let root = tempfile::tempdir().unwrap();
        put(
            root.path(),
            "proc/self/status",
            "Name:\tx\nCapEff:\t0000000000000000\n",
        );
        put(
            root.path(),
            "proc/sys/kernel/unprivileged_bpf_disabled",
            "2\n",
        );
        put(root.path(), "proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
        put(root.path(), "sys/kernel/btf/vmlinux", "");
        let all = reasons(root.path());
        assert_eq!(all.len(), 1, "{all:?}");
        let first = all.first().unwrap();
        assert!(first.contains("CAP_BPF and CAP_PERFMON") && first.contains("is 2"));
        put(
            root.path(),
            "proc/self/status",
            "CapEff:\t000000c000000000\n",
        );
        assert!(reasons(root.path()).is_empty());
    }

    #[test]
    fn kernels_that_cannot() {
        let root = tempfile::tempdir().unwrap();
        put(
            root.path(),
            "proc/self/status",
            "CapEff:\t000001ffffffffff\n",
        );
        put(
            root.path(),
            "proc/sys/kernel/osrelease",
            "5.4.0-150-generic\n",
        );
        put(
            root.path(),
            "sys/kernel/security/lockdown",
            "none integrity [confidentiality]\n",
        );
        let all = reasons(root.path()).join("\n");
        assert!(
            all.contains("confidentiality") && all.contains("5.4.0-150") && all.contains("btf")
        );
    }
}
