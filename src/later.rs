//! Texts that a page needs later than its first commands: sessions that nobody has opened yet, programs that nobody has asked for.
//!
//! A release has its engine in two files (`scripts/split.mjs`), and what [`later`] makes comes with the second one. So such a
//! text is read through [`Later::text`] alone, which is in that file too: whoever calls it has the text.

/// A text that may come later.
#[derive(Clone, Copy)]
pub(crate) struct Later(pub(crate) &'static str);

/// Keeps literals as one text for later, between the marks by which `scripts/split.mjs` finds it.
macro_rules! later {
    ($text:expr) => {
        $crate::later::Later(concat!("\u{1}later\u{2}", $text, "\u{2}later\u{1}"))
    };
}
pub(crate) use later;

/// The length of a mark.
const MARK: usize = "\u{1}later\u{2}".len();

impl Later {
    /// The text.
    #[inline(never)]
    pub(crate) fn text(self) -> &'static str {
        &self.0[MARK..self.0.len() - MARK]
    }
}
