//! Names of containers and pods, by the path of a control group.
//!
//! The path has the container's number (`path`). Names are in files that runtimes and the kubelet leave on the disk
//! (`kubelet`, `records`): none of them has to be asked, and none has to run. All of it is untrusted text.

mod kubelet;
mod path;
mod records;

use std::collections::BTreeMap;
use std::path::Path;

use ioalign_core::profile::ContainerName;

use super::Root;
use crate::error::Result;
use kubelet::{KubeletLogs, PodLogs};

/// Containers that are remembered.
const MOST: usize = 1 << 14;

/// Containers by number, and pods.
#[derive(Debug, Default)]
pub struct ContainerNames {
    known: BTreeMap<String, ContainerName>,
    /// Namespace and name by number.
    pods: BTreeMap<String, (String, String)>,
    kubelet: Option<KubeletLogs>,
    pod_logs: Option<PodLogs>,
}

impl ContainerNames {
    /// Reads what is there below a root folder; `None`: this machine's. What cannot be read names nothing.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn read(sysroot: Option<&Path>) -> Result<Self> {
        let root = match sysroot {
            Some(path) => Root::captured(path)?,
            None => Root::live()?,
        };
        let mut all = Self {
            kubelet: KubeletLogs::open(&root),
            pod_logs: PodLogs::open(&root),
            ..Self::default()
        };
        for (id, name) in records::all(&root) {
            all.keep(id, name);
        }
        all.look();
        Ok(all)
    }

    /// Takes up what the kubelet has named since. Only folders are read that are open already.
    pub fn look(&mut self) {
        if let Some(logs) = &mut self.pod_logs {
            for (uid, pod) in logs.read() {
                if self.pods.len() < MOST {
                    self.pods.insert(uid, pod);
                }
            }
        }
        let links = self.kubelet.as_mut().map(KubeletLogs::read);
        for (id, name) in links.unwrap_or_default() {
            self.keep(id, name);
        }
    }

    /// The first that names a container with a pod is believed.
    fn keep(&mut self, id: String, name: ContainerName) {
        let room = self.known.len() < MOST;
        match self.known.get_mut(&id) {
            Some(known) if known.pod.is_none() && name.pod.is_some() => *known = name,
            None if room => {
                self.known.insert(id, name);
            }
            _ => {}
        }
    }

    /// The container whose control group this is, or in whose control group it lies; with its names, where they are
    /// known. `None` where the path is no container's.
    pub fn of(&self, path: &str) -> Option<ContainerName> {
        let mut found = path::container(path)?;
        let known = found.id.as_ref().and_then(|id| self.known.get(id));
        if let Some(known) = known {
            found.name.clone_from(&known.name);
            found.pod.clone_from(&known.pod);
            found.namespace.clone_from(&known.namespace);
            found.pod_uid = found.pod_uid.or_else(|| known.pod_uid.clone());
        }
        let pod = found.pod_uid.as_ref().and_then(|uid| self.pods.get(uid));
        if let (None, Some((namespace, name))) = (&found.pod, pod) {
            found.namespace = Some(namespace.clone());
            found.pod = Some(name.clone());
        }
        Some(found)
    }
}
