//! The panel with the program for a client library.

use js_sys::Error;

use super::super::dom::{rows, set_or_remove};
use super::super::refs::Refs;
use crate::app::Wanted;
use crate::snippets::{Part, Snippet, parts, snippet};

/// Draws a program, which is plain text, and what is said beside it.
pub(super) fn draw(refs: &Refs, new: &Wanted) -> Result<(), Error> {
    let Snippet { file, code, needs, install, notes } = snippet(&new.facts, new.client, new.server);
    refs.snippet_client.set_value(new.client.name());
    refs.snippet_server.set_value(new.server.name());
    for (element, text) in [
        (&refs.snippet_file, &*file),
        (&refs.snippet_needs, &needs),
        (&refs.snippet_install, &install),
        // Another program was not copied yet.
        (&refs.snippet_done, ""),
    ] {
        element.set_text_content(Some(text));
    }
    let parts = parts(&code, new.client);
    for (row, (part, text)) in rows(&refs.snippet_code, &refs.tpl_part, parts.len())?.iter().zip(&parts) {
        let class = match part {
            Part::Code => None,
            Part::Comment => Some("comment"),
            Part::Text => Some("text"),
        };
        set_or_remove(row, "class", class)?;
        row.set_text_content(Some(text));
    }
    // Another program is read from its beginning.
    refs.snippet_code.set_scroll_top(0);
    for (row, note) in rows(&refs.snippet_notes, &refs.tpl_note, notes.len())?.iter().zip(&notes) {
        row.set_text_content(Some(note));
    }
    Ok(())
}
