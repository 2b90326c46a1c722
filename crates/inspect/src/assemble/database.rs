//! Databases: found on a live machine, or named by the operator, on top of what holds their files.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ioalign_core::layer::detail::{DatabaseDetail, Detail};
use ioalign_core::{Bytes, DatabaseEngine, Layer, LayerId, Map};
use ioalign_core::{layer::Kind, rules};

use super::Assembly;
use super::host::HostTargets;
use crate::error::{Error, ErrorKind, Result};
use crate::filesystems::database::{self, Database};
use crate::host::{Host, Mount, Root};

/// Data directories that are looked for on their own.
const USUAL_DATABASES: [&str; 3] = ["var/lib/mysql", "var/lib/pgsql/data", "var/lib/postgresql"];

/// What a captured tree knows of the host's databases.
const KEPT: &str = "ioalign/databases.json";

/// Files and folders in which MySQL and MariaDB are configured.
const MYSQL_FILES: [&str; 2] = ["etc/my.cnf", "etc/mysql/my.cnf"];
const MYSQL_FOLDERS: [&str; 4] = [
    "etc/my.cnf.d",
    "etc/mysql/conf.d",
    "etc/mysql/mysql.conf.d",
    "etc/mysql/mariadb.conf.d",
];
/// What file systems allocate where nothing is known of theirs.
const USUAL_BLOCK: Bytes = Bytes::new(4096);
/// `bluestore_min_alloc_size` of hard disks and flash since Ceph 16.
const BLUESTORE_ALLOCATION: &str = "bluestore:4k";

impl Assembly<'_> {
    /// What the host's own files say about the database that the operator names.
    pub(super) fn configure_database(&mut self, root: &Root) {
        let Some(database) = &mut self.database else {
            return;
        };
        database.configured(&mysql_configuration(root));
    }

    /// The operator's `--database` on devices whose content cannot be seen.
    pub(super) fn add_named_unread(&mut self, host: &Host) {
        let Some(database) = self.database.clone() else {
            return;
        };
        for device in host.devices.iter().filter(|device| !device.held) {
            let layer = self.stack.layer(device.layer);
            let swap = layer.role == ioalign_core::Role::Swap;
            let unread = layer.remarks.iter().any(|r| r.rule == rules::NOT_READABLE);
            if unread && layer.role.carries_data() && !swap && self.stack.is_leaf(device.layer) {
                self.put_database(&database, device.layer);
            }
        }
    }

    /// An OSD of Ceph on its device: objects lie in units that its database knows and the label
    /// does not; the operator may name them.
    pub(super) fn add_bluestore(&mut self, device: LayerId, facts: &[(&'static str, String)]) {
        let named = self.database.clone();
        let named = named.filter(|database| database.engine == DatabaseEngine::BlueStore);
        let assumed = named.is_none();
        let Some(database) = named.or_else(|| database::named(BLUESTORE_ALLOCATION)) else {
            return;
        };
        let id = self.put_database(&database, device);
        let layer = self.stack.layer_mut(id);
        layer.facts.extend(facts.iter().cloned());
        if assumed {
            let source = "assumed: bluestore_min_alloc_size since Ceph 16".to_owned();
            layer.detail = Detail::Database(DatabaseDetail {
                engine: Some(database.engine),
                torn_page_protection: None,
                block_source: Some(source),
            });
        }
    }

    pub(super) fn add_databases(
        &mut self,
        root: &Root,
        host: &Host,
        wanted: &HostTargets,
    ) -> Result<()> {
        let mut found = wanted.databases.clone();
        if wanted.everything() {
            found.extend(usual(root));
        }
        if root.is_live() && !found.is_empty() {
            let text = mysql_configuration(root);
            for one in &mut found {
                if one
                    .lies_at()
                    .is_some_and(|real| database::is_data_folder(&text, &real))
                {
                    one.configured(&text);
                }
            }
        }
        if root.is_recording() && !found.is_empty() {
            root.keep(KEPT, database::kept::write(&found));
        }
        for database in found {
            if self.names_engine_of(&database) {
                continue;
            }
            let below = mount_of(host, &database).and_then(|mount| self.filesystem_of(host, mount));
            let Some(below) = below else {
                if wanted.everything() {
                    continue;
                }
                let what = "The file system that holds it lies on no block device that is known";
                return Err(Error::new(ErrorKind::Unsupported, what).in_file(&database.path));
            };
            self.put_database(&database, below);
        }
        Ok(())
    }

    /// Whether the operator has said with `--database` what is known of it: that layer is there already.
    fn names_engine_of(&self, database: &Database) -> bool {
        let named = self.database.as_ref();
        named.is_some_and(|named| named.engine == database.engine)
    }

    /// A database's files start where the file system allocates; in which places, is not looked up here.
    pub(super) fn put_database(&mut self, database: &Database, holder: LayerId) -> LayerId {
        let below = self.stack.layer(holder);
        let granule = match below.block {
            // BlueStore needs no file system: it allocates on the device itself.
            _ if database.engine == DatabaseEngine::BlueStore && below.kind != Kind::Filesystem => {
                database.page
            }
            block => below.cluster.or(block).unwrap_or(USUAL_BLOCK),
        };
        let map = Map::Scattered {
            start: Bytes::ZERO,
            granule,
        };
        self.stack.push(database_layer(database).on(holder, map))
    }
}

/// The host's configuration of MySQL, the files in the order in which the server reads them.
pub(crate) fn mysql_configuration(root: &Root) -> String {
    let folders = MYSQL_FOLDERS.iter().flat_map(|folder| {
        let names = root.list(folder).into_iter();
        names
            .filter(|name| name.ends_with(".cnf"))
            .map(move |name| format!("{folder}/{name}"))
    });
    let files = MYSQL_FILES.iter().map(|file| (*file).to_owned());
    // The server reads the folders last, and the last value counts.
    let mut text = String::new();
    for file in files.chain(folders) {
        text.push_str(&root.text(&file).unwrap_or_default());
        text.push('\n');
    }
    text
}

/// The databases where they usually are; in a captured tree, those that were found on the host.
fn usual(root: &Root) -> Vec<Database> {
    if !root.is_live() {
        let text = root.text(KEPT).unwrap_or_default();
        return database::kept::read(&text);
    }
    // Nobody asked for these: one that cannot be read is no failure.
    let usual = USUAL_DATABASES.iter().map(|path| root.path_of(path));
    usual
        .filter(|path| !planted_link(path))
        .filter_map(|path| database::find(&path).ok().flatten())
        .collect()
}

/// Whether it is a link of another user: an administrator moves a data folder by a link, but the user of a
/// database must not choose which folder root reads.
fn planted_link(path: &Path) -> bool {
    let found = std::fs::symlink_metadata(path);
    found.is_ok_and(|data| {
        let ours = data.uid() == 0 || data.uid() == rustix::process::geteuid().as_raw();
        data.is_symlink() && !ours
    })
}

/// The mount with the longest path that contains the database.
fn mount_of<'a>(host: &'a Host, database: &Database) -> Option<&'a Mount> {
    let real = database.lies_at()?;
    let holds = host
        .mounts
        .iter()
        .filter(|mount| real.starts_with(&mount.point));
    holds.max_by_key(|mount| mount.point.as_os_str().len())
}

/// The layer of a database, not yet on anything.
pub(super) fn database_layer(database: &Database) -> Layer {
    let mut layer = Layer::new(Kind::Database, database.engine.name());
    layer.block = Some(database.page);
    layer.detail = Detail::Database(DatabaseDetail {
        engine: Some(database.engine),
        torn_page_protection: database.torn_page_protection,
        block_source: None,
    });
    layer.facts.extend(
        database
            .facts
            .iter()
            .map(|(key, value)| (*key, value.clone())),
    );
    if !database.path.as_os_str().is_empty() {
        layer
            .facts
            .insert("path", database.path.display().to_string());
    }
    layer
}
