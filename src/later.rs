//! What a page needs later than its first commands: sessions that nobody has opened yet, programs and examples that nobody has
//! asked for.
//!
//! A release has its engine in two files (`scripts/split.mjs`), and what [`later`] makes comes with the second one, with all
//! that only it refers to. So it is read through [`Later::get`] alone, which is in that file too: whoever calls it has it.

/// Something that may come later.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Later<T> {
    /// By this `scripts/split.mjs` knows it.
    pub(crate) mark: [u8; 8],
    pub(crate) value: T,
}

/// How everything for later begins.
pub(crate) const MARK: [u8; 8] = *b"\x01later\x02\n";

/// Keeps something for later.
macro_rules! later {
    ($value:expr) => {
        &$crate::later::Later { mark: $crate::later::MARK, value: $value }
    };
}
pub(crate) use later;

impl<T: Copy> Later<T> {
    /// It.
    #[inline(never)]
    pub(crate) fn get(&self) -> T {
        self.value
    }
}
