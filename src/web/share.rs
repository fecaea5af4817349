//! The sheet from which a session is taken along: its link, the element for a page of documentation, and texts.

use js_sys::Error;

use super::dom::{error, show, slot, text, window};
use super::refs::Refs;
use crate::app::{Locale, Purpose};

/// Shows the sheet for the session that the address names.
pub(super) fn offer(refs: &Refs, locale: &Locale, element: &str, purpose: Purpose) -> Result<(), Error> {
    let address = window()?.location().href().map_err(error)?;
    let base = address.split(['?', '#']).next().unwrap_or_default();
    // Up to the folder: where a page stands is where its script does.
    let folder = &base[..=base.rfind('/').unwrap_or_default()];
    let link = format!("{base}#{}", address.split_once('#').map_or("", |(_, fragment)| fragment));
    let length = link.chars().count().to_string();
    let code = format!("<script src=\"{folder}embed.js\"></script>\n{element}");
    fill(refs, &link, &code, &locale.fill("share.length", &[("count", &length)]))?;
    // What was asked for is ready to be copied by hand too.
    if purpose == Purpose::Embed {
        refs.embed_code.select();
    } else {
        refs.share_link.select();
    }
    Ok(())
}

/// Shows the sheet for a session that is too long for a link; its texts can be copied all the same.
pub(super) fn refuse(refs: &Refs, locale: &Locale) -> Result<(), Error> {
    fill(refs, "", "", locale.text("share.too-long"))
}

fn fill(refs: &Refs, link: &str, code: &str, said: &str) -> Result<(), Error> {
    refs.share_link.set_value(link);
    refs.embed_code.set_value(code);
    for button in [&refs.share_copy, &refs.embed_copy] {
        button.set_disabled(link.is_empty());
    }
    show(&refs.share_all, !link.is_empty())?;
    text(&refs.share_sheet, "length", said)?;
    text(&refs.share_sheet, "done", "")?;
    if !refs.share_sheet.open() {
        refs.share_sheet.show_modal().map_err(error)?;
    }
    Ok(())
}

/// Where it is said that something was copied: where the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    InConsole,
    InSheet,
    BesideProgram,
}

/// Says in the sheet, or beside a program, that something was copied.
pub(super) fn copied(refs: &Refs, locale: &Locale, said: Said) {
    let place = match said {
        Said::BesideProgram => Ok(refs.snippet_done.clone()),
        _ => slot(&refs.share_sheet, "done"),
    };
    match place {
        Ok(place) => {
            // The same words twice are told once more.
            place.set_text_content(None);
            place.set_text_content(Some(locale.text("copy.done")));
        }
        Err(error) => web_sys::console::error_1(&error),
    }
}

/// Lets the link that leads out of the frame lead to the same session, and goes there when it was clicked.
pub(super) fn full_size(refs: &Refs, fragment: &str, purpose: Purpose) -> Result<(), Error> {
    let base = window()?.location().pathname().map_err(error)?;
    let address = format!("{base}#{fragment}");
    refs.full_size.set_href(&address);
    if purpose == Purpose::FullSize {
        window()?.open_with_url_and_target_and_features(&address, "_blank", "noopener").map_err(error)?;
    }
    Ok(())
}
