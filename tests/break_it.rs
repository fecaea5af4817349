//! Break it, without a page: choices begin a search, verdicts have words, and a schedule plays on the stage.

use hotkv_playground::app::{
    Effect, ExploreMsg, Locale, Msg, Panel, State, Verdicts, replaying, stage, update, verdicts, view,
};
use hotkv_playground::explore::Property;

const PLOT_PX: f64 = 760.0;

fn explore(state: &mut State, msg: ExploreMsg) -> Vec<Effect> {
    update(state, Msg::Explore(msg))
}

fn choose(state: &mut State, choice: &str, value: &str) {
    explore(state, ExploreMsg::Choose(choice.to_owned(), value.to_owned()));
}

/// Lets the search come to its end.
fn finish(state: &mut State) -> Verdicts {
    while state.exploring() {
        explore(state, ExploreMsg::Slice(100));
    }
    verdicts(state)
}

fn verdict(found: &Verdicts) -> Vec<&str> {
    found.rows.iter().map(|row| row.verdict).collect()
}

#[test]
fn a_choice_begins_a_search_and_the_old_verdicts_stay_until_it_ends() {
    let mut state = State::new(0);
    assert_eq!(verdict(&verdicts(&state)), ["none"; 5]);
    explore(&mut state, ExploreMsg::Run);
    let found = verdicts(&state);
    assert!(state.exploring() && found.stale && found.progress == "1 states so far", "{}", found.progress);
    let found = finish(&mut state);
    assert_eq!(verdict(&found), ["broken", "broken", "holds", "holds", "broken"]);
    assert_eq!(
        (found.count.as_str(), found.summary.as_str()),
        ("512 states, 2 workers", "3 of five properties are broken.")
    );
    assert_eq!(found.rows[0].words, "broken: shortest schedule in 6 steps");
    assert_eq!(found.rows[2].words, "holds in all 512 states, with a pause of at most 60 s");
    let chips: Vec<String> = found.rows[0].chips.iter().map(|chip| format!("{} {}", chip.name, chip.text)).collect();
    assert_eq!(chips, ["A SET OK", "A enters", "A pauses", " lock expires", "B SET OK", "B enters"]);
    assert_eq!(
        found.rows[0].why,
        "Worker B enters beside Worker A, whose lock expired while a pause held up its work."
    );

    choose(&mut state, "release", "delex-ifeq");
    let found = verdicts(&state);
    assert!(found.stale && verdict(&found)[1] == "broken" && found.program.contains("DELEX lock:job IFEQ {token}"));
    assert_eq!(verdict(&finish(&mut state)), ["broken", "holds", "holds", "holds", "broken"]);
    choose(&mut state, "fencing", "true");
    assert_eq!(verdict(&finish(&mut state)), ["broken", "holds", "holds", "holds", "holds"]);
    choose(&mut state, "pause", "0");
    let found = finish(&mut state);
    assert_eq!(verdict(&found), ["holds"; 5]);
    assert_eq!(found.summary, "All five properties hold.");
    // What the page does not offer changes nothing, and begins nothing.
    for (choice, value) in [("release", "lua"), ("luck", "1"), ("work", "long"), ("workers", "")] {
        choose(&mut state, choice, value);
        assert!(!state.exploring(), "{choice} {value}");
    }
}

#[test]
fn a_search_that_is_stopped_claims_nothing() {
    let mut state = State::new(0);
    choose(&mut state, "crashes", "1");
    explore(&mut state, ExploreMsg::Slice(20));
    explore(&mut state, ExploreMsg::Cancel);
    let found = verdicts(&state);
    assert!(!state.exploring() && !found.stale);
    assert_eq!(found.rows[3].verdict, "unfinished");
    assert!(found.rows[3].words.starts_with("no violation in ") && found.rows[3].words.ends_with(" not finished"));
    assert_eq!(found.summary, "Stopped before all was seen.");
    // To stop what does not run, and to go on with it, changes nothing.
    explore(&mut state, ExploreMsg::Cancel);
    explore(&mut state, ExploreMsg::Slice(1_000));
    assert_eq!(verdicts(&state), found);
}

#[test]
fn a_program_is_edited_and_what_is_wrong_with_it_is_told_by_line() {
    let mut state = State::new(0);
    let text = "lock lock:job\nworker A B\nacquire or retry within 5s\n  ? SET lock:job {token} NX PX 30000\nenter job\nwork 31s\nleave\nrelease\n  > DELEX lock:job IFEQ {token}\n";
    explore(&mut state, ExploreMsg::Program(text.to_owned()));
    explore(&mut state, ExploreMsg::Run);
    assert_eq!(verdict(&finish(&mut state)), ["broken", "holds", "holds", "holds", "holds"]);
    explore(&mut state, ExploreMsg::Program(text.replace("work 31s", "wrok 31s")));
    explore(&mut state, ExploreMsg::Run);
    let found = verdicts(&state);
    assert!(found.problems.starts_with("Line 6: "), "{}", found.problems);
    assert_eq!((verdict(&found), state.exploring()), (vec!["none"; 5], false));
    assert!(found.program.contains("wrok"), "what was typed stays");
    explore(&mut state, ExploreMsg::Play(Property::MutualExclusion));
    assert_eq!(replaying(&state), None);
}

#[test]
fn every_broken_verdict_plays_and_shows_what_it_says() {
    let mut state = State::new(0);
    update(&mut state, Msg::Submit("B> SET lock:mine t NX".to_owned()));
    let before = (view::console(&state), view::steps(&state), stage(&state, PLOT_PX));
    for (choices, property, shows) in [
        (&[("release", "del")][..], Property::MutualExclusion, "two inside"),
        (&[], Property::NoForeignRelease, "the lock of B is deleted"),
        (&[], Property::FencedWrites, "writes"),
        (&[("renew", "pexpire")], Property::NoForeignRenewal, "the deadline of"),
        (
            &[("renew", "none"), ("acquire", "set-nx"), ("crashes", "1"), ("pause", "0")],
            Property::NoStuckLock,
            "no deadline",
        ),
    ] {
        for (choice, value) in choices {
            choose(&mut state, choice, value);
        }
        explore(&mut state, ExploreMsg::Run);
        let found = finish(&mut state);
        let row = found.rows.iter().find(|row| row.property == property).unwrap();
        assert_eq!(row.verdict, "broken", "{property:?}");
        assert_eq!(explore(&mut state, ExploreMsg::Play(property))[0], Effect::ShowStage);
        assert_eq!((state.playing(), state.view().panel), (true, Panel::Steps));
        assert_eq!(replaying(&state).unwrap().why, row.why);
        update(&mut state, Msg::End);
        let (picture, steps) = (stage(&state, PLOT_PX), view::steps(&state));
        assert!(steps.replaying && steps.steps.iter().all(|step| !step.differs()), "{property:?}");
        let shown = match property {
            Property::MutualExclusion if !picture.clashes.is_empty() => "two inside".to_owned(),
            Property::FencedWrites => steps.steps.last().unwrap().title.clone(),
            Property::NoStuckLock => view::readout(&state).left,
            _ => picture
                .above
                .iter()
                .chain(&picture.below)
                .flat_map(|lane| &lane.marks)
                .map(|mark| &*mark.label)
                .collect(),
        };
        assert!(shown.contains(shows), "{property:?}: {shown}");
    }
    // It is an ordinary session: it takes commands and can be undone, and the one before comes back as it was.
    update(&mut state, Msg::Submit("PING".to_owned()));
    update(&mut state, Msg::Undo);
    explore(&mut state, ExploreMsg::Back);
    assert_eq!((view::console(&state), view::steps(&state), stage(&state, PLOT_PX)), before);
    assert!(!state.playing() && replaying(&state).is_none());
}

#[test]
fn a_schedule_is_told_in_the_language_that_is_spoken() {
    let mut state = State::new(0);
    explore(&mut state, ExploreMsg::Run);
    finish(&mut state);
    explore(&mut state, ExploreMsg::Play(Property::MutualExclusion));
    update(&mut state, Msg::End);
    let now = view::transport(&state).now;
    let texts = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/www/locales/pt-BR.json")).unwrap();
    update(&mut state, Msg::Language(Locale::parse(&texts).unwrap()));
    let steps = view::steps(&state);
    assert_eq!((steps.title.as_str(), steps.steps[0].title.as_str()), ("Exclusão mútua", "Worker A adquire o lock"));
    assert_eq!((view::transport(&state).now, steps.current), (now, Some(5)));
    assert_eq!(verdicts(&state).rows[0].words, "quebrada: sequência mais curta em 6 passos");
    update(&mut state, Msg::Scenario("fleet".to_owned()));
    assert!(replaying(&state).is_none() && !view::steps(&state).replaying);
}
