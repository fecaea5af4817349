//! What can happen to the page, what that asks of it, and the choices that messages carry.

use super::explorer::ExploreMsg;
use super::share::{Link, Opening};
use super::{Locale, Zoom};
use crate::engine::Millis;
use crate::snippets::{Client, Server};
use crate::transcript::Act;

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Its name in the picker, in storage and in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Auto, Self::Light, Self::Dark].into_iter().find(|theme| theme.name() == name)
    }
}

/// The form in which a session is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copied {
    /// Its commands, a line each, for redis-cli.
    Commands,
    /// All of it.
    Transcript,
    /// A sequence diagram of what was played, for Mermaid.
    Mermaid,
    /// The picture as it stands, as a file of its own.
    Still,
}

impl Copied {
    /// The form of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "commands" => Some(Self::Commands),
            "transcript" => Some(Self::Transcript),
            "mermaid" => Some(Self::Mermaid),
            "still" => Some(Self::Still),
            _ => None,
        }
    }
}

/// What a narrow page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The panel below the stage.
    pub panel: Panel,
    /// Whether there is none: stage and transport stand alone.
    pub bare: bool,
}

impl View {
    /// The view of that name: `stage`, or that of a panel.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "stage" => Some(Self { bare: true, ..Self::default() }),
            name => Some(Self { panel: Panel::named(name)?, bare: false }),
        }
    }
}

/// What a link is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be copied.
    Link,
    /// To be copied into a page, with the element that shows the session there.
    Embed,
    /// To stand ready in the link that leads out of a frame.
    WayOut,
    /// To go on from a frame in a page of its own.
    FullSize,
}

/// The panel that a narrow page shows below the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    /// The steps of the session.
    #[default]
    Steps,
    /// The console.
    Console,
    /// The explorer.
    Explorer,
    /// Programs that use the lock.
    Snippets,
    /// Why it works.
    Why,
}

impl Panel {
    /// Its name in the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Console => "console",
            Self::Explorer => "explorer",
            Self::Snippets => "snippets",
            Self::Why => "why",
        }
    }

    /// The panel of that name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Steps, Self::Console, Self::Explorer, Self::Snippets, Self::Why];
        all.into_iter().find(|panel| panel.name() == name)
    }
}

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// Play or pause; at the end of the session, let the clock run on.
    TogglePlay,
    /// Go to what happened before.
    StepBack,
    /// Go to what happens next.
    StepForward,
    /// Run a step, counted from 0.
    Step(usize),
    /// Go to an instant, milliseconds since the start of the session.
    Seek(Millis),
    /// Go along the session by so many milliseconds, either way.
    Nudge(Millis),
    /// Go to the start of the session.
    Start,
    /// Go to its end.
    End,
    /// Let so many milliseconds pass while nobody acts.
    FastForward(Millis),
    /// Let time pass until a key is gone.
    NextExpiry,
    /// Simulated milliseconds per real one.
    Speed(u32),
    /// So many real milliseconds went by.
    Frame(f64),
    /// A line, or a transcript, was typed or pasted into the console.
    Submit(String),
    /// The line before in the history; what stands in the entry line comes along.
    HistoryBack(String),
    /// The line after.
    HistoryForth,
    /// The line before that holds what stands in the entry line.
    HistorySearch(String),
    /// The entry line was typed into, or its caret moved.
    Typing {
        /// What stands before the caret.
        before: String,
        /// What stands after it.
        after: String,
    },
    /// Choose the next of the words that are offered, or the one before.
    ChooseWord {
        /// The next one.
        forth: bool,
    },
    /// Take the word of that number, or the chosen one.
    AcceptWord(Option<usize>),
    /// Offer no words until something is typed.
    CloseWords,
    /// Send lines as this client.
    Client(String),
    /// Send lines as the client of that number; 0 is the plain one.
    ClientNumber(usize),
    /// Send lines as a worker that is not there yet.
    AddWorker,
    /// Ask why the reply of that entry of the log is what it is, or ask no more.
    Why(usize),
    /// Show earlier lines of the log.
    EarlierLog,
    /// Empty the log.
    ClearLog,
    /// Copy the session.
    Copy(Copied),
    /// Something was copied.
    CopyDone,
    /// Take back the last edit of the session.
    Undo,
    /// Put the session back as it was written.
    Reset,
    /// Open another session.
    Scenario(String),
    /// Open a session from outside; it stands at its start.
    Open(Opening),
    /// Play it on to where it stood, so many items at most.
    Arrive(usize),
    /// The page around the frame says something.
    Host(String),
    /// Make a link to what is shown.
    Share(Purpose),
    /// See so much of the session.
    Zoom(Zoom),
    /// Choose a theme.
    Theme(Theme),
    /// Speak another language.
    Language(Locale),
    /// Choose the panel of a narrow page.
    Panel(Panel),
    /// Show a panel, or none, as a host page or the address asks.
    View(View),
    /// Let the coach speak, or be silent.
    Coach(bool),
    /// Make a worker do something outside the store, at the playhead.
    Act {
        /// Who.
        client: String,
        /// What.
        act: Act,
    },
    /// Something happens to the explorer.
    Explore(ExploreMsg),
    /// Show programs for this client library.
    ClientLibrary(Client),
    /// Show programs for this server.
    Server(Server),
    /// Let playing rest at the end of each step, or go through.
    PauseAtSteps(bool),
}

impl Msg {
    /// Whether it moves the playhead by hand, or puts the session elsewhere.
    pub fn moves(&self) -> bool {
        matches!(
            self,
            Self::StepBack
                | Self::StepForward
                | Self::Step(_)
                | Self::Seek(_)
                | Self::Nudge(_)
                | Self::Start
                | Self::End
                | Self::FastForward(_)
                | Self::NextExpiry
                | Self::Act { .. }
                | Self::Undo
                | Self::Reset
                | Self::Scenario(_)
                | Self::Open(_)
                | Self::Explore(ExploreMsg::Play(_) | ExploreMsg::Back)
        )
    }

    /// Whether it can change the session, rather than only where it stands and how it is shown. What is played past the end
    /// does, until it is paused.
    pub fn edits(&self) -> bool {
        matches!(
            self,
            Self::Submit(_)
                | Self::TogglePlay
                | Self::Host(_)
                | Self::Act { .. }
                | Self::FastForward(_)
                | Self::NextExpiry
                | Self::Undo
                | Self::Reset
                | Self::Scenario(_)
                | Self::Open(_)
                | Self::Explore(ExploreMsg::Play(_) | ExploreMsg::Back)
        )
    }
}

/// What is kept for the reader's next visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The theme.
    Theme,
    /// The line that was typed last.
    Line,
    /// What the program that uses the lock is written for.
    Program,
}

/// What a message asks of the page beyond showing the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Put this into the entry line.
    SetInput {
        /// Before the caret.
        before: String,
        /// After it.
        after: String,
    },
    /// Show the end of the log.
    ScrollLog,
    /// Show the picture, which may be out of sight.
    ShowStage,
    /// Keep something for the reader's next visit.
    Store(Choice),
    /// Put this on the clipboard.
    Copy(String),
    /// Make an address of this link.
    Share(Link, Purpose),
    /// Put this behind the `#` of the page's address.
    Address(String),
    /// Tell the page around the frame.
    Tell(String),
}
