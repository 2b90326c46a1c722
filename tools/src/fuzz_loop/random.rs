//! Every run has its own generator, so that any run can be repeated alone.

/// The generator, with the questions that mutations ask.
pub struct FuzzRandom(ioalign_testkit::Random);

impl FuzzRandom {
    /// The generator of run `number`.
    pub const fn of_run(seed: u64, number: u64) -> Self {
        let state = seed.rotate_left(32) ^ number.wrapping_mul(0xd134_2543_de82_ef95);
        Self(ioalign_testkit::Random(state))
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// Below `end`; 0 for 0.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.0.below_u64(end)
    }

    /// One of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.below(items.len() as u64);
        items.get(usize::try_from(index).ok()?)
    }
}
