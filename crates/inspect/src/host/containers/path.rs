//! A container in the path of a control group, as runtimes with systemd and without it make them.
//!
//! Sources: containerd `pkg/cri` and Docker (`SLICE:PREFIX:ID`, which systemd makes `PREFIX-ID.scope` of), CRI-O
//! `internal/config/cgmgr`, Podman `libpod` (`libpod-ID.scope`), kubelet `pkg/kubelet/cm` (`kubepods`, `podUID`).

use ioalign_core::profile::ContainerName;

/// The beginnings of a container's group, and the runtime that makes it.
const PREFIXES: [(&str, &str); 5] = [
    ("cri-containerd", "containerd"),
    ("nerdctl", "containerd"),
    ("crio", "cri-o"),
    ("docker", "docker"),
    ("libpod", "podman"),
];
/// Digits of a container's number.
const DIGITS: usize = 64;

/// The innermost container that a path names, or the pod where it names no more.
pub(super) fn container(path: &str) -> Option<ContainerName> {
    let pod_uid = path.split('/').rev().find_map(pod);
    let names: Vec<_> = path.split('/').collect();
    let innermost = (0..names.len()).rev().find_map(|at| {
        let (id, runtime) = numbered(names.get(at)?)?;
        let above = at.checked_sub(1).and_then(|at| names.get(at));
        let by_folder = above.filter(|above| **above == "docker").map(|_| "docker");
        Some((id, runtime.or(by_folder)))
    });
    if innermost.is_none() && pod_uid.is_none() {
        return None;
    }
    Some(ContainerName {
        runtime: innermost.and_then(|(_, runtime)| runtime.map(str::to_owned)),
        id: innermost.map(|(id, _)| id.to_owned()),
        pod_uid,
        ..ContainerName::default()
    })
}

/// The number in a folder's name, and the runtime that it names.
fn numbered(name: &str) -> Option<(&str, Option<&'static str>)> {
    let name = name.strip_suffix(".scope").unwrap_or(name);
    if is_number(name) {
        return Some((name, None));
    }
    PREFIXES.into_iter().find_map(|(prefix, runtime)| {
        // A runtime without systemd that is given a path for systemd makes one folder of it: `SLICE:PREFIX:ID`.
        let id = match name.rsplit_once(':') {
            Some((before, id)) => (before.rsplit(':').next() == Some(prefix)).then_some(id),
            None => name.strip_prefix(prefix)?.strip_prefix('-'),
        };
        id.filter(|id| is_number(id)).map(|id| (id, Some(runtime)))
    })
}

pub(super) fn is_number(text: &str) -> bool {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == DIGITS && text.bytes().all(digit)
}

/// The number of a pod in a folder's name: `kubepods-burstable-podUID.slice` with `_` for `-`, or `podUID`. That of a
/// static pod has no hyphens.
fn pod(name: &str) -> Option<String> {
    let name = name.split_once(':').map_or(name, |(slice, _)| slice);
    let uid = match name.strip_suffix(".slice") {
        Some(slice) => slice.rsplit_once("-pod").map(|(_, uid)| uid)?,
        None => name.strip_prefix("pod")?,
    };
    let uid = uid.replace('_', "-");
    is_uid(&uid).then_some(uid)
}

/// A UUID with its hyphens, or 32 digits.
pub(super) fn is_uid(uid: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    match uid.len() {
        32 => uid.bytes().all(is_digit),
        36 => uid.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => is_digit(byte),
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UID: &str = "8a3c1f0e-5b7d-4c21-9f63-0d2e4b6a8c10";

    fn of(path: &str) -> Option<(Option<String>, Option<String>, Option<String>)> {
        let path = path.replace("ID", &"0123456789abcdef".repeat(4));
        let path = path
            .replace("U_D", &UID.replace('-', "_"))
            .replace("U-D", UID);
        let found = container(&path)?;
        Some((found.runtime, found.id, found.pod_uid))
    }

    #[test]
    fn every_runtime_and_both_drivers_are_known() {
        let id = || Some("0123456789abcdef".repeat(4));
        for (path, runtime, pod) in [
            (
                "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podU_D.slice/cri-containerd-ID.scope",
                Some("containerd"),
                true,
            ),
            (
                "/kubepods.slice/kubepods-podU_D.slice/crio-ID.scope",
                Some("cri-o"),
                true,
            ),
            (
                "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort-podU_D.slice/docker-ID.scope/init.scope",
                Some("docker"),
                true,
            ),
            (
                "/system.slice/containerd.service/kubepods-burstable-podU_D.slice:cri-containerd:ID",
                Some("containerd"),
                true,
            ),
            ("/kubepods/burstable/podU-D/ID", None, true),
            ("/kubepods/podU-D/crio-ID", Some("cri-o"), true),
            ("/docker/ID", Some("docker"), false),
            (
                "/docker/ID/system.slice/mysqld.service",
                Some("docker"),
                false,
            ),
            ("/system.slice/docker-ID.scope", Some("docker"), false),
            (
                "/machine.slice/libpod-ID.scope/container",
                Some("podman"),
                false,
            ),
            ("/libpod_parent/libpod-ID", Some("podman"), false),
            ("/default/nerdctl-ID.scope", Some("containerd"), false),
        ] {
            let wanted = (
                runtime.map(str::to_owned),
                id(),
                pod.then(|| UID.to_owned()),
            );
            assert_eq!(of(path), Some(wanted), "{path}");
        }
    }

    #[test]
    fn what_is_no_container_is_none() {
        for path in [
            "/",
            "",
            "/system.slice/docker.service",
            "/machine.slice/libpod-conmon-ID.scope",
            "/kubepods.slice/kubepods-burstable.slice",
            "/system.slice/docker-IDa.scope",
            "/system.slice/docker-0123456789ab.scope",
            "/podman/podcast",
            "/user.slice/x-podU_.slice",
            "/a:b:ID",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
        let pod = of("/kubepods.slice/kubepods-podU_D.slice");
        assert_eq!(pod, Some((None, None, Some(UID.to_owned()))));
        let fixed = format!("/kubepods/pod{}", "ab".repeat(16));
        assert_eq!(container(&fixed).unwrap().pod_uid, Some("ab".repeat(16)));
    }

    #[test]
    fn the_innermost_of_two_is_meant() {
        let inner = "f".repeat(64);
        let path = format!("/docker/{}/docker/{inner}", "0".repeat(64));
        assert_eq!(container(&path).unwrap().id, Some(inner));
    }
}
