//! The player on a session of three steps.

use super::*;
use crate::engine::Clock;
use crate::transcript::line::LineError;

const TEXT: &str = "\
+2s
# One
A> SET lock:x a NX PX 30000
OK
A: enter job
+3s
# Two
B> SET lock:x b NX PX 30000
(nil)
+40s
# Three
B> SET lock:x b NX PX 30000
OK
";

fn player() -> Player {
    let (session, diagnostics) = Session::parse(TEXT);
    assert_eq!(diagnostics, []);
    Player::new(session, Options { clock: Clock::Ticking, ..Options::default() })
}

fn replies(player: &Player) -> Vec<&str> {
    let played = player.log().iter().filter_map(|entry| match &entry.what {
        What::Command(played) => Some(played.reply.as_str()),
        _ => None,
    });
    played.collect()
}

#[test]
fn a_step_runs_to_its_last_command() {
    let mut player = player();
    player.go_to_step(0);
    assert_eq!((player.now(), player.current_step()), (2_000, Some(0)));
    assert_eq!(player.position(), Position { index: 3, offset: 0 });
    player.go_to_step(2);
    assert_eq!((player.now(), player.at_end()), (45_000, true));
    assert_eq!(replies(&player), ["OK", "(nil)", "OK"]);
}

#[test]
fn seeking_equals_playing() {
    let mut played = player();
    for _ in 0..45 {
        played.tick(1_000);
    }
    let mut sought = player();
    for at in [45_000, 3, 32_000, 0, 32_001, 1_999, 45_000] {
        sought.seek(at);
        assert_eq!(sought.now(), at);
    }
    assert_eq!(sought, played);
}

#[test]
fn steps_rest_at_commands_and_expiries() {
    let mut player = player();
    let mut times = Vec::new();
    while !player.at_end() {
        player.step_forward();
        times.push(player.now());
    }
    assert_eq!(times, [2_000, 5_000, 32_001, 45_000]);
    for at in [32_001, 5_000, 2_000, 0, 0] {
        player.step_back();
        assert_eq!(player.now(), at);
    }
    player.seek(10_000);
    player.step_back();
    assert_eq!(player.now(), 5_000);
}

#[test]
fn time_typed_moves_later_steps_back_and_their_replies_tell() {
    let mut player = player();
    player.go_to_step(0);
    player.type_advance(31_000);
    assert_eq!(player.now(), 33_000);
    let schedule = player.schedule();
    assert_eq!(player.step_time(1, &schedule), Some(36_000));
    player.go_to_step(1);
    assert_eq!(replies(&player), ["OK", "OK"]);
    let What::Command(played) = &player.log().last().unwrap().what else { panic!("no command") };
    assert_eq!(played.instead_of.as_deref(), Some("(nil)"));
    player.undo();
    assert_eq!((player.now(), player.typed()), (2_000, 0));
    player.go_to_step(1);
    assert_eq!(replies(&player), ["OK", "(nil)"]);
}

#[test]
fn typing_in_the_past_drops_what_was_typed_later() {
    let mut player = player();
    player.seek(20_000);
    player.type_command("hotkv", "GET lock:x", None).unwrap();
    player.type_advance(1_000);
    assert_eq!(player.typed(), 2);
    player.seek(10_000);
    player.type_command("hotkv", "PTTL lock:x", None).unwrap();
    assert_eq!(player.typed(), 1);
    assert_eq!(replies(&player), ["OK", "(nil)", "(integer) 22000"]);
    assert_eq!(player.end(), 45_000);
    player.undo();
    assert_eq!((player.typed(), player.now()), (2, 10_000));
    player.reset();
    assert_eq!((player.typed(), player.now()), (0, 0));
    player.undo();
    assert_eq!(player.typed(), 2);
}

#[test]
fn a_line_that_is_no_command_changes_nothing() {
    let mut player = player();
    player.go_to_step(0);
    let before = player.clone();
    assert_eq!(player.type_command("A", "GET \"x", None), Err(LineError::Unbalanced));
    assert_eq!(player.type_command("A", "   ", None), Ok(None));
    assert_eq!(player, before);
}

#[test]
fn the_clock_runs_on_past_the_end() {
    let mut player = player();
    player.seek(45_000);
    for _ in 0..31 {
        player.run_on(1_000);
    }
    assert_eq!((player.now(), player.typed(), player.at_end()), (76_000, 1, true));
    assert!(matches!(player.log().last().unwrap().what, What::Expired(_)));
    assert_eq!(player.log().last().unwrap().at, 75_001);
    player.undo();
    assert_eq!(player.now(), 45_000);
}

#[test]
fn clock_commands_are_part_of_the_session() {
    let mut player = player();
    player.go_to_step(0);
    player.type_command("hotkv", "CLOCK NEXT", None).unwrap();
    assert_eq!(player.now(), 32_001);
    assert_eq!(player.type_command("hotkv", "CLOCK RUN 10", None), Ok(Some(ClockRequest::Run(10))));
    let there = player.clone();
    player.seek(0);
    player.seek(32_001);
    assert_eq!(player.log().len(), there.log().len());
    player.type_advance(Millis::MAX);
    assert_eq!(player.runner().engine().now(), Millis::MAX);
    player.type_advance(1);
    assert_eq!(player.runner().engine().now(), Millis::MAX);
}

#[test]
fn the_text_of_a_session_plays_again() {
    let mut player = player();
    player.seek(10_000);
    player.type_command("B", "PTTL lock:x", None).unwrap();
    player.seek(45_000);
    let (records, diagnostics) = crate::transcript::parse(&player.to_transcript());
    assert_eq!(diagnostics, []);
    assert_eq!(crate::transcript::check(&records), []);
}

/// A thousand commands of three workers, with moves, acts and expiries between them.
fn long() -> Player {
    use std::fmt::Write;
    let mut text = String::from("# Much\n");
    for n in 0..1_000 {
        let worker = ["A", "B", "C"][n % 3];
        let (key, ms) = (n % 7, 50 + n % 90);
        let _ = match n % 5 {
            0 => writeln!(text, "{worker}> SET lock:{key} t{n} NX PX {ms}\n{worker}: enter job"),
            1 => writeln!(text, "+{}ms\n{worker}> SET k{n} v", n % 60),
            2 => writeln!(text, "{worker}> DELEX lock:{key} IFEQ t{}", n - 2),
            3 => writeln!(text, "{worker}> INCR count\n+{}ms", n % 40),
            _ => writeln!(text, "{worker}> PTTL lock:{key}\n{worker}: pause\n{worker}: resume"),
        };
    }
    let (session, diagnostics) = Session::parse(&text);
    assert_eq!(diagnostics, []);
    Player::new(session, Options { clock: Clock::Ticking, ..Options::default() })
}

#[test]
fn a_seek_takes_up_a_keyframe_and_ends_where_a_replay_does() {
    let mut player = long();
    player.go_to_end();
    let (items, end) = (player.items().len(), player.end());
    assert!(items > 1_500);
    let mut place: i64 = 1;
    for turn in 0..200 {
        // A walk that is the same in every run.
        place = place * 48_271 % 0x7fff_ffff;
        let at = place % (end + 1);
        player.seek(at);
        if turn % 10 == 0 {
            let mut replayed = long();
            replayed.seek(at);
            assert_eq!(player, replayed, "at {at}");
        }
        // Backwards, no more than the items since a keyframe are played again.
        let frame = player.keyframes.before_instant(player.runner.engine().now()).map_or(0, |frame| frame.index);
        let at_once = player.items[frame..].iter().take_while(|item| !matches!(item.kind, Kind::Advance(_))).count();
        assert!(player.position.index - frame <= 64 + at_once, "{} after {frame}", player.position.index);
    }
    // Editing in the middle, and back.
    player.seek(end / 2);
    player.type_command("D", "SET lock:0 mine", None).unwrap();
    let mut replayed = player.clone();
    replayed.keyframes = Keyframes::default();
    for at in [end, end / 3, end / 2 + 500, end] {
        player.seek(at);
        replayed.restart_from(None);
        replayed.keyframes = Keyframes::default();
        replayed.seek(at);
        assert_eq!(player, replayed, "at {at}");
    }
    player.undo();
    player.go_to_end();
    let mut fresh = long();
    fresh.go_to_end();
    assert_eq!(player, fresh);
}

/// When a worker's commands come, played and planned.
fn commands_of(player: &Player, client: &str) -> Vec<Millis> {
    let schedule = player.schedule();
    let own = |item: &Item| matches!(&item.kind, Kind::Command { client: who, .. } if who == client);
    player.items().iter().zip(schedule).filter(|(item, _)| own(item)).map(|(_, at)| at).collect()
}

#[test]
fn a_worker_that_crashes_does_nothing_more_of_the_story() {
    let mut player = player();
    player.go_to_step(1);
    player.type_act("B", Act::Crash);
    assert_eq!((commands_of(&player, "B"), commands_of(&player, "A")), (vec![5_000], vec![2_000]));
    player.go_to_end();
    assert_eq!((replies(&player), player.now()), (vec!["OK", "(nil)"], 45_000));
    // Its place stays its own, whoever comes.
    player.seek(0);
    player.type_act("A", Act::Crash);
    player.type_command("C", "PING", None).unwrap();
    assert_eq!(player.workers(), ["A", "B", "C"]);
    player.undo();
    player.undo();
    player.undo();
    assert_eq!((commands_of(&player, "B"), player.now()), (vec![5_000, 45_000], 5_000));
    // What is typed in the past takes the crash away, and B goes on as the story has it.
    player.type_act("B", Act::Crash);
    player.seek(3_000);
    player.type_command("A", "PING", None).unwrap();
    assert_eq!(commands_of(&player, "B"), [5_000, 45_000]);
}

#[test]
fn a_worker_that_is_resumed_goes_on_as_much_later_as_it_was_paused() {
    let mut player = player();
    player.seek(4_000);
    player.type_act("B", Act::Pause);
    assert!(commands_of(&player, "B").is_empty());
    player.seek(10_000);
    player.type_act("B", Act::Resume);
    assert_eq!(commands_of(&player, "B"), [11_000, 51_000]);
    player.go_to_end();
    assert_eq!((replies(&player), player.now()), (vec!["OK", "(nil)", "OK"], 51_000));
    // Time that was forwarded during the pause counts as pause too; and the same once more.
    player.seek(10_000);
    player.type_act("B", Act::Pause);
    player.type_advance(5_000);
    player.type_act("B", Act::Resume);
    assert_eq!(commands_of(&player, "B"), [16_000, 56_000]);
    // A second resume, and one of a worker that was never paused, change nothing.
    player.type_act("B", Act::Resume);
    player.type_act("A", Act::Resume);
    assert_eq!((commands_of(&player, "B"), commands_of(&player, "A")), (vec![16_000, 56_000], vec![2_000]));
    let (again, diagnostics) = Session::parse(&player.to_transcript());
    assert_eq!(diagnostics, []);
    let mut again = Player::new(again, player.options);
    again.go_to_end();
    player.go_to_end();
    assert_eq!(replies(&again), replies(&player));
}

#[test]
fn a_step_without_commands_runs_to_its_end() {
    let text = "# One\nA> SET k v NX PX 5\nOK\n# Two\nA: pause\n# Three\n+6ms\n# Four\nB: enter job\nB> GET k\n(nil)\n";
    let mut player = Player::new(Session::parse(text).0, Options::default());
    for (step, now, current) in [(0, 0, 0), (1, 0, 1), (2, 6, 2), (3, 6, 3), (1, 0, 1)] {
        player.go_to_step(step);
        assert_eq!((player.now(), player.current_step()), (now, Some(current)), "step {step}");
        assert_eq!(player.step_time(step, &player.schedule()), Some(now));
    }
}

#[test]
fn prose_of_nothing_but_marks_comes_back() {
    // Titles without words, which are prose, joined to what would be one title.
    let text = format!("{}\nA> PING\nPONG\n", "#\n".repeat(40_000));
    let player = Player::new(Session::parse(&text).0, Options::default());
    let written = player.to_transcript();
    assert_eq!(Session::parse(&written).0, *player.session());
}
