//! Links, embed code and diagrams: what is taken out of the page, and that it comes back byte for byte.

use hotkv_playground::app::{
    Copied, Effect, Link, LinkError, Locale, MAX_ITEMS, MAX_LINK, MAX_TEXT, Msg, Opening, Purpose, State, kept, place,
    update, view,
};
use hotkv_playground::player::What;
use hotkv_playground::scenarios::SCENARIOS;
use hotkv_playground::transcript::Act;
use proptest::prelude::*;

fn link(state: &mut State) -> Link {
    let effects = update(state, Msg::Share(Purpose::Link));
    let [Effect::Share(link, Purpose::Link)] = &effects[..] else { panic!("{effects:?}") };
    link.clone()
}

/// What the browser does to the text on its way does not change it; here it is not done.
fn fragment(link: &Link) -> String {
    link.text.as_ref().map_or_else(|| link.fragment.clone(), |_| format!("{}&z=AA", link.fragment))
}

fn opened(link: &Link, seed: u64) -> State {
    arrived(Opening::parse(&fragment(link), link.text.as_deref()).unwrap().unwrap(), seed)
}

/// What the page kept of a session, opened again.
fn brought_back(state: &State, seed: u64) -> State {
    let (link, text) = kept(state);
    arrived(Opening::parse_own(&format!("{link}{}", place(state)), text.as_deref()).unwrap().unwrap(), seed)
}

fn arrived(opening: Opening, seed: u64) -> State {
    let mut state = State::new(seed);
    update(&mut state, Msg::Open(opening));
    update(&mut state, Msg::Arrive(usize::MAX));
    state
}

fn type_line(state: &mut State, line: &str) {
    update(state, Msg::Submit(line.to_owned()));
}

fn copied(state: &mut State, form: Copied) -> String {
    let effects = update(state, Msg::Copy(form));
    let [Effect::Copy(text)] = &effects[..] else { panic!("{effects:?}") };
    text.clone()
}

/// Everything that a reader could tell two pages apart by.
fn same(one: &State, other: &State) -> Result<(), TestCaseError> {
    let (a, b) = (one.player(), other.player());
    prop_assert_eq!(a.items(), b.items());
    prop_assert_eq!(a.log(), b.log());
    prop_assert_eq!(a.position(), b.position());
    prop_assert_eq!(a.drawn_seed(), b.drawn_seed());
    // A seed from which nothing is drawn is the opener's own.
    if a.drawn_seed().is_some() {
        prop_assert_eq!(a.runner(), b.runner());
    }
    prop_assert_eq!(a.to_transcript(), b.to_transcript());
    prop_assert_eq!(a.session(), b.session());
    prop_assert_eq!(a.workers(), b.workers());
    let (mut steps, mut again) = (view::steps(one), view::steps(other));
    // What can be undone is not part of a session.
    (steps.can_undo, again.can_undo) = (false, false);
    prop_assert_eq!(steps, again);
    Ok(())
}

#[test]
fn a_session_of_the_gallery_is_a_short_link() {
    let mut state = State::new(7);
    update(&mut state, Msg::Scenario("plain-del".to_owned()));
    update(&mut state, Msg::Seek(15_001));
    let shared = link(&mut state);
    assert_eq!((shared.fragment.as_str(), &shared.text), ("v=1&s=plain-del&t=15001", &None));
    assert_eq!(shared.element, "<hotkv-play scenario=\"plain-del\" start-at=\"15001ms\"></hotkv-play>\n");
    same(&state, &opened(&shared, 8)).unwrap();
}

#[test]
fn choosing_a_session_goes_to_the_address() {
    let effects = update(&mut State::new(0), Msg::Scenario("digest".to_owned()));
    assert!(effects.contains(&Effect::Address("v=1&s=digest".to_owned())), "{effects:?}");
}

#[test]
fn edits_come_back_with_seed_stops_and_places() {
    let mut state = State::new(7);
    for line in ["TOKEN", "hotkv> SET a \"\\x00 // # +1s\"", "+3s", "B>", "B: pause", "INFO", "MULTI", "INCR n", "EXEC"]
    {
        type_line(&mut state, line);
    }
    update(&mut state, Msg::Act { client: "A".to_owned(), act: Act::Crash });
    update(&mut state, Msg::Act { client: "B".to_owned(), act: Act::Resume });
    type_line(&mut state, "CLOCK ADVANCE 1500");
    let shared = link(&mut state);
    assert!(shared.fragment.starts_with("v=1&s=scheduled-jobs&t=6500&r=7&c="), "{}", shared.fragment);
    let again = opened(&shared, 8);
    same(&state, &again).unwrap();
    assert!(again.player().typed() > 8);
    // The prose of a session that is known stays out of the link, and comes in the reader's language.
    assert!(!shared.text.as_ref().unwrap().contains("cron"));
    let mut spanish = again;
    let texts = include_str!("../www/locales/es.json");
    update(&mut spanish, Msg::Language(Locale::parse(texts).unwrap()));
    assert!(view::steps(&spanish).steps[0].prose.contains("NX"));
    assert_ne!(view::steps(&spanish).steps[0].title, "Worker A takes the lock");
    // Reset gives the story back, since it is known.
    update(&mut spanish, Msg::Reset);
    let untouched = State::new(0);
    assert_eq!(spanish.player().items(), untouched.player().items());
}

#[test]
fn a_text_of_ones_own_keeps_its_story() {
    let text = "Hello.\n\n# One\nFirst.\nA> SET lock:x a NX PX 1000\nOK\n+4s\n# Two\nB> SET lock:x b NX\n(nil)\n";
    let mut state = State::new(0);
    let open = serde_json::json!({ "hotkv": 1, "do": "open", "transcript": text });
    update(&mut state, Msg::Host(open.to_string()));
    assert_eq!(view::steps(&state).intro, "Hello.");
    assert_eq!(view::steps(&state).scenario, "");
    update(&mut state, Msg::Seek(2_000));
    type_line(&mut state, "GET lock:x");
    let shared = link(&mut state);
    let again = opened(&shared, 1);
    same(&state, &again).unwrap();
    let mut reset = again;
    update(&mut reset, Msg::Reset);
    assert_eq!(reset.player().typed(), 0);
    assert!(reset.player().to_transcript().contains("\n+4s\n"));
    // The code for a page of documentation holds the transcript, and no blank line ends it early.
    assert!(shared.element.starts_with("<hotkv-play start-at=\"2s\">\n\n<pre>\nHello.\n"), "{}", shared.element);
    assert!(shared.element.contains("A&gt; SET lock:x a NX PX 1000\nOK\n"));
    assert!(shared.element.ends_with("</pre>\n\n</hotkv-play>\n"));
}

#[test]
fn a_schedule_that_breaks_something_can_be_shared() {
    use hotkv_playground::app::{ExploreMsg, verdicts};
    let mut state = State::new(0);
    update(&mut state, Msg::Explore(ExploreMsg::Run));
    while state.exploring() {
        update(&mut state, Msg::Explore(ExploreMsg::Slice(1_000)));
    }
    let broken = verdicts(&state).rows.iter().find(|row| row.verdict == "broken").map(|row| row.property).unwrap();
    update(&mut state, Msg::Explore(ExploreMsg::Play(broken)));
    update(&mut state, Msg::End);
    let shown = view::steps(&state);
    let again = opened(&link(&mut state), 1);
    assert_eq!(state.player().log(), again.player().log());
    let steps = view::steps(&again);
    assert_eq!((&steps.intro, steps.scenario), (&shown.intro, ""));
    assert_eq!(steps.steps, shown.steps);
}

#[test]
fn what_would_not_be_opened_again_is_told_when_it_is_shared() {
    let mut state = State::new(0);
    type_line(&mut state, &format!("SET a {}", "x".repeat(MAX_TEXT)));
    assert!(link(&mut state).too_long);
    update(&mut state, Msg::Undo);
    assert!(!link(&mut state).too_long);
    let ping = "PING\n".repeat(1_900);
    type_line(&mut state, &ping);
    type_line(&mut state, &ping);
    assert!(link(&mut state).too_long, "{} lines", state.player().items().len());
}

#[test]
fn what_is_no_link_is_left_alone_and_what_is_wrong_is_told() {
    for anchor in ["", "console", "a=b", "t=3", "!v", "%"] {
        assert_eq!(Opening::parse(anchor, None), Ok(None), "{anchor}");
    }
    let long = format!("v=1&s=digest&x={}", "a".repeat(MAX_LINK));
    let huge = "a".repeat(MAX_TEXT + 1);
    let many = "A> PING\n".repeat(MAX_ITEMS + 1);
    for (link, text, error) in [
        ("s=digest", None, LinkError::Damaged),
        ("v=&s=digest", None, LinkError::Damaged),
        ("v=0&s=digest", None, LinkError::Damaged),
        ("v=2&s=digest&z=new", None, LinkError::Newer),
        ("v=4294967296", None, LinkError::Damaged),
        ("v=1&s=nothing", None, LinkError::Unknown),
        ("v=1&s=<script>", None, LinkError::Unknown),
        ("v=1&s=digest&t=soon", None, LinkError::Damaged),
        ("v=1&s=digest&t=99999999999999999999", None, LinkError::Damaged),
        ("v=1&s=digest&i=-1", None, LinkError::Damaged),
        ("v=1&s=digest&r=x", None, LinkError::Damaged),
        ("v=1", None, LinkError::Damaged),
        ("v=1&z=AA", None, LinkError::Damaged),
        ("v=1&z=AA", Some("A> PING\n"), LinkError::Damaged),
        ("v=1&c=00000000&z=AA", Some("A> PING\n"), LinkError::Damaged),
        (&*long, None, LinkError::TooLong),
        ("v=1&z=AA", Some(&*huge), LinkError::TooLong),
        ("v=1&c=db9f0b2f&z=AA", Some(&*many), LinkError::Damaged),
    ] {
        assert_eq!(Opening::parse(link, text), Err(error), "{}", &link[..link.len().min(60)]);
    }
    let checked = |text: &str| {
        let mut state = State::new(0);
        let open = serde_json::json!({ "hotkv": 1, "do": "open", "transcript": text });
        update(&mut state, Msg::Host(open.to_string()))
    };
    for text in ["", "Only prose.", "# A title", &*many] {
        let effects = checked(text);
        let [Effect::Tell(told)] = &effects[..] else { panic!("{effects:?}") };
        assert!(told.contains("\"failed\""), "{told}");
    }
    assert!(Opening::parse("v=1&s=digest&t=9223372036854775807&unknown=1&i=99999", None).unwrap().is_some());
}

#[test]
fn instants_outside_a_session_are_its_ends() {
    for (t, i, now, index) in [
        ("-5", "0", 0, 0),
        ("9223372036854775807", "9", 20_000, 9),
        ("9223372036854775807", "99", 56_000, 19),
        ("2000", "1", 2_000, 1),
    ] {
        let opening = Opening::parse(&format!("v=1&s=scheduled-jobs&t={t}&i={i}"), None).unwrap().unwrap();
        let mut state = State::new(0);
        update(&mut state, Msg::Open(opening));
        update(&mut state, Msg::Arrive(usize::MAX));
        let player = state.player();
        assert_eq!((player.now(), player.position().index), (now, index), "{t} {i}");
    }
}

#[test]
fn the_diagram_tells_what_was_played() {
    let mut state = State::new(0);
    type_line(&mut state, "ECHO \"a; #b<c>\"");
    update(&mut state, Msg::End);
    let diagram = copied(&mut state, Copied::Mermaid);
    let lines: Vec<&str> = diagram.lines().map(str::trim).collect();
    assert_eq!(
        lines[..10],
        [
            "sequenceDiagram",
            "participant p1 as Worker A",
            "participant p0 as HotKV",
            "participant p2 as Worker B",
            "Note over p0: 2.000 s",
            "p1->>p0: SET lock:billing-run tok-a81f NX PX 30000",
            "p0-->>p1: OK",
            "Note over p1: enter billing",
            "p1->>p0: ECHO \"a#59; #35;b#60;c#62;\"",
            "p0-->>p1: \"a#59; #35;b#60;c#62;\"",
        ]
    );
    assert!(lines.contains(&"Note over p0: lock:billing-run expired. B did not release it."), "{diagram}");
    let commands = state.player().log().iter().filter(|entry| matches!(entry.what, What::Command(_))).count();
    assert_eq!(lines.iter().filter(|line| line.contains("->>p0: ")).count(), commands);
}

/// Lines that a reader types.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("TOKEN".to_owned()),
        Just("+700ms".to_owned()),
        Just("CLOCK NEXT".to_owned()),
        Just("RANDOMKEY".to_owned()),
        "[ABE]> (GET|PTTL|DEL) lock:(billing-run|x)",
        "[ABE]> SET lock:x tok-[a-c] NX PX [1-9]00",
        "[AB]: (pause|resume|crash|enter x|leave x)",
        "\\PC{0,20}",
    ]
}

#[test]
fn a_session_longer_than_a_link_is_kept_by_the_page_itself() {
    let mut state = State::new(5);
    for part in 0..2 {
        type_line(&mut state, &format!("A> SET part {part}\n").repeat(MAX_ITEMS - 1));
    }
    assert!(link(&mut state).too_long);
    let (link, text) = kept(&state);
    assert_eq!(Opening::parse(&link, text.as_deref()), Err(LinkError::TooLong));
    same(&state, &brought_back(&state, 6)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever was typed wherever, the link gives it back.
    #[test]
    fn links_give_back_what_was_shared(
        scenario in 0..SCENARIOS.len(),
        edits in prop::collection::vec((0_i64..70_000, line()), 0..12),
        stand in 0_i64..90_000,
        backs in 0..3,
    ) {
        let mut state = State::new(5);
        update(&mut state, Msg::Scenario(SCENARIOS[scenario].id.to_owned()));
        for (at, line) in edits {
            update(&mut state, Msg::Seek(at));
            type_line(&mut state, &line);
        }
        update(&mut state, Msg::Seek(stand));
        for _ in 0..backs {
            update(&mut state, Msg::StepBack);
        }
        let shared = link(&mut state);
        same(&state, &opened(&shared, 6))?;
        same(&state, &brought_back(&state, 6))?;
    }

    /// Whatever comes as a link, or as a text out of one, there is an answer.
    #[test]
    fn any_link_is_answered(link in "(v=1&)?(s=[a-z-]{0,9}&)?(t=[0-9-]{0,20}&)?(c=[0-9a-f]{8}&)?(z=\\PC{0,9})?", text in prop::option::of("\\PC{0,300}")) {
        if let Ok(Some(opening)) = Opening::parse(&link, text.as_deref()) {
            update(&mut State::new(0), Msg::Open(opening));
        }
    }
}
