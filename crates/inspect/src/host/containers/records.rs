//! What runtimes write down of their containers, in JSON.
//!
//! Sources: Docker `daemon/container` (`config.v2.json`), containers/storage `containers.go` (`containers.json`, and
//! `volatile-containers.json` for those that a boot ends), CRI-O `internal/storage/runtime.go` (its names), containerd
//! `internal/cri/annotations` and nerdctl `pkg/labels` (annotations of the bundle's `config.json`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use ioalign_core::profile::ContainerName;

use super::MOST;
use super::kubelet::fields;
use super::path::is_number;
use crate::host::Root;

/// Bytes of one container's file.
const MOST_ONE: u64 = 4 << 20;
/// Bytes of the list of all containers.
const MOST_ALL: u64 = 64 << 20;

const DOCKER: &str = "var/lib/docker/containers";
const STORAGE: [&str; 3] = [
    "var/lib/containers/storage/overlay-containers/containers.json",
    "var/lib/containers/storage/overlay-containers/volatile-containers.json",
    "run/containers/storage/overlay-containers/volatile-containers.json",
];
/// Of containerd itself, and of k3s's own.
const BUNDLES: [&str; 2] = [
    "run/containerd/io.containerd.runtime.v2.task",
    "run/k3s/containerd/io.containerd.runtime.v2.task",
];

/// All containers that are written down, by number.
pub(super) fn all(root: &Root) -> Vec<(String, ContainerName)> {
    let bundles = BUNDLES.iter().flat_map(|folder| bundles(root, folder));
    let stored = STORAGE.iter().flat_map(|file| stored(root, file));
    docker(root).chain(bundles).chain(stored).collect()
}

/// The file as JSON; `None` where it is absent, too long or something else.
fn json<T: DeserializeOwned>(root: &Root, inside: &str, most: u64) -> Option<T> {
    serde_json::from_slice(&root.blob(inside, most)?).ok()
}

/// The containers that have a folder.
fn numbered(root: &Root, folder: &str) -> impl Iterator<Item = String> + use<> {
    let names = root.list(folder).into_iter();
    names.filter(|name| is_number(name)).take(MOST)
}

#[derive(Deserialize)]
struct DockerConfig {
    #[serde(rename = "Name")]
    name: Option<String>,
    #[serde(rename = "Config")]
    config: Option<DockerLabels>,
}

#[derive(Deserialize)]
struct DockerLabels {
    #[serde(rename = "Labels")]
    labels: Option<BTreeMap<String, String>>,
}

fn docker(root: &Root) -> impl Iterator<Item = (String, ContainerName)> {
    numbered(root, DOCKER).filter_map(move |id| {
        let file = format!("{DOCKER}/{id}/config.v2.json");
        let config: DockerConfig = json(root, &file, MOST_ONE)?;
        let labels = config.config.and_then(|config| config.labels);
        let label = |name: &str| {
            labels
                .as_ref()?
                .get(&format!("io.kubernetes.{name}"))
                .cloned()
        };
        let own = config
            .name
            .map(|name| name.trim_start_matches('/').to_owned());
        let name = match label("pod.name") {
            Some(pod) => ContainerName {
                // The container that holds the namespaces of a pod is no container of the pod's own.
                name: label("container.name").filter(|name| name != "POD"),
                pod: Some(pod),
                namespace: label("pod.namespace"),
                pod_uid: label("pod.uid"),
                ..ContainerName::default()
            },
            None => alone(own?),
        };
        Some((id, name))
    })
}

#[derive(Deserialize)]
struct StoredContainer {
    id: String,
    names: Option<Vec<String>>,
}

fn stored(root: &Root, file: &str) -> Vec<(String, ContainerName)> {
    let all: Vec<StoredContainer> = json(root, file, MOST_ALL).unwrap_or_default();
    let named = all.into_iter().filter_map(|one| {
        let name = one.names?.into_iter().next()?;
        is_number(&one.id).then(|| (one.id, crio(&name).unwrap_or_else(|| alone(name))))
    });
    named.collect()
}

/// `k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT`, as CRI-O calls its containers.
fn crio(name: &str) -> Option<ContainerName> {
    let [first, container, pod, namespace, uid, _] = fields(name)?;
    (first == "k8s").then(|| ContainerName {
        name: Some(container.to_owned()).filter(|name| name != "POD"),
        pod: Some(pod.to_owned()),
        namespace: Some(namespace.to_owned()),
        pod_uid: Some(uid.to_owned()),
        ..ContainerName::default()
    })
}

#[derive(Deserialize)]
struct Bundle {
    annotations: Option<BTreeMap<String, String>>,
}

fn bundles(root: &Root, folder: &str) -> Vec<(String, ContainerName)> {
    let spaces = root.list(folder).into_iter();
    let all = spaces.flat_map(|space| {
        let folder = format!("{folder}/{space}");
        numbered(root, &folder).filter_map(move |id| {
            let bundle: Bundle = json(root, &format!("{folder}/{id}/config.json"), MOST_ONE)?;
            Some((id, annotated(&bundle.annotations?)?))
        })
    });
    all.take(MOST).collect()
}

fn annotated(all: &BTreeMap<String, String>) -> Option<ContainerName> {
    let cri = |name: &str| all.get(&format!("io.kubernetes.cri.{name}")).cloned();
    match cri("sandbox-name") {
        Some(pod) => Some(ContainerName {
            name: cri("container-name"),
            pod: Some(pod),
            namespace: cri("sandbox-namespace"),
            pod_uid: cri("sandbox-uid"),
            ..ContainerName::default()
        }),
        None => all.get("nerdctl/name").cloned().map(alone),
    }
}

/// A container of no pod.
fn alone(name: String) -> ContainerName {
    ContainerName {
        name: Some(name).filter(|name| !name.is_empty()),
        ..ContainerName::default()
    }
}
