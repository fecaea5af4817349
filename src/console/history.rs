//! Lines typed before, and walking through them.

/// How many lines are kept.
const MAX_LINES: usize = 500;
/// The longest line that is kept: what is pasted once is not walked through.
const MAX_LINE: usize = 4_096;

/// The lines, the place in them, and what was being typed when the walk began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    lines: Vec<String>,
    at: Option<usize>,
    draft: String,
    /// What is searched for, while a search goes on.
    needle: Option<String>,
}

impl History {
    /// Starts from lines kept elsewhere, oldest first.
    pub fn new(lines: impl IntoIterator<Item = String>) -> Self {
        let mut history = Self::default();
        lines.into_iter().for_each(|line| history.push(&line));
        history
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Keeps a line that was sent and ends a walk. The same line twice in a row is kept once.
    pub fn push(&mut self, line: &str) {
        (self.at, self.needle) = (None, None);
        if line.trim().is_empty() || line.len() > MAX_LINE || self.lines.last().is_some_and(|last| last == line) {
            return;
        }
        if self.lines.len() == MAX_LINES {
            self.lines.remove(0);
        }
        self.lines.push(line.to_owned());
    }

    /// The line before; `current` is what stands in the entry line now.
    pub fn back(&mut self, current: &str) -> Option<&str> {
        let at = match self.at {
            None => {
                current.clone_into(&mut self.draft);
                self.lines.len()
            }
            Some(at) => at,
        };
        self.at = Some(at.checked_sub(1)?);
        self.line()
    }

    /// The line after, and after the last one what was being typed.
    pub fn forth(&mut self) -> Option<&str> {
        let next = self.at? + 1;
        self.at = (next < self.lines.len()).then_some(next);
        self.line().or(Some(&self.draft))
    }

    /// The line before that holds `current`, which stands in the entry line now; called again with what it gave, the one
    /// before that.
    pub fn search(&mut self, current: &str) -> Option<&str> {
        if self.needle.is_none() || self.line() != Some(current) {
            current.clone_into(&mut self.draft);
            (self.at, self.needle) = (None, Some(current.to_owned()));
        }
        let needle = self.needle.as_deref().unwrap_or_default();
        let before = &self.lines[..self.at.unwrap_or(self.lines.len())];
        self.at = Some(before.iter().rposition(|line| line.contains(needle) && line != current)?);
        self.line()
    }

    fn line(&self) -> Option<&str> {
        self.lines.get(self.at?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_back_and_forth() {
        let mut history = History::new(["a", "b", "b", " "].map(str::to_owned));
        assert_eq!(history.lines(), ["a", "b"]);
        assert_eq!(history.forth(), None);
        assert_eq!(history.back("draft"), Some("b"));
        assert_eq!(history.back("b"), Some("a"));
        assert_eq!(history.back("a"), None);
        assert_eq!(history.forth(), Some("b"));
        assert_eq!(history.forth(), Some("draft"));
        assert_eq!(history.forth(), None);
    }

    #[test]
    fn searches_back() {
        let mut history = History::new(["SET a 1", "GET a", "SET b 2", "GET b"].map(str::to_owned));
        assert_eq!(history.search("SET"), Some("SET b 2"));
        assert_eq!(history.search("SET b 2"), Some("SET a 1"));
        assert_eq!(history.search("SET a 1"), None);
        // Another text begins another search, and the walk goes on from where a search ended.
        assert_eq!(history.search("GET"), Some("GET b"));
        assert_eq!(history.back("GET b"), Some("SET b 2"));
        assert_eq!(history.search("nothing"), None);
        assert_eq!(history.search(""), Some("GET b"));
    }

    #[test]
    fn keeps_no_more_than_it_says() {
        let mut history = History::new((0..MAX_LINES + 10).map(|n| n.to_string()));
        history.push(&"x".repeat(MAX_LINE + 1));
        assert_eq!(history.lines().len(), MAX_LINES);
        assert_eq!(history.lines()[0], "10");
    }
}
