//! Where the nodes of a cluster keep data, by policy: how far reads go, what a moved machine finds, how evenly the
//! nodes fill, and from how many of them a lost one is restored.

use ioalign_core::Random;
use ioalign_core::random::split_mix;
use ioalign_core::units::ratio;

/// Virtual machines of a node.
const MACHINES: u32 = 4;
/// Extents of the smallest machine; the largest has four times as many.
const EXTENTS: u64 = 2000;
/// Of the extents, in eighths: how many hold what another machine holds too.
const DUPLICATES: u64 = 2;

/// A way to place data.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PlacementPolicy {
    /// A copy with the machine that writes, another anywhere; what is read from afar moves to the reader.
    Following,
    /// Both copies by a hash of the address.
    Hash,
    /// Both copies on two nodes that belong together.
    Pairs,
    /// By a hash of the content, found by an index that is spread over the nodes; equal data are kept once.
    Fingerprint,
    /// On the emptiest pair, under one namespace: the node that is asked sends the request on to where data are.
    Redirecting,
}

impl PlacementPolicy {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Following,
        Self::Hash,
        Self::Pairs,
        Self::Fingerprint,
        Self::Redirecting,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Following => "locality-following",
            Self::Hash => "hash",
            Self::Pairs => "ha-pairs",
            Self::Fingerprint => "fingerprint",
            Self::Redirecting => "redirecting",
        }
    }

    /// What it does.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Following => {
                "a copy with the machine that writes, another anywhere; data that are read move to the reader"
            }
            Self::Hash => "both copies where a hash of the address says",
            Self::Pairs => "both copies on the pair of nodes on which the machine began",
            Self::Fingerprint => {
                "where a hash of the content says, by an index on all nodes; equal data once"
            }
            Self::Redirecting => {
                "both copies on the emptiest pair; the node that is asked sends the request on"
            }
        }
    }
}

/// What a policy does.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PlacementOutcome {
    /// Messages between nodes for a read.
    pub hops_per_read: f64,
    /// For a write with its copies.
    pub hops_per_write: f64,
    /// Reads without a message.
    pub local: f64,
    /// The same right after each machine has moved.
    pub local_after_move: f64,
    /// And after it has read as many extents as it has.
    pub local_settled: f64,
    /// The fullest node over the mean.
    pub fullest: f64,
    /// What is copied when a node is lost, over what it held.
    pub rebuilt: f64,
    /// Nodes that it is read from.
    pub rebuild_sources: u32,
}

/// A machine, the node that it runs on, and the copies of its extents.
#[derive(Clone, Debug)]
struct VirtualMachine {
    node: u32,
    extents: Vec<[u32; 2]>,
    /// The node of the index of each extent.
    index: Vec<u32>,
}

/// Nodes and machines under one policy.
#[derive(Clone, Debug)]
struct PlacedCluster {
    policy: PlacementPolicy,
    nodes: u32,
    machines: Vec<VirtualMachine>,
    /// Extents of each node.
    held: Vec<u64>,
    random: Random,
}

/// Runs a policy over this many nodes, which are even and four or more.
pub fn place(policy: PlacementPolicy, nodes: u32, seed: u64) -> PlacementOutcome {
    let mut cluster = PlacedCluster::new(policy, nodes, seed);
    let (hops_per_read, local) = cluster.reads(false);
    let hops_per_write = cluster.writes();
    let fullest = cluster.fullest();
    let (rebuilt, rebuild_sources) = cluster.lose(0);
    for machine in &mut cluster.machines {
        machine.node = (machine.node + nodes / 2) % nodes;
    }
    let (_, local_after_move) = cluster.clone().reads(false);
    cluster.reads(true);
    let (_, local_settled) = cluster.reads(false);
    PlacementOutcome {
        hops_per_read,
        hops_per_write,
        local,
        local_after_move,
        local_settled,
        fullest,
        rebuilt,
        rebuild_sources,
    }
}

impl PlacedCluster {
    fn new(policy: PlacementPolicy, nodes: u32, seed: u64) -> Self {
        let mut cluster = Self {
            policy,
            nodes,
            machines: Vec::new(),
            held: vec![0; nodes as usize],
            random: Random::new(seed),
        };
        for number in 0..nodes * MACHINES {
            cluster.begin(number, seed);
        }
        cluster
    }

    /// A machine writes its extents.
    fn begin(&mut self, number: u32, seed: u64) {
        let node = number % self.nodes;
        let count = EXTENTS * (1 + self.random.below(4));
        let emptiest = (0..self.nodes).min_by_key(|node| self.held[*node as usize]);
        let home = match self.policy {
            PlacementPolicy::Redirecting => emptiest.unwrap_or(node),
            _ => node,
        };
        let mut machine = VirtualMachine {
            node,
            extents: Vec::new(),
            index: Vec::new(),
        };
        for extent in 0..count {
            // Equal data have one address for all machines.
            let shared = extent % 8 < DUPLICATES && self.policy == PlacementPolicy::Fingerprint;
            let owner = if shared { 0 } else { u64::from(number) + 1 };
            let mut hash = seed ^ (owner << 40) ^ extent;
            let hash = split_mix(&mut hash);
            let copies = self.copies(home, hash);
            if !shared || number == 0 {
                for copy in copies {
                    self.held[copy as usize] += 1;
                }
            }
            machine.extents.push(copies);
            machine.index.push(self.node_of(hash >> 32));
        }
        self.machines.push(machine);
    }

    fn node_of(&self, hash: u64) -> u32 {
        u32::try_from(hash % u64::from(self.nodes)).unwrap_or(0)
    }

    fn copies(&mut self, node: u32, hash: u64) -> [u32; 2] {
        match self.policy {
            PlacementPolicy::Following => [node, self.other(node)],
            PlacementPolicy::Hash | PlacementPolicy::Fingerprint => {
                let first = self.node_of(hash);
                let step = 1 + self.node_of(hash >> 20) % (self.nodes - 1);
                [first, (first + step) % self.nodes]
            }
            PlacementPolicy::Pairs | PlacementPolicy::Redirecting => [node, node ^ 1],
        }
    }

    /// Any node but this one.
    fn other(&mut self, node: u32) -> u32 {
        let step = 1 + self.random.below(u64::from(self.nodes - 1));
        (node + u32::try_from(step).unwrap_or(1)) % self.nodes
    }

    /// Each machine reads as many extents as it has, anywhere: messages of a read, and the local ones. With
    /// `follow` the policy may move what is read.
    fn reads(&mut self, follow: bool) -> (f64, f64) {
        let (mut reads, mut hops, mut local) = (0_u64, 0_u64, 0_u64);
        for number in 0..self.machines.len() {
            for _ in 0..self.machines[number].extents.len() {
                let machine = &self.machines[number];
                let count = machine.extents.len() as u64;
                let extent = usize::try_from(self.random.below(count)).unwrap_or(0);
                let needed = hops_of_read(self.policy, machine, extent);
                reads += 1;
                hops += needed;
                local += u64::from(needed == 0);
                if follow && needed > 0 && self.policy == PlacementPolicy::Following {
                    self.follow(number, extent);
                }
            }
        }
        (ratio(hops, reads), ratio(local, reads))
    }

    /// The copy that was read moves to the reader.
    fn follow(&mut self, number: usize, extent: usize) {
        let machine = &mut self.machines[number];
        let old = std::mem::replace(&mut machine.extents[extent][0], machine.node);
        self.held[old as usize] -= 1;
        self.held[machine.node as usize] += 1;
    }

    fn writes(&self) -> f64 {
        let (mut writes, mut hops) = (0, 0);
        for machine in &self.machines {
            for extent in 0..machine.extents.len() {
                writes += 1;
                hops += hops_of_write(self.policy, machine, extent);
            }
        }
        ratio(hops, writes)
    }

    fn fullest(&self) -> f64 {
        let most = self.held.iter().copied().max().unwrap_or(0);
        let all: u64 = self.held.iter().sum();
        ratio(most * u64::from(self.nodes), all)
    }

    /// What is copied when a node is lost, and from how many others.
    fn lose(&self, node: u32) -> (f64, u32) {
        let mut sources = vec![false; self.nodes as usize];
        let mut copied = 0;
        let shared = |extent: usize| {
            extent as u64 % 8 < DUPLICATES && self.policy == PlacementPolicy::Fingerprint
        };
        for (number, machine) in self.machines.iter().enumerate() {
            for (extent, copies) in machine.extents.iter().enumerate() {
                if shared(extent) && number > 0 {
                    continue;
                }
                let left = match copies {
                    [a, b] if *a == node => *b,
                    [a, b] if *b == node => *a,
                    _ => continue,
                };
                sources[left as usize] = true;
                copied += 1;
            }
        }
        let from = sources.iter().filter(|one| **one).count();
        let held = self.held[node as usize].max(1);
        (ratio(copied, held), u32::try_from(from).unwrap_or(0))
    }
}

/// A question and its answer are two messages.
const ASK: u64 = 2;

fn hops_of_read(policy: PlacementPolicy, machine: &VirtualMachine, extent: usize) -> u64 {
    let here = machine.extents[extent].contains(&machine.node);
    let data = if here { 0 } else { ASK };
    match policy {
        PlacementPolicy::Fingerprint if machine.index[extent] != machine.node => data + ASK,
        _ => data,
    }
}

fn hops_of_write(policy: PlacementPolicy, machine: &VirtualMachine, extent: usize) -> u64 {
    let copies = machine.extents[extent].iter();
    let far = copies.filter(|copy| **copy != machine.node).count() as u64;
    let index = policy == PlacementPolicy::Fingerprint && machine.index[extent] != machine.node;
    far * ASK + if index { ASK } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_what_they_say() {
        let of = |policy| place(policy, 8, 1);
        let following = of(PlacementPolicy::Following);
        assert!((following.local - 1.0).abs() < 1e-9 && following.hops_per_read < 1e-9);
        assert!(
            (0.1..0.2).contains(&following.local_after_move),
            "{following:?}"
        );
        assert!(
            (0.6..0.75).contains(&following.local_settled),
            "{following:?}"
        );
        assert_eq!(following.rebuild_sources, 7);
        let hash = of(PlacementPolicy::Hash);
        assert!((hash.local - 0.25).abs() < 0.02 && (hash.local - hash.local_settled).abs() < 0.02);
        assert!(hash.fullest < 1.05 && hash.fullest < following.fullest);
        let pairs = of(PlacementPolicy::Pairs);
        assert!((pairs.local - 1.0).abs() < 1e-9 && pairs.local_after_move < 1e-9);
        assert_eq!(pairs.rebuild_sources, 1);
        let print = of(PlacementPolicy::Fingerprint);
        assert!(print.hops_per_read > hash.hops_per_read + 1.5, "{print:?}");
        let redirecting = of(PlacementPolicy::Redirecting);
        assert!(
            redirecting.local < 0.6 && redirecting.fullest < pairs.fullest,
            "{redirecting:?}"
        );
        // Of two copies one is here, or neither; a message there has an answer.
        assert!((following.hops_per_write - 2.0).abs() < 1e-9);
        assert!((hash.hops_per_write - 3.5).abs() < 0.05, "{hash:?}");
        for one in PlacementPolicy::ALL {
            assert_eq!(of(one), of(one), "the same seed");
            assert!((of(one).rebuilt - 1.0).abs() < 1e-9, "{one:?}");
        }
    }
}
