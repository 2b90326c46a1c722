//! Folders, files and links in memory, with the rules of a file system that has nothing outside.
//!
//! `..` at the top stays there and absolute links begin there, as in `openat2`'s `RESOLVE_IN_ROOT`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::FileContent;

/// Links followed on the way to one file, as the kernel's limit.
const MOST_LINKS: usize = 40;
/// Steps on the way to one file; the paths of sysfs have some thirty.
const MOST_STEPS: usize = 4096;
/// Folders in folders that are made.
const MOST_DEPTH: usize = 64;
/// Folders, files and links; beyond, nothing is added.
const MOST_NODES: usize = 1 << 19;

/// A tree of files.
#[derive(Clone, Debug)]
pub struct FileTree {
    nodes: Vec<TreeNode>,
    root: usize,
}

#[derive(Clone, Debug)]
enum TreeNode {
    Folder(BTreeMap<Box<str>, usize>),
    File(Arc<FileContent>),
    Link(Box<str>),
}

/// The entry at a path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TreeEntry<'a> {
    /// A folder.
    Folder,
    /// A file.
    File(&'a Arc<FileContent>),
    /// A link, with its target as written.
    Link(&'a str),
}

impl Default for FileTree {
    fn default() -> Self {
        Self {
            nodes: vec![TreeNode::Folder(BTreeMap::new())],
            root: 0,
        }
    }
}

impl FileTree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// The entry at `path`, links followed.
    pub fn find(&self, path: &str) -> Option<TreeEntry<'_>> {
        self.found(self.walk(path, true)?)
    }

    /// The entry at `path`; a link itself where it is one.
    pub fn find_link(&self, path: &str) -> Option<TreeEntry<'_>> {
        self.found(self.walk(path, false)?)
    }

    /// The file at `path`, links followed.
    pub fn file(&self, path: &str) -> Option<&Arc<FileContent>> {
        match self.find(path)? {
            TreeEntry::File(content) => Some(content),
            _ => None,
        }
    }

    /// The names in the folder at `path`, sorted; nothing where it is none.
    pub fn names(&self, path: &str) -> impl Iterator<Item = &str> {
        let folder = self
            .walk(path, true)
            .and_then(|id| match self.nodes.get(id) {
                Some(TreeNode::Folder(entries)) => Some(entries),
                _ => None,
            });
        folder.into_iter().flatten().map(|(name, _)| &**name)
    }

    /// The same tree with the folder at `path` as its top; `None` where it is no folder.
    pub fn rooted_at(mut self, path: &str) -> Option<Self> {
        let id = self.walk(path, true)?;
        let folder = matches!(self.nodes.get(id), Some(TreeNode::Folder(_)));
        self.root = id;
        folder.then_some(self)
    }

    /// How many folders, files and links there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the top folder.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// Makes a folder and those above it; whether it is there now.
    pub fn add_folder(&mut self, path: &str) -> bool {
        self.enter(path).is_some()
    }

    /// Puts a file at `path` in place of another file or link; whether it is there now.
    pub fn add_file(&mut self, path: &str, content: Arc<FileContent>) -> bool {
        self.put(path, TreeNode::File(content))
    }

    /// Puts a link at `path`; whether it is there now.
    pub fn add_link(&mut self, path: &str, target: &str) -> bool {
        self.put(path, TreeNode::Link(target.into()))
    }

    fn found(&self, id: usize) -> Option<TreeEntry<'_>> {
        Some(match self.nodes.get(id)? {
            TreeNode::Folder(_) => TreeEntry::Folder,
            TreeNode::File(content) => TreeEntry::File(content),
            TreeNode::Link(target) => TreeEntry::Link(target),
        })
    }

    fn child(&self, folder: usize, name: &str) -> Option<usize> {
        match self.nodes.get(folder)? {
            TreeNode::Folder(entries) => entries.get(name).copied(),
            _ => None,
        }
    }

    /// The node at `path`; the last link is followed when `follow` says so.
    fn walk(&self, path: &str, follow: bool) -> Option<usize> {
        let mut way = Way::new(self.root, path);
        while let Some(name) = way.next()? {
            let child = self.child(way.here(), &name)?;
            let last = way.todo.iter().all(|part| is_nothing(part));
            match self.nodes.get(child)? {
                TreeNode::Link(target) if follow || !last => way.follow(target)?,
                _ => way.at.push(child),
            }
        }
        Some(way.here())
    }

    /// The folder at `path`; what is missing of it is made.
    fn enter(&mut self, path: &str) -> Option<usize> {
        let mut way = Way::new(self.root, path);
        while let Some(name) = way.next()? {
            let child = match self.child(way.here(), &name) {
                Some(child) => child,
                None if way.at.len() <= MOST_DEPTH => {
                    self.insert(way.here(), &name, TreeNode::Folder(BTreeMap::new()))?
                }
                None => return None,
            };
            match self.nodes.get(child)? {
                TreeNode::Link(target) => way.follow(target)?,
                TreeNode::Folder(_) => way.at.push(child),
                TreeNode::File(_) => return None,
            }
        }
        Some(way.here())
    }

    fn insert(&mut self, folder: usize, name: &str, node: TreeNode) -> Option<usize> {
        let id = self.nodes.len();
        if id >= MOST_NODES {
            return None;
        }
        let Some(TreeNode::Folder(entries)) = self.nodes.get_mut(folder) else {
            return None;
        };
        entries.insert(name.into(), id);
        self.nodes.push(node);
        Some(id)
    }

    fn put(&mut self, path: &str, node: TreeNode) -> bool {
        let path = path.trim_end_matches('/');
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        if is_nothing(name) || name == ".." {
            return false;
        }
        let Some(folder) = self.enter(above) else {
            return false;
        };
        match self.child(folder, name).map(|id| self.nodes.get_mut(id)) {
            Some(None | Some(TreeNode::Folder(_))) => false,
            Some(Some(old)) => {
                *old = node;
                true
            }
            None => self.insert(folder, name, node).is_some(),
        }
    }
}

/// A walk down a path: where it is, and what is still to come.
struct Way {
    root: usize,
    /// The folders from the top to here.
    at: Vec<usize>,
    /// Names to come, the next one last.
    todo: Vec<Box<str>>,
    links: usize,
    steps: usize,
}

impl Way {
    fn new(root: usize, path: &str) -> Self {
        let mut way = Self {
            root,
            at: vec![root],
            todo: Vec::new(),
            links: 0,
            steps: 0,
        };
        way.add(path);
        way
    }

    fn add(&mut self, path: &str) {
        self.todo
            .extend(path.rsplit('/').take(MOST_STEPS).map(Box::from));
    }

    fn here(&self) -> usize {
        self.at.last().copied().unwrap_or(self.root)
    }

    /// The next name; `Some(None)` at the end, `None` when it goes on for too long.
    fn next(&mut self) -> Option<Option<Box<str>>> {
        while let Some(name) = self.todo.pop() {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            match &*name {
                "" | "." => {}
                ".." if self.at.len() > 1 => drop(self.at.pop()),
                ".." => {}
                _ => return Some(Some(name)),
            }
        }
        Some(None)
    }

    fn follow(&mut self, target: &str) -> Option<()> {
        self.links += 1;
        if target.starts_with('/') {
            self.at.truncate(1);
        }
        self.add(target);
        (self.links <= MOST_LINKS).then_some(())
    }
}

fn is_nothing(name: &str) -> bool {
    matches!(name, "" | ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Arc<FileContent> {
        Arc::new(FileContent::whole(text.as_bytes()))
    }

    #[test]
    fn links_stay_inside() {
        let mut tree = FileTree::new();
        assert!(tree.add_link("sys/block/sda", "../devices/ata1/sda"));
        assert!(tree.add_file("sys/devices/ata1/sda/size", file("8")));
        assert!(tree.add_file("etc/passwd", file("inside")));
        assert!(tree.add_link("up", "../../../../etc/passwd"));
        assert!(tree.add_link("absolute", "/etc/passwd"));
        assert_eq!(tree.file("sys/block/sda/size"), Some(&file("8")));
        assert_eq!(tree.file("/up"), Some(&file("inside")));
        assert_eq!(tree.file("absolute"), Some(&file("inside")));
        assert_eq!(
            tree.find_link("sys/block/sda/"),
            Some(TreeEntry::Link("../devices/ata1/sda"))
        );
        assert_eq!(tree.names("sys/block/sda/..").collect::<Vec<_>>(), ["sda"]);
        assert_eq!(tree.find("etc/passwd/x"), None);
        assert_eq!(tree.find(""), Some(TreeEntry::Folder));
    }

    #[test]
    fn what_is_below_a_link_goes_where_it_leads() {
        let mut tree = FileTree::new();
        assert!(tree.add_link("sys/block/sda", "../devices/sda"));
        assert!(tree.add_file("sys/block/sda/size", file("8")));
        assert_eq!(tree.file("sys/devices/sda/size"), Some(&file("8")));
        let tree = tree.rooted_at("sys").unwrap();
        assert_eq!(tree.file("block/../block/sda/size"), Some(&file("8")));
        assert_eq!(tree.file("../../devices/sda/size"), Some(&file("8")));
    }

    #[test]
    fn loops_and_depths_end() {
        let mut tree = FileTree::new();
        assert!(tree.add_link("a", "b"));
        assert!(tree.add_link("b", "a"));
        assert!(tree.add_link("self", "self/self/self"));
        assert_eq!(tree.find("a"), None);
        assert_eq!(tree.find("self/x"), None);
        assert!(!tree.add_file("a/x", file("")));
        assert!(!tree.add_file(&"d/".repeat(70), file("")));
        assert!(!tree.add_file(&"d/".repeat(1 << 20), file("")));
        assert!(tree.add_file("f", file("1")) && tree.add_file("f", file("2")));
        assert_eq!(tree.file("f"), Some(&file("2")));
        assert!(!tree.add_file("f/x", file("")), "a file is no folder");
        assert!(tree.add_folder("d2") && !tree.add_file("d2", file("")));
        assert!(!tree.add_file("..", file("")) && !tree.add_file("x/.", file("")));
    }
}
