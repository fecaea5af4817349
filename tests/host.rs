//! Messages of a host page: what each does, what comes back, and that whatever comes is answered.

use hotkv_playground::app::{Effect, MAX_MESSAGE, Msg, Panel, State, Theme, View, update};
use proptest::prelude::*;
use serde_json::{Value, json};

fn state() -> State {
    State::new(0).in_a_frame()
}

/// What the host page is told.
fn told(effects: Vec<Effect>) -> Vec<Value> {
    let tells = effects.into_iter().filter_map(|effect| match effect {
        Effect::Tell(json) => Some(serde_json::from_str(&json).unwrap()),
        _ => None,
    });
    tells.collect()
}

fn say(state: &mut State, message: Value) -> Vec<Value> {
    told(update(state, Msg::Host(message.to_string())))
}

#[test]
fn a_transcript_without_steps_opens_on_what_it_has() {
    let mut state = state();
    let panel = |state: &State| state.view().panel;
    say(&mut state, json!({ "hotkv": 1, "do": "dress", "view": "steps" }));
    say(&mut state, json!({ "hotkv": 1, "do": "open", "transcript": "A> PING\nPONG\n" }));
    assert_eq!(panel(&state), Panel::Console);
    // So it stays when the page around it asks for the steps again, which it does with every other theme.
    say(&mut state, json!({ "hotkv": 1, "do": "dress", "view": "steps", "theme": "dark" }));
    assert_eq!(panel(&state), Panel::Console);
    // The reader sees what he chooses, and with steps the steps are there.
    update(&mut state, Msg::Panel(Panel::Steps));
    assert_eq!(panel(&state), Panel::Steps);
    say(&mut state, json!({ "hotkv": 1, "do": "dress", "view": "steps" }));
    say(&mut state, json!({ "hotkv": 1, "do": "open", "transcript": "# One\nA> PING\nPONG\n" }));
    assert_eq!(panel(&state), Panel::Steps);
}

#[test]
fn a_session_opens_where_it_should() {
    let mut state = state();
    let open = json!({ "hotkv": 1, "do": "open", "scenario": "plain-del", "at": "3", "speed": 10, "view": "console", "theme": "dark" });
    let heard = say(&mut state, open);
    assert_eq!(heard.last().unwrap(), &json!({ "hotkv": 1, "event": "open", "at": 14_001, "step": 3, "steps": 8 }));
    assert_eq!((state.theme(), Some(state.view()), state.playing()), (Theme::Dark, View::named("console"), false));
    let open =
        json!({ "hotkv": 1, "do": "open", "scenario": "plain-del", "at": "12.5s", "autoplay": true, "view": "stage" });
    say(&mut state, open);
    assert_eq!((state.player().now(), state.playing(), state.view().bare), (12_500, true, true));
    let heard = say(&mut state, json!({ "hotkv": 1, "do": "open", "scenario": "scheduled-jobs" }));
    assert_eq!(heard, [json!({ "hotkv": 1, "event": "open", "at": 2_000, "step": 1, "steps": 6 })]);
    // A transcript goes before a session's name, and is played with the seed of documentation.
    let text = "A> TOKEN\n\"e220a8397b1dcdaf6e789e6aa1b965f4\"\n";
    let open = json!({ "hotkv": 1, "do": "open", "scenario": "extend", "transcript": text });
    say(&mut state, open);
    let exec = say(&mut state, json!({ "hotkv": 1, "do": "seek", "at": "1h" }));
    assert_eq!(exec.len(), 0);
    assert_eq!(state.player().to_transcript(), text);
}

#[test]
fn what_a_host_opens_takes_the_place_of_all_before() {
    let mut state = state();
    update(&mut state, Msg::Submit("A> SET mine 1".to_owned()));
    say(&mut state, json!({ "hotkv": 1, "do": "open", "scenario": "digest" }));
    let before = state.player().to_transcript();
    update(&mut state, Msg::Undo);
    assert_eq!(state.player().to_transcript(), before);
}

#[test]
fn what_cannot_be_read_in_a_transcript_is_told_with_its_line() {
    let open = json!({ "hotkv": 1, "do": "open", "transcript": "A> GET a\n(nil)\nA> GET \"\n+1x\n" });
    let heard = say(&mut state(), open);
    let messages: Vec<&str> = heard.iter().filter_map(|told| told["message"].as_str()).collect();
    assert_eq!(messages.len(), 2, "{heard:?}");
    assert!(
        messages[0].starts_with("line 3 of the transcript: ") && messages[1].starts_with("line 4 "),
        "{messages:?}"
    );
    assert_eq!(heard.last().unwrap()["event"], "open");
}

#[test]
fn it_plays_pauses_and_tells() {
    let mut state = state();
    assert_eq!(say(&mut state, json!({ "hotkv": 1, "do": "pause" })), [] as [Value; 0]);
    say(&mut state, json!({ "hotkv": 1, "do": "play" }));
    assert!(state.playing());
    say(&mut state, json!({ "hotkv": 1, "do": "play" }));
    assert!(state.playing(), "played twice is played");
    let heard = say(&mut state, json!({ "hotkv": 1, "do": "pause" }));
    assert_eq!(heard, [json!({ "hotkv": 1, "event": "pause", "at": 2_000 })]);
    // What the reader does is told too.
    let heard = told(update(&mut state, Msg::Step(2)));
    assert_eq!(heard, [json!({ "hotkv": 1, "event": "step", "at": 14_000, "step": 3, "steps": 6 })]);
    update(&mut state, Msg::Speed(1_000));
    update(&mut state, Msg::TogglePlay);
    let heard = told(update(&mut state, Msg::Frame(500.0)));
    let events: Vec<&str> = heard.iter().filter_map(|told| told["event"].as_str()).collect();
    assert_eq!(events, ["step", "pause", "ended"]);
    // Played on past the end and paused there, it ends no second time.
    update(&mut state, Msg::TogglePlay);
    update(&mut state, Msg::Frame(100.0));
    let heard = say(&mut state, json!({ "hotkv": 1, "do": "pause" }));
    assert_eq!(heard.iter().map(|told| told["event"].as_str().unwrap()).collect::<Vec<_>>(), ["pause"]);
    // Who is no frame tells nobody.
    let mut alone = State::new(0);
    assert_eq!(told(update(&mut alone, Msg::Step(2))), [] as [Value; 0]);
}

#[test]
fn it_seeks_and_steps() {
    let mut state = state();
    for (message, now) in [
        (json!({ "do": "seek", "at": "5" }), 26_000),
        (json!({ "do": "seek", "at": "0" }), 0),
        (json!({ "do": "seek", "at": "500ms" }), 500),
        (json!({ "do": "seek", "at": "6.001s" }), 6_001),
        (json!({ "do": "step" }), 14_000),
        (json!({ "do": "step", "by": -2 }), 2_000),
        (json!({ "do": "step", "by": -9 }), 0),
        (json!({ "do": "step", "by": 2_000_000_000 }), 56_000),
        (json!({ "do": "reset" }), 2_000),
    ] {
        let mut message = message;
        message["hotkv"] = json!(1);
        let text = message.to_string();
        say(&mut state, message);
        assert_eq!(state.player().now(), now, "{text}");
    }
}

#[test]
fn a_line_is_answered_as_in_the_console() {
    let mut state = state();
    let mut exec = |line: &str| {
        let heard = say(&mut state, json!({ "hotkv": 1, "do": "exec", "id": 7, "line": line }));
        let told = heard.last().unwrap().clone();
        assert_eq!((&told["event"], &told["id"]), (&json!("result"), &json!(7)));
        told["reply"].as_str().unwrap().to_owned()
    };
    assert_eq!(exec("B> SET lock:billing-run tok-b NX PX 1"), "(nil)");
    assert_eq!(exec("PTTL lock:billing-run"), "(integer) 30000");
    assert_eq!(exec("+31s"), "");
    assert_eq!(exec("GET lock:billing-run"), "(nil)");
    assert_eq!(exec("GET \""), "(error) Invalid argument(s): a quote is not closed, or text follows it directly");
    assert!(exec("LPUSH a b").starts_with("(error) ERR unknown command"));
    assert_eq!(exec("A> SET a 1\nOK\nA> GET a\n"), "OK\n\"1\"");
    assert!(exec("help DELEX").contains("DELEX key"));
    assert_eq!(exec(""), "");
    assert_eq!(state.history().lines().len(), 0, "a host page types nothing for the reader");
}

#[test]
fn what_cannot_be_understood_changes_nothing_and_is_told() {
    for (message, event, why) in [
        (String::new(), "error", "a message is a JSON object"),
        ("[]".to_owned(), "error", "messages have \"hotkv\": 1, and this one 0"),
        ("{\"hotkv\":1".to_owned(), "error", "a message is a JSON object"),
        ("{\"hotkv\":2,\"do\":\"play\"}".to_owned(), "error", "messages have \"hotkv\": 1, and this one 2"),
        ("{\"do\":\"play\"}".to_owned(), "error", "messages have \"hotkv\": 1, and this one 0"),
        (json!({ "hotkv": 1, "do": "erase" }).to_string(), "error", "'erase' is none of open, play"),
        (json!({ "hotkv": 1, "do": "seek" }).to_string(), "error", "seek needs \"at\""),
        (json!({ "hotkv": 1, "do": "seek", "at": "soon" }).to_string(), "error", "'soon' is no step"),
        (json!({ "hotkv": 1, "do": "seek", "at": "1.0001s" }).to_string(), "error", "'1.0001s' is no step"),
        (json!({ "hotkv": 1, "do": "exec", "line": "PING" }).to_string(), "error", "exec needs \"id\" and \"line\""),
        (json!({ "hotkv": 1, "do": "dress", "theme": "pink" }).to_string(), "error", "'pink' is no theme"),
        (
            json!({ "hotkv": 1, "do": "dress", "speed": -3 }).to_string(),
            "error",
            "-3 is no speed: a whole number from 1 to 1000000",
        ),
        (
            json!({ "hotkv": 1, "do": "open", "scenario": "extend", "speed": 0.5 }).to_string(),
            "failed",
            "0.5 is no speed: a whole number from 1 to 1000000",
        ),
        (json!({ "hotkv": 1, "do": "dress", "view": "x" }).to_string(), "error", "'x' is no view"),
        (json!({ "hotkv": 1, "do": "open" }).to_string(), "failed", "open needs \"transcript\" or \"scenario\""),
        (
            json!({ "hotkv": 1, "do": "open", "scenario": "x" }).to_string(),
            "failed",
            "There is no session named “x” here.",
        ),
        (json!({ "hotkv": 1, "do": "open", "scenario": "extend", "at": "x" }).to_string(), "failed", "'x' is no step"),
        (
            json!({ "hotkv": 1, "do": "open", "scenario": "extend", "seed": "x" }).to_string(),
            "failed",
            "'x' is no seed",
        ),
        (
            json!({ "hotkv": 1, "do": "open", "scenario": "extend", "view": "x" }).to_string(),
            "failed",
            "'x' is no view",
        ),
        (json!({ "hotkv": 1, "do": "open", "transcript": "a" }).to_string(), "failed", "the transcript has no command"),
        (
            json!({ "hotkv": 1, "do": "open", "transcript": "A> PING\n".repeat(20_000) }).to_string(),
            "failed",
            "the transcript is too long",
        ),
        (
            format!("{{\"hotkv\":1,\"line\":\"{}\"}}", "a".repeat(MAX_MESSAGE)),
            "error",
            "a message may have 524288 bytes",
        ),
    ] {
        let mut state = state();
        let before = state.player().clone();
        let heard = told(update(&mut state, Msg::Host(message.clone())));
        let short = &message[..message.len().min(80)];
        assert_eq!(heard.len(), 1, "{short}");
        assert_eq!(heard[0]["event"], event, "{short}");
        assert!(heard[0]["message"].as_str().unwrap().starts_with(why), "{short}: {}", heard[0]["message"]);
        assert_eq!(state.player(), &before, "{short}");
    }
}

proptest! {
    /// Whatever a host page sends, it is answered or does something, and the session stays one that can be shared.
    #[test]
    fn any_message_is_answered(message in "\\{?(\"hotkv\":[0-2],)?\"do\":\"(open|play|seek|step|exec|dress|\\PC{0,4})\"(,\"(at|by|line|id|scenario|transcript)\":(\"\\PC{0,12}\"|-?[0-9]{1,20}|null|true|\\[\\])){0,3}\\}?") {
        let mut state = state();
        for _ in 0..2 {
            for effect in update(&mut state, Msg::Host(message.clone())) {
                if let Effect::Tell(json) = effect {
                    prop_assert!(serde_json::from_str::<Value>(&json).is_ok());
                }
            }
        }
    }
}
