//! Names that the kubelet gives its logs. They are in names of folders and links alone, so folders that were opened once
//! tell of containers that begin later, also to a process that may open no file any more.
//!
//! Sources: kubelet `pkg/kubelet/kuberuntime/legacy.go` (`POD_NAMESPACE_CONTAINER-ID.log`, cut off to 255 bytes),
//! `pkg/kubelet/kuberuntime/helpers.go` (`NAMESPACE_POD_UID`). None of the names can have an underscore (DNS labels).

use rustix::fs::Dir;

use ioalign_core::profile::ContainerName;

use super::MOST;
use super::path::{is_number, is_uid};
use crate::host::Root;

/// A folder that is open.
#[derive(Debug)]
struct OpenFolder(Dir);

impl OpenFolder {
    fn open(root: &Root, inside: &str) -> Option<Self> {
        Dir::new(root.folder(inside)?).ok().map(Self)
    }

    /// The names in it now.
    fn names(&mut self) -> Vec<String> {
        self.0.rewind();
        let names = self.0.by_ref().map_while(Result::ok);
        let names = names.filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        names.take(MOST).collect()
    }
}

/// `/var/log/containers`: a link for each container.
#[derive(Debug)]
pub(super) struct KubeletLogs(OpenFolder);

impl KubeletLogs {
    pub(super) fn open(root: &Root) -> Option<Self> {
        OpenFolder::open(root, "var/log/containers").map(Self)
    }

    /// Containers by number.
    pub(super) fn read(&mut self) -> Vec<(String, ContainerName)> {
        let names = self.0.names();
        names.iter().filter_map(|name| link(name)).collect()
    }
}

/// `/var/log/pods`: a folder for each pod.
#[derive(Debug)]
pub(super) struct PodLogs(OpenFolder);

impl PodLogs {
    pub(super) fn open(root: &Root) -> Option<Self> {
        OpenFolder::open(root, "var/log/pods").map(Self)
    }

    /// Namespace and name by the pod's number.
    pub(super) fn read(&mut self) -> Vec<(String, (String, String))> {
        let names = self.0.names();
        names.iter().filter_map(|name| pod_folder(name)).collect()
    }
}

/// `POD_NAMESPACE_CONTAINER-ID.log`. One whose number was cut off names nothing.
fn link(name: &str) -> Option<(String, ContainerName)> {
    let (container, id) = name.strip_suffix(".log")?.rsplit_once('-')?;
    let [pod, namespace, container] = fields(container)?;
    is_number(id).then(|| {
        let name = ContainerName {
            name: Some(container.to_owned()),
            pod: Some(pod.to_owned()),
            namespace: Some(namespace.to_owned()),
            ..ContainerName::default()
        };
        (id.to_owned(), name)
    })
}

/// `NAMESPACE_POD_UID`.
fn pod_folder(name: &str) -> Option<(String, (String, String))> {
    let [namespace, pod, uid] = fields(name)?;
    is_uid(uid).then(|| (uid.to_owned(), (namespace.to_owned(), pod.to_owned())))
}

/// The parts between underscores, if there are so many and none is empty.
pub(super) fn fields<const N: usize>(text: &str) -> Option<[&str; N]> {
    let parts: Vec<_> = text.split('_').collect();
    let parts: [&str; N] = parts.try_into().ok()?;
    parts.iter().all(|part| !part.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_whole_links_only() {
        let id = "0123456789abcdef".repeat(4);
        let (found, name) = link(&format!("db-0_shop_postgres-main-{id}.log")).unwrap();
        assert_eq!(found, id);
        let parts = [name.pod, name.namespace, name.name].map(Option::unwrap);
        assert_eq!(parts, ["db-0", "shop", "postgres-main"]);
        for wrong in [
            format!("db-0_shop_postgres-{}.log", &id[1..]),
            format!("db-0_shop_postgres-{id}"),
            format!("db_0_shop_postgres-{id}.log"),
            format!("shop_postgres-{id}.log"),
            format!("_shop_postgres-{id}.log"),
            ".log".to_owned(),
            String::new(),
        ] {
            assert_eq!(link(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn pods_have_a_number() {
        let uid = "8a3c1f0e-5b7d-4c21-9f63-0d2e4b6a8c10";
        let pod = ("shop".to_owned(), "db-0".to_owned());
        let found = pod_folder(&format!("shop_db-0_{uid}"));
        assert_eq!(found, Some((uid.to_owned(), pod)));
        for wrong in ["shop_db-0", "shop_db-0_1", "..", "shop__8a3c1f0e"] {
            assert_eq!(pod_folder(wrong), None, "{wrong}");
        }
    }
}
