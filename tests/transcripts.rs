//! Transcripts: what is shipped holds, and printing is the inverse of parsing.

use hotkv_playground::player::{Player, Session, What, overlaps, stays};
use hotkv_playground::scenarios::{self, SCENARIOS};
use hotkv_playground::transcript::{Record, check, parse, print_located};
use proptest::prelude::*;

#[test]
fn every_scenario_holds() {
    for scenario in SCENARIOS {
        let (records, diagnostics) = parse(scenario.text());
        assert_eq!(diagnostics, [], "{}", scenario.id);
        assert_eq!(check(&records), [], "{}", scenario.id);
        assert_eq!(print_located(&records), scenario.text(), "{}", scenario.id);
        let steps = records.iter().filter(|located| matches!(located.record, Record::Step(_))).count();
        assert!((1..=9).contains(&steps), "{} has {steps} steps", scenario.id);
        // A minute at ten times the speed.
        let player = Player::new(Session::parse(scenario.text()).0, hotkv_playground::engine::Options::default());
        assert!(player.end() <= 600_000, "{} takes {} ms", scenario.id, player.end());
    }
}

#[test]
fn overlaps_are_where_the_stories_tell_of_them() {
    for (id, count) in [("scheduled-jobs", 0), ("fleet", 0), ("payments", 1), ("plain-del", 3), ("extend", 1)] {
        let session = Session::parse(scenarios::find(id).unwrap().text()).0;
        let mut player = Player::new(session, hotkv_playground::engine::Options::default());
        player.go_to_end();
        assert_eq!(overlaps(&stays(player.log(), player.now())).len(), count, "{id}");
    }
}

#[test]
fn the_five_steps_answer_as_told() {
    let scenario = SCENARIOS[0];
    let (session, _) = Session::parse(scenario.text());
    let steps = session.steps.len();
    let mut player = Player::new(session, hotkv_playground::engine::Options::default());
    player.go_to_step(steps - 1);
    let played: Vec<(String, &str)> = player
        .log()
        .iter()
        .filter_map(|entry| match &entry.what {
            What::Command(played) => Some((format!("{}> {}", played.client, played.line), played.reply.as_str())),
            _ => None,
        })
        .collect();
    let expected = [
        ("A> SET lock:billing-run tok-a81f NX PX 30000", "OK"),
        ("B> SET lock:billing-run tok-b22c NX PX 30000", "(nil)"),
        ("A> PTTL lock:billing-run", "(integer) 18000"),
        ("A> DELEX lock:billing-run IFEQ tok-a81f", "(integer) 1"),
        ("B> SET lock:billing-run tok-b7e0 NX PX 30000", "OK"),
        ("A> DELEX lock:billing-run IFEQ tok-stale", "(integer) 0"),
        ("A> SET lock:billing-run tok-c3d9 NX PX 30000", "OK"),
    ]
    .map(|(command, reply)| (command.to_owned(), reply));
    assert_eq!(played, expected);
}

#[test]
fn a_wrong_reply_is_found_with_its_line() {
    let (records, _) = parse("# One\nA> SET k v\nOK\nA> GET k\n\"w\"\n\nA> GET k\n");
    let found: Vec<_> =
        check(&records).into_iter().map(|mismatch| (mismatch.line, mismatch.expected, mismatch.actual)).collect();
    assert_eq!(found, [(4, Some("\"w\"".to_owned()), "\"v\"".to_owned()), (7, None, "\"v\"".to_owned())]);
}

#[test]
fn lines_that_say_nothing_are_told_with_the_nearest_form() {
    for (line, word) in [
        ("A>", "a command follows A>"),
        ("A> PING\nPONG\nA: fly", "A: is followed by enter NAME"),
        ("A> PING\nPONG\nA>PING", "a space stands between A> and its command"),
        ("A> GET \"x", "a quote is not closed"),
        ("+12x", "a clock move is written"),
        ("A: entre billing", "is followed by enter NAME"),
        ("A: enter", "is followed by enter NAME"),
        ("A: crash now", "is followed by enter NAME"),
    ] {
        let (records, diagnostics) = parse(line);
        let last = line.lines().last().unwrap();
        assert_eq!(records.last().unwrap().record, Record::Stray(last.to_owned()));
        assert_eq!(diagnostics[0].line, line.lines().count());
        assert!(diagnostics[0].message.contains(word), "{line}: {}", diagnostics[0].message);
    }
    for prose in ["Note: this is prose", "a + b", "1> is no prompt", "+ is no move"] {
        assert_eq!(parse(prose).0[0].record, Record::Prose(prose.to_owned()));
    }
}

proptest! {
    #[test]
    fn parsing_never_fails_and_printing_is_its_inverse(text in text()) {
        let (records, diagnostics) = parse(&text);
        let printed = print_located(&records);
        let (again, diagnostics_again) = parse(&printed);
        prop_assert_eq!(&again, &records);
        prop_assert_eq!(diagnostics_again, diagnostics);
        prop_assert_eq!(print_located(&again), printed);
        // Running what was read never fails either.
        check(&records);
    }
}

/// Text near enough to transcripts to reach every branch.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        "# [a-z ]{0,8}",
        "//[ -~]{0,8}",
        "[AB]> (SET k v NX|GET k|PTTL k|DEL k|\"|'x' y)",
        "[+](0|12s|5m|1h|x|99999999999999999999)",
        "[AB]: (enter r|leave r|pause|resume|crash|entr|enter)",
        "(OK|\\(nil\\)|\\(integer\\) 1)",
        "[ -~]{0,12}",
        "\\PC{0,6}",
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}
