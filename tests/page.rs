//! The page without a page: what messages make of the state, and what is then shown.

use hotkv_playground::app::{
    Acts, Effect, Fit, Msg, Outcome, SectionKind, Stage, State, entry_line, stage, update, view,
};
use hotkv_playground::transcript::Act;
use proptest::prelude::*;

const PLOT_PX: f64 = 760.0;

fn page() -> State {
    State::new(0)
}

fn send(state: &mut State, msgs: impl IntoIterator<Item = Msg>) -> Vec<Effect> {
    msgs.into_iter().flat_map(|msg| update(state, msg)).collect()
}

fn submit(state: &mut State, line: &str) {
    update(state, Msg::Submit(line.to_owned()));
}

/// The last entry of the log: prompt, command and reply.
fn last(state: &State) -> (String, String, String) {
    let entry = view::console(state).pop().expect("the log is empty");
    (entry.prompt, entry.command, entry.reply)
}

fn replies(state: &State) -> Vec<String> {
    view::console(state).into_iter().map(|entry| entry.reply).filter(|reply| !reply.is_empty()).collect()
}

#[test]
fn opens_paused_with_the_first_step_done() {
    let state = page();
    let (readout, transport, steps) = (view::readout(&state), view::transport(&state), view::steps(&state));
    assert!(!transport.playing && transport.now == 2_000);
    assert_eq!(
        (transport.min_sec.as_str(), transport.ms.as_str(), transport.next.as_str()),
        ("00:02", ".000", "32.000")
    );
    assert_eq!((readout.name.as_str(), readout.holder.as_str()), ("lock:billing-run", "Worker A"));
    assert_eq!((readout.token.as_str(), readout.left.as_str(), readout.of.as_str()), ("tok-a81f", "30.000", "of 30 s"));
    assert_eq!((steps.count.as_str(), steps.current, steps.edited.as_str()), ("Step 1 of 6", Some(0), ""));
    let times: Vec<&str> = steps.steps.iter().map(|step| step.at.as_str()).collect();
    assert_eq!(times, ["2.000", "5.000", "14.000", "20.000", "26.000", "56.000"]);
    assert_eq!(replies(&state), ["OK"]);
    assert_eq!(entry_line(&state).prompt, "A>");
}

#[test]
fn at_the_deadline_the_lock_is_held_and_a_moment_later_it_is_free() {
    let mut state = page();
    send(&mut state, [Msg::FastForward(30_000)]);
    assert_eq!(view::readout(&state).left, "0.000");
    submit(&mut state, "B> SET lock:billing-run tok-b22c NX PX 30000");
    assert_eq!(last(&state).2, "(nil)");
    send(&mut state, [Msg::FastForward(1_000)]);
    assert_eq!(view::readout(&state).holder, "free");
    submit(&mut state, "B> SET lock:billing-run tok-b22c NX PX 30000");
    assert_eq!(
        last(&state),
        ("B>".to_owned(), "SET lock:billing-run tok-b22c NX PX 30000".to_owned(), "OK".to_owned())
    );
    assert_eq!(view::readout(&state).holder, "Worker B");
}

#[test]
fn next_expiry_goes_to_the_millisecond_after_the_deadline() {
    let mut state = page();
    send(&mut state, [Msg::NextExpiry]);
    assert_eq!(view::transport(&state).now, 32_001);
    let entry = view::console(&state).pop().unwrap();
    assert_eq!((entry.at.as_str(), entry.note.as_str()), ("32.001", "lock:billing-run expired. A did not release it."));
    send(&mut state, [Msg::NextExpiry]);
    assert_eq!(view::console(&state).pop().unwrap().note, "No key has a deadline, so nothing will expire.");
    assert_eq!(view::transport(&state).now, 32_001);
}

#[test]
fn seeking_gives_the_same_page_as_playing() {
    let mut sought = page();
    send(&mut sought, [Msg::End, Msg::Start, Msg::Seek(40_000), Msg::StepBack, Msg::Step(5), Msg::Nudge(-10_000)]);
    let mut played = page();
    send(&mut played, [Msg::TogglePlay, Msg::Speed(100)]);
    send(&mut played, std::iter::repeat_n(Msg::Frame(10.0), 44));
    assert_eq!((view::transport(&played).now, view::transport(&sought).now), (46_000, 46_000));
    send(&mut played, [Msg::TogglePlay, Msg::Speed(1)]);
    assert_eq!(view::console(&sought), view::console(&played));
    assert_eq!(view::readout(&sought), view::readout(&played));
    assert_eq!(stage(&sought, PLOT_PX), stage(&played, PLOT_PX));
}

#[test]
fn play_ends_at_the_last_step_and_played_again_runs_on() {
    let mut state = page();
    send(&mut state, [Msg::TogglePlay, Msg::Speed(100)]);
    send(&mut state, std::iter::repeat_n(Msg::Frame(100.0), 6));
    assert_eq!((view::transport(&state).now, state.playing()), (56_000, false));
    assert_eq!(view::transport(&state).play_label, "Run on");
    send(&mut state, [Msg::TogglePlay, Msg::Frame(100.0)]);
    assert_eq!((view::transport(&state).now, state.playing()), (66_000, true));
    // A frame after a sleep is none, and one that was slow is a short one.
    for (elapsed_ms, now) in
        [(3_600_000.0, 66_000), (f64::INFINITY, 66_000), (f64::NAN, 66_000), (-5.0, 66_000), (1_900.0, 116_000)]
    {
        send(&mut state, [Msg::Frame(elapsed_ms)]);
        assert_eq!((view::transport(&state).now, state.playing()), (now, true));
    }
    send(&mut state, [Msg::StepBack]);
    assert_eq!((view::transport(&state).now, state.playing()), (86_001, false));
}

#[test]
fn a_step_whose_reply_differs_says_so() {
    let mut state = page();
    submit(&mut state, "DEL lock:billing-run");
    send(&mut state, [Msg::Step(1)]);
    let steps = view::steps(&state);
    assert!(steps.steps[1].differs() && !steps.steps[0].differs());
    assert_eq!(steps.steps[1].commands[0].reply, "OK");
    assert_eq!(steps.steps[1].commands[0].differs, "The session expects (nil)");
    assert_eq!(steps.edited, "1 line added by you");
    let entry = view::console(&state).pop().unwrap();
    assert!(entry.differs && entry.note == "The session expects (nil)", "{entry:?}");
    send(&mut state, [Msg::Undo, Msg::Step(1)]);
    assert!(!view::steps(&state).steps[1].differs());
}

#[test]
fn bad_input_answers_one_clear_error_and_changes_nothing_else() {
    for (line, answer) in [
        ("GET \"lock", "(error) Invalid argument(s): a quote is not closed, or text follows it directly"),
        ("GET a\0b", "(error) The line holds the control byte 0; write it as \"\\x00\""),
        (&"x".repeat(10 << 20), "(error) The line has 10485760 bytes; at most 4194304 are read"),
        ("+soon", "(error) a clock move is written +500ms, +12s, +2m, +1h or +1d, and its milliseconds fit in 64 bits"),
        ("+1.5s", "(error) a clock move is written +500ms, +12s, +2m, +1h or +1d, and its milliseconds fit in 64 bits"),
        (
            "+99999999999999999999",
            "(error) a clock move is written +500ms, +12s, +2m, +1h or +1d, and its milliseconds fit in 64 bits",
        ),
        ("-30s", "(error) the clock never runs backwards"),
        ("+9223372036854775807", "(error) the clock cannot hold that time"),
    ] {
        let mut state = page();
        let before = (view::readout(&state), view::transport(&state), view::steps(&state), stage(&state, PLOT_PX));
        let entries = view::console(&state).len();
        submit(&mut state, line);
        assert_eq!(last(&state).2, answer, "{}", &line[..line.len().min(30)]);
        assert_eq!(view::console(&state).len(), entries + 1);
        let after = (view::readout(&state), view::transport(&state), view::steps(&state), stage(&state, PLOT_PX));
        assert_eq!(before, after);
    }
    // Errors of the server are replies: records of the session like any other, and they change no key.
    for (line, answer) in [
        ("GET", "(error) ERR wrong number of arguments for 'get' command"),
        (
            "CLOCK ADVANCE -5",
            "(error) ERR CLOCK ADVANCE takes a time such as 500, 500ms, 30s or 2m that the clock can hold",
        ),
        (
            "CLOCK ADVANCE soon",
            "(error) ERR CLOCK ADVANCE takes a time such as 500, 500ms, 30s or 2m that the clock can hold",
        ),
        ("SUBSCRIBE x", "(error) ERR unknown command 'SUBSCRIBE', with args beginning with: 'x' "),
    ] {
        let mut state = page();
        let before = view::readout(&state);
        submit(&mut state, line);
        assert_eq!(replies(&state).pop().unwrap(), answer);
        assert_eq!((view::readout(&state), view::transport(&state).now), (before, 2_000), "{line}");
    }
}

#[test]
fn prompts_choose_who_types() {
    let mut state = page();
    submit(&mut state, "C> SET lock:billing-run tok-c NX");
    assert_eq!(last(&state).0, "C>");
    assert_eq!(entry_line(&state).prompt, "A>");
    submit(&mut state, "C>");
    assert_eq!(entry_line(&state).prompt, "C>");
    submit(&mut state, "TTL lock:billing-run");
    assert_eq!(last(&state), ("C>".to_owned(), "TTL lock:billing-run".to_owned(), "(integer) 30".to_owned()));
    let names: Vec<String> = view::clients(&state).into_iter().map(|choice| choice.name).collect();
    assert_eq!(names, ["hotkv", "A", "B", "C"]);
    let picture = stage(&state, PLOT_PX);
    assert_eq!((picture.above.len(), picture.below.len()), (2, 1));
    send(&mut state, [Msg::Client("hotkv".to_owned())]);
    submit(&mut state, "DEL lock:billing-run");
    assert_eq!(stage(&state, PLOT_PX).below[1].head.name, "hotkv");
    assert_eq!(view::spoken(&state), "2.000 s. hotkv deletes the lock of A.");
}

#[test]
fn a_pasted_transcript_plays() {
    let mut state = page();
    submit(&mut state, "+40s\nB> SET lock:billing-run b NX PX 5000\nOK\n+6s\nB> PTTL lock:billing-run\n+1x\n");
    assert_eq!(
        replies(&state),
        [
            "OK",
            "OK",
            "(integer) -2",
            "(error) Line 6: a clock move is written +500ms, +12s, +2m, +1h or +1d, and its milliseconds fit in 64 bits"
        ]
    );
    assert_eq!(view::transport(&state).now, 48_000);
    // Headings and prose are not sent, replies that are told are compared, and one undo takes it all back.
    let mut told = page();
    submit(&mut told, "# Title\nSome prose.\nB> SET lock:billing-run b NX\nOK\nB> PING\nPONG\n");
    let entries = view::console(&told);
    assert_eq!(replies(&told), ["OK", "(nil)", "PONG"]);
    assert_eq!(entries[1].note, "The session expects OK");
    assert!(entries[1].differs && !entries[2].differs);
    send(&mut told, [Msg::Undo]);
    assert_eq!(view::steps(&told).edited, "");
    let mut plain = page();
    submit(&mut plain, "SET a 1\nGET a\n");
    assert_eq!(replies(&plain), ["OK", "OK", "\"1\""]);
}

#[test]
fn help_and_clear_are_not_part_of_the_session() {
    let mut state = page();
    submit(&mut state, "help PTTL");
    assert!(last(&state).2.starts_with("PTTL key"));
    assert_eq!(view::steps(&state).edited, "");
    submit(&mut state, "clear");
    assert_eq!(view::console(&state), []);
    submit(&mut state, "PING");
    assert_eq!(view::console(&state).len(), 1);
    send(&mut state, [Msg::Start, Msg::Step(0)]);
    assert_eq!(replies(&state), ["OK"]);
}

#[test]
fn the_history_comes_back() {
    let mut state = page();
    submit(&mut state, "PING one");
    submit(&mut state, "PING two");
    let input = |before: &str| Effect::SetInput { before: before.to_owned(), after: String::new() };
    let back = |state: &mut State| update(state, Msg::HistoryBack("dra".to_owned()));
    assert_eq!(back(&mut state), [input("PING two")]);
    assert_eq!(back(&mut state), [input("PING one")]);
    assert_eq!(back(&mut state), []);
    assert_eq!(send(&mut state, [Msg::HistoryForth, Msg::HistoryForth]), [input("PING two"), input("dra")]);
}

#[test]
fn the_clock_obeys_its_commands() {
    let mut state = page();
    submit(&mut state, "CLOCK RUN 10");
    assert!(state.playing() && view::transport(&state).speed == 10);
    send(&mut state, [Msg::Frame(100.0)]);
    assert_eq!(view::transport(&state).now, 3_000);
    submit(&mut state, "CLOCK PAUSE");
    assert!(!state.playing());
    submit(&mut state, "CLOCK ADVANCE 2m");
    assert_eq!((view::transport(&state).min_sec.as_str(), view::readout(&state).holder.as_str()), ("02:03", "free"));
}

#[test]
fn marks_tell_what_came_of_a_command() {
    let mut state = page();
    submit(&mut state, "SET lock:billing-run tok-a81f IFEQ tok-a81f PX 43000");
    submit(&mut state, "B> DELEX lock:billing-run IFEQ wrong");
    submit(&mut state, "B> PEXPIRE lock:billing-run 50000");
    submit(&mut state, "B> SET lock:billing-run mine");
    submit(&mut state, "DEL lock:billing-run");
    submit(&mut state, "DEL lock:billing-run");
    let picture = stage(&state, PLOT_PX);
    let outcomes = |marks: &[hotkv_playground::app::Mark]| -> Vec<Outcome> {
        marks.iter().map(|mark| mark.outcome).filter(|outcome| *outcome != Outcome::Planned).collect()
    };
    let (above, below) = (&picture.above[0].marks, &picture.below[0].marks);
    assert_eq!(outcomes(above), [Outcome::Grant, Outcome::Renew, Outcome::Foreign, Outcome::Missing]);
    assert_eq!(outcomes(below), [Outcome::Wrong, Outcome::ForeignRenew, Outcome::Overwrite]);
    assert_eq!(
        above[1].label,
        "2.000 s, typed by you, Worker A: SET lock:billing-run tok-a81f IFEQ tok-a81f PX 43000. OK, the deadline moves."
    );
    assert_eq!((above[1].verb.as_str(), above[1].option.as_str(), above[1].word.as_str()), ("SET", "IFEQ", "+13 s"));
}

/// Where a lane's flags stand, from left to right, in pixels.
fn flags(picture: &Stage, plot_px: f64) -> Vec<Vec<(f64, f64, bool)>> {
    let lanes = picture.above.iter().chain(&picture.below);
    lanes
        .map(|lane| {
            let shown = lane.marks.iter().filter(|mark| mark.fit != Fit::None && !mark.left);
            shown
                .map(|mark| ((mark.t - picture.from) / picture.span * plot_px, mark.verb.len() as f64 * 7.0, mark.low))
                .collect()
        })
        .collect()
}

#[test]
fn extremes_are_drawn() {
    for lines in [
        vec!["SET lock:billing-run x IFEQ tok-a81f PX 31536000000"],
        vec!["SET lock:billing-run x IFEQ tok-a81f PX 1", "+1ms", "+1ms"],
        vec!["SET lock:billing-run x IFEQ tok-a81f PXAT 9223372036854775807", "CLOCK NEXT"],
        vec!["+7000000000000000000", "SET lock:billing-run x"],
        vec!["FLUSHALL", "SET lock:\"\\x00\\xff\" \"\\x01\" NX PX 5"],
        vec!["Z: crash", "Z: enter hall", "Z: pause", "Z: resume", "Z: leave hall"],
    ] {
        let mut state = page();
        for line in &lines {
            submit(&mut state, line);
        }
        for plot_px in [0.0, 1.0, 300.0, 4_000.0] {
            let picture = stage(&state, plot_px);
            assert!(picture.ticks.len() <= 16 && picture.now_inside, "{lines:?}: {picture:?}");
        }
        view::readout(&state);
        view::steps(&state);
        view::console(&state);
        view::spoken(&state);
    }
}

#[test]
fn the_clock_stops_at_the_end_of_64_bits() {
    let mut state = page();
    send(&mut state, [Msg::End]);
    let last = i64::MAX - hotkv_playground::engine::EPOCH;
    submit(&mut state, &format!("+{}ms", last - 56_000));
    assert_eq!(view::transport(&state).now, last);
    send(&mut state, [Msg::TogglePlay, Msg::Frame(100.0)]);
    assert!(!state.playing());
    let edited = view::steps(&state).edited;
    send(&mut state, [Msg::FastForward(1_000)]);
    assert_eq!(replies(&state).pop().unwrap(), "(error) the clock cannot hold that time");
    assert_eq!((view::transport(&state).now, view::steps(&state).edited), (last, edited));
    // Steps that are still to come stand at the last instant there is.
    let mut early = page();
    submit(&mut early, "CLOCK ADVANCE 9223370143398773807");
    assert!(view::steps(&early).steps.iter().all(|step| step.at.len() <= "9223370143398775.807".len()));
}

#[test]
fn what_cannot_be_seen_is_written_out() {
    let mut state = page();
    submit(&mut state, "hotkv> SET \"\" \"\" NX");
    assert_eq!((view::readout(&state).name.as_str(), view::readout(&state).token.as_str()), ("\"\"", "\"\""));
    submit(&mut state, "SET lock:\u{202e}abc \u{2066}tok NX");
    assert_eq!(view::readout(&state).name, "lock:\\u{202e}abc");
    assert_eq!(last(&state).1, "SET lock:\\u{202e}abc \\u{2066}tok NX");
}

#[test]
fn a_lock_that_is_swapped_away_is_not_held_any_more() {
    let mut state = page();
    submit(&mut state, "hotkv> SWAPDB 0 1");
    assert_eq!(view::readout(&state).holder, "Worker A");
    submit(&mut state, "hotkv> GET lock:billing-run");
    assert_eq!((last(&state).2.as_str(), view::readout(&state).holder.as_str()), ("(nil)", "free"));
}

#[test]
fn a_key_that_becomes_a_lock_is_held() {
    let mut state = page();
    submit(&mut state, "SET foo x");
    submit(&mut state, "SET foo x IFEQ x PX 30000");
    assert_eq!((view::readout(&state).name.as_str(), view::readout(&state).holder.as_str()), ("foo", "Worker A"));
}

#[test]
fn the_end_is_the_end_whatever_moves_the_clock_on_the_way() {
    let mut state = page();
    submit(&mut state, "CLOCK ADVANCE 1h");
    send(&mut state, [Msg::Start, Msg::End]);
    assert!(state.player().at_end());
    assert_eq!(view::transport(&state).now, 3_600_000 + 56_000);
}

#[test]
fn running_on_is_an_edit_of_its_own() {
    let mut state = page();
    send(&mut state, [Msg::End, Msg::FastForward(30_000), Msg::TogglePlay, Msg::Frame(0.0), Msg::TogglePlay]);
    assert_eq!(view::steps(&state).edited, "1 line added by you");
    send(&mut state, [Msg::TogglePlay, Msg::Frame(100.0), Msg::Frame(100.0), Msg::TogglePlay]);
    assert_eq!((view::transport(&state).now, view::steps(&state).edited.as_str()), (86_200, "2 lines added by you"));
    send(&mut state, [Msg::Undo]);
    assert_eq!(view::transport(&state).now, 86_000);
}

#[test]
fn a_paste_without_end_is_refused_whole() {
    let mut state = page();
    submit(&mut state, &"PING\n".repeat(2_001));
    assert_eq!(replies(&state).pop().unwrap(), "At most 2000 lines are pasted at once, and 4 MiB. Nothing was sent.");
    assert_eq!(view::steps(&state).edited, "");
    submit(&mut state, &"PING\n".repeat(500));
    assert_eq!(view::steps(&state).edited, "500 lines added by you");
    send(&mut state, [Msg::Undo]);
    assert_eq!(view::steps(&state).edited, "");
}

#[test]
fn what_is_not_part_of_the_session_is_heard_too() {
    let mut state = page();
    submit(&mut state, "GET \"x");
    assert!(view::spoken(&state).starts_with("(error) Invalid argument(s)"));
    let count = view::spoken_count(&state);
    submit(&mut state, "GET \"x");
    assert_eq!(view::spoken_count(&state), count + 1);
}

#[test]
fn only_locks_are_shown_as_locks() {
    let mut state = page();
    for line in ["SET foo bar", "DELEX foo IFEQ x", "SET foo other NX"] {
        submit(&mut state, line);
    }
    assert_eq!(view::readout(&state).name, "lock:billing-run");
}

#[test]
fn a_crashed_worker_that_comes_back_lives() {
    let mut state = page();
    send(&mut state, [Msg::End]);
    let worker = |state: &State| {
        let lane = stage(state, PLOT_PX).below.remove(0);
        (lane.head.state, lane.crashes.len(), lane.life.is_some())
    };
    assert_eq!(worker(&state), ("crashed".to_owned(), 1, true));
    submit(&mut state, "+31s");
    submit(&mut state, "B> SET lock:billing-run z NX");
    assert_eq!(worker(&state), ("holds the lock".to_owned(), 1, false));
    // At one instant too: what counts is the order, not the clock.
    submit(&mut state, "B: crash");
    assert_eq!(worker(&state), ("crashed".to_owned(), 2, true));
    submit(&mut state, "B> PING");
    assert_eq!(worker(&state), ("holds the lock".to_owned(), 2, false));
}

#[test]
fn what_a_worker_does_is_spoken() {
    let mut state = page();
    assert_eq!(view::spoken(&state), "2.000 s. A begins its work. A holds the lock.");
    send(&mut state, [Msg::Seek(30_000)]);
    assert_eq!(view::spoken(&state), "30.000 s. B crashes. B holds the lock.");
}

#[test]
fn long_times_have_hours_and_days() {
    let mut state = page();
    for (line, clock) in [("+1h", "1:00:02"), ("+1d", "1d 01:00:02")] {
        submit(&mut state, line);
        assert_eq!(view::transport(&state).min_sec, clock);
    }
}

#[test]
fn the_text_of_an_edited_page_plays_again() {
    let mut state = page();
    for line in ["+5s", "B> PTTL lock:billing-run", "hotkv> INCR runs", "A: leave billing"] {
        submit(&mut state, line);
    }
    send(&mut state, [Msg::End]);
    let (records, diagnostics) = hotkv_playground::transcript::parse(&state.player().to_transcript());
    assert_eq!(diagnostics, []);
    assert_eq!(hotkv_playground::transcript::check(&records), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn flags_keep_clear_of_each_other(
        typed in prop::collection::vec((prop::sample::select(vec!["A", "B"]), 0..12_000_i64), 1..12),
        plot_px in 280.0..1_200.0_f64,
    ) {
        let mut state = page();
        for (client, ms) in typed {
            submit(&mut state, &format!("+{ms}ms"));
            submit(&mut state, &format!("{client}> SET lock:billing-run x NX PX 3000"));
        }
        for lane in flags(&stage(&state, plot_px), plot_px) {
            for pair in lane.windows(2) {
                let [(left, width, low), (right, _, low_next)] = pair else { continue };
                prop_assert!(*low != *low_next || left + width <= *right + 1.0, "{pair:?} of {lane:?}");
            }
        }
    }

    #[test]
    fn any_messages_leave_a_page_that_draws(lines in prop::collection::vec("[ -~]{0,20}", 0..6), at in any::<i64>()) {
        let mut state = page();
        for line in lines {
            submit(&mut state, &line);
            send(&mut state, [Msg::Seek(at), Msg::StepForward, Msg::Undo]);
        }
        stage(&state, PLOT_PX);
        view::console(&state);
        state.player().runner().engine().verify();
    }
}

#[test]
fn a_plain_del_shows_who_is_inside_without_a_lock_and_where_two_are() {
    let mut state = page();
    send(&mut state, [Msg::Scenario("plain-del".to_owned()), Msg::Step(4)]);
    let Stage { above, below, leases, .. } = stage(&state, PLOT_PX);
    let kinds = |lane: &hotkv_playground::app::Lane| -> Vec<(f64, f64, SectionKind)> {
        let sections = lane.sections.iter();
        sections.map(|section| (section.t, (section.d * 1_000.0).round() / 1_000.0, section.kind)).collect()
    };
    // C walks in while B, whose lock A deleted, is inside.
    assert_eq!(kinds(&above[0]), [(15.001, 2.0, SectionKind::Clash), (17.001, 2.0, SectionKind::Inside)]);
    assert_eq!(kinds(&above[1]), [(1.0, 4.0, SectionKind::Inside), (5.0, 9.001, SectionKind::Paused)]);
    let of_b = [(11.001, 3.0, SectionKind::Clash), (14.001, 1.0, SectionKind::Lost), (15.001, 2.0, SectionKind::Clash)];
    assert_eq!(kinds(&below[0]), of_b);
    assert_eq!(leases.iter().map(|lease| lease.slot).collect::<Vec<_>>(), [(0, 1); 3]);
    send(&mut state, [Msg::Step(2)]);
    assert_eq!(stage(&state, PLOT_PX).below[0].head.state, "working, lock lost");
}

#[test]
fn locks_that_are_held_at_once_have_a_place_each() {
    let mut state = page();
    send(&mut state, [Msg::Scenario("payments".to_owned()), Msg::End]);
    let Stage { leases, .. } = stage(&state, PLOT_PX);
    let told: Vec<_> = leases.iter().map(|lease| (lease.token.as_str(), lease.slot)).collect();
    let expected = [
        ("cap-7f31", (0, 1)),
        ("ref-91c0", (0, 1)),
        ("lock:capture:42", (0, 2)),
        ("lock:refund:42", (1, 2)),
        ("cap-a9e4", (0, 1)),
    ];
    assert_eq!(told, expected);
    // Entering where another is already is said.
    send(&mut state, [Msg::Seek(19_000)]);
    assert!(view::spoken(&state).contains("B begins its work while A is inside"), "{}", view::spoken(&state));
}

#[test]
fn playing_rests_at_each_step_when_asked() {
    let mut state = page();
    send(&mut state, [Msg::PauseAtSteps(true), Msg::Speed(100)]);
    let mut rests = Vec::new();
    for _ in 0..100 {
        if !state.playing() {
            rests.push(view::transport(&state).now);
            send(&mut state, [Msg::TogglePlay]);
        }
        send(&mut state, [Msg::Frame(16.0)]);
    }
    assert_eq!(rests[..6], [2_000, 5_000, 14_000, 20_000, 26_000, 56_000]);
    // Without it, it goes through.
    send(&mut state, [Msg::PauseAtSteps(false), Msg::Start, Msg::TogglePlay, Msg::Frame(200.0)]);
    assert!(state.playing() && view::transport(&state).now == 20_000);
}

#[test]
fn of_many_locks_only_the_last_is_drawn() {
    let mut state = page();
    let take = |n: usize| format!("A> SET lock:{n} t{n} NX PX 30000");
    // Beside the session's own.
    for n in 0..5 {
        submit(&mut state, &take(n));
    }
    assert_eq!(stage(&state, PLOT_PX).leases.len(), 6);
    submit(&mut state, &take(5));
    let Stage { leases, lock, .. } = stage(&state, PLOT_PX);
    let told: Vec<_> = leases.iter().map(|lease| (lease.token.as_str(), lease.slot)).collect();
    assert_eq!((lock.as_str(), told), ("lock:5", vec![("t5", (0, 1))]));
}

#[test]
fn a_worker_is_paused_and_crashed_by_hand() {
    let mut state = page();
    let act = |act| Msg::Act { client: "A".to_owned(), act };
    send(&mut state, [act(Act::Pause)]);
    let lane = |state: &State| stage(state, PLOT_PX).above.pop().unwrap();
    let Acts { paused, pause, crash, .. } = lane(&state).head.acts.unwrap();
    assert_eq!((paused, pause.0.as_str(), pause.1.as_str()), (true, "Resume", "Resume Worker A"));
    assert_eq!((crash.1.as_str(), lane(&state).head.state.as_str()), ("Crash Worker A", "paused"));
    send(&mut state, [Msg::FastForward(31_000)]);
    assert_eq!(lane(&state).head.state, "paused, lock lost");
    send(&mut state, [act(Act::Resume), act(Act::Crash)]);
    assert_eq!((lane(&state).head.state.as_str(), lane(&state).crashes.len()), ("crashed", 1));
    assert_eq!(lane(&state).head.acts, None, "who has crashed cannot be stopped");
    // Each is an edit that can be taken back.
    send(&mut state, [Msg::Undo, Msg::Undo, Msg::Undo, Msg::Undo]);
    assert_eq!((lane(&state).head.state.as_str(), view::steps(&state).edited.as_str()), ("working", ""));
}

fn typing(state: &mut State, before: &str) -> Vec<String> {
    update(state, Msg::Typing { before: before.to_owned(), after: String::new() });
    entry_line(state).offers.into_iter().map(|offer| format!("{}|{}", offer.typed, offer.rest)).collect()
}

#[test]
fn words_to_go_on_with_are_offered_while_somebody_types() {
    let mut state = page();
    assert_eq!(typing(&mut state, "PEXPIREA"), ["PEXPIREA|T"]);
    assert_eq!(typing(&mut state, "pexpi"), ["PEXPI|RE", "PEXPI|REAT", "PEXPI|RETIME"]);
    let line = entry_line(&state);
    assert_eq!((line.chosen, line.column, line.offers[0].note.is_empty()), (0, 0, false));
    // Choosing goes round, and what is chosen is taken with a space to go on after.
    send(&mut state, [Msg::ChooseWord { forth: false }]);
    assert_eq!(entry_line(&state).chosen, 2);
    let taken = send(&mut state, [Msg::ChooseWord { forth: true }, Msg::AcceptWord(None)]);
    assert_eq!(taken, [Effect::SetInput { before: "PEXPIRE ".to_owned(), after: String::new() }]);
    assert_eq!(
        (entry_line(&state).offers, entry_line(&state).hint.as_str()),
        (vec![], "key milliseconds [NX | XX | GT | LT]")
    );
    // Of an option, what follows it.
    typing(&mut state, "SET k v ");
    let notes: Vec<String> =
        entry_line(&state).offers.into_iter().map(|offer| format!("{} {}", offer.rest, offer.note)).collect();
    assert_eq!(notes[..3], ["NX ", "XX ", "IFEQ value"]);
    // Keys in the store, and tokens that were seen, from the newest on.
    assert_eq!(typing(&mut state, "B> GET lo"), ["lo|ck:billing-run"]);
    assert_eq!(entry_line(&state).column, 7);
    submit(&mut state, "SET lock:billing-run tok-b IFEQ tok-a81f PX 9");
    assert_eq!(typing(&mut state, "DELEX lock:billing-run IFEQ "), ["|tok-b", "|tok-a81f"]);
    assert_eq!(typing(&mut state, "SET \u{e9}"), Vec::<String>::new());
    // What would have to be quoted is not offered, nor the keys of another database.
    submit(&mut state, "MSET \"lo ng\" 1 l\u{f6} 2");
    assert_eq!(typing(&mut state, "GET l"), ["l|ock:billing-run"]);
    submit(&mut state, "SELECT 1");
    assert_eq!(typing(&mut state, "GET l"), Vec::<String>::new());
    submit(&mut state, "SELECT 0");
    // Esc closes, typing opens again, moving the caret closes; in the middle of a word nothing fits.
    typing(&mut state, "GET lo");
    send(&mut state, [Msg::CloseWords]);
    assert!(entry_line(&state).offers.is_empty() && !typing(&mut state, "GET loc").is_empty());
    let at = |before: &str, after: &str| Msg::Typing { before: before.to_owned(), after: after.to_owned() };
    send(&mut state, [at("GET l", "oc")]);
    assert!(entry_line(&state).offers.is_empty() && entry_line(&state).hint.is_empty());
    send(&mut state, [at("PEXPI", " k 5")]);
    let taken = send(&mut state, [Msg::AcceptWord(Some(1))]);
    assert_eq!(taken, [Effect::SetInput { before: "PEXPIREAT".to_owned(), after: " k 5".to_owned() }]);
    // A line from the history offers nothing, and nothing can be taken.
    send(&mut state, [at("SET", ""), Msg::HistorySearch("IFEQ".to_owned())]);
    assert_eq!(entry_line(&state).before, "SET lock:billing-run tok-b IFEQ tok-a81f PX 9");
    assert_eq!(send(&mut state, [Msg::AcceptWord(None)]), []);
    assert!(entry_line(&state).offers.is_empty());
}

#[test]
fn the_prompt_tells_who_types_and_of_an_open_transaction() {
    let mut state = page();
    submit(&mut state, "B> MULTI");
    assert_eq!(entry_line(&state).prompt, "A>");
    send(&mut state, [Msg::ClientNumber(2)]);
    assert_eq!((entry_line(&state).prompt.as_str(), entry_line(&state).label.as_str()), ("B(TX)>", "Command as B"));
    submit(&mut state, "PING");
    assert_eq!(last(&state), ("B>".to_owned(), "PING".to_owned(), "QUEUED".to_owned()));
    submit(&mut state, "EXEC");
    assert_eq!(entry_line(&state).prompt, "B>");
    send(&mut state, [Msg::ClientNumber(9)]);
    assert_eq!(entry_line(&state).prompt, "B>");
    send(&mut state, [Msg::ClientNumber(0)]);
    assert_eq!(entry_line(&state).prompt, "hotkv>");
}

#[test]
fn a_worker_is_added_and_has_a_lane_at_once() {
    let mut state = page();
    send(&mut state, [Msg::AddWorker]);
    assert_eq!((entry_line(&state).prompt.as_str(), entry_line(&state).class), ("C>", "w-C"));
    let picture = stage(&state, PLOT_PX);
    assert_eq!((picture.above[0].head.name.as_str(), picture.above[0].marks.len()), ("Worker C", 0));
    // One that has sent nothing stays beside those that come after it, and goes with the session.
    send(&mut state, [Msg::Client("A".to_owned())]);
    assert_eq!(stage(&state, PLOT_PX).above.len(), 2);
    for name in ["D", "E", "F"] {
        assert_eq!(state.new_worker(), Some(name));
        send(&mut state, [Msg::AddWorker]);
    }
    assert_eq!((state.new_worker(), state.workers().len()), (None, 6));
    send(&mut state, [Msg::AddWorker]);
    assert_eq!(entry_line(&state).prompt, "F>");
    send(&mut state, [Msg::Scenario("plain-del".to_owned())]);
    assert_eq!(state.workers(), ["A", "B", "C"]);
}

#[test]
fn of_a_long_session_the_end_is_shown_and_what_is_left_out_is_counted() {
    let mut state = page();
    let lines = "INCR n0\nINCR n1\nINCR n2\n".repeat(400);
    submit(&mut state, &lines);
    let entries = view::console(&state).len();
    assert!((500..750).contains(&entries), "{entries}");
    assert_eq!(view::earlier(&state), "Show earlier lines (500)");
    assert_eq!(last(&state).2, "(integer) 400");
    // The first line that is shown stays where it is while a few more come.
    let first = view::console(&state).swap_remove(0);
    submit(&mut state, "PING");
    assert_eq!(view::console(&state)[0], first);
    send(&mut state, [Msg::EarlierLog, Msg::EarlierLog]);
    assert_eq!((view::console(&state).len(), view::earlier(&state).as_str()), (1_202, ""));
    // Of marks at one place the most telling one stays.
    submit(&mut state, "DEL lock:billing-run");
    submit(&mut state, &lines);
    let lane = &stage(&state, PLOT_PX).above[0];
    assert!(lane.marks.len() <= 121 && lane.marks.iter().any(|mark| mark.current), "{}", lane.marks.len());
    assert!(lane.head.left_out.ends_with(" more have no room"), "{}", lane.head.left_out);
    send(&mut state, [Msg::ClearLog]);
    assert_eq!((view::console(&state), view::earlier(&state)), (vec![], String::new()));
}

#[test]
fn notes_are_the_same_whether_a_session_is_played_or_sought() {
    for scenario in ["plain-del", "extend", "late-writer"] {
        let open = || {
            let mut state = page();
            send(&mut state, [Msg::Scenario(scenario.to_owned())]);
            state
        };
        let (mut played, mut sought) = (open(), open());
        send(&mut played, [Msg::TogglePlay, Msg::Speed(100)]);
        send(&mut played, std::iter::repeat_n(Msg::Frame(50.0), 60));
        let end = view::transport(&played).now;
        send(&mut sought, [Msg::End, Msg::Start, Msg::Step(2), Msg::StepBack, Msg::Seek(end)]);
        let notes = |state: &State| view::console(state).into_iter().map(|entry| entry.note).collect::<Vec<_>>();
        assert_eq!(notes(&played), notes(&sought), "{scenario}");
        assert!(notes(&played).iter().any(|note| !note.is_empty()));
    }
}

/// What the console says below the last reply, and whether one may ask.
fn told(state: &State) -> (String, Option<bool>) {
    let entry = view::console(state).pop().expect("the log is empty");
    (entry.note, entry.why.map(|why| why.answered))
}

#[test]
fn every_reply_can_be_asked_why() {
    let mut state = page();
    for (line, answer) in [
        ("GET lock:billing-run", "Read a value."),
        ("client getname", "Read the name of this connection."),
        (
            "SET lock:billing-run",
            "The command was refused and no key changed. It is written: SET key value [NX | XX | IFEQ value | IFNE value | IFDEQ digest | IFDNE digest] [GET] [EX seconds | PX milliseconds | EXAT unix-seconds | PXAT unix-milliseconds | KEEPTTL]",
        ),
    ] {
        submit(&mut state, line);
        assert_eq!(told(&state), (String::new(), Some(false)), "{line}");
        let entry = view::console(&state).pop().unwrap().why.unwrap();
        assert_eq!(entry.label, format!("why? {line}"));
        send(&mut state, [Msg::Why(entry.entry)]);
        assert_eq!(told(&state), (answer.to_owned(), Some(true)));
        send(&mut state, [Msg::Why(entry.entry)]);
        assert_eq!(told(&state), (String::new(), Some(false)));
    }
    // What the coach says need not be asked, unless it is silent.
    submit(&mut state, "B> SET lock:billing-run mine NX PX 30000");
    let (note, why) = told(&state);
    assert!(note.starts_with("Refused: A holds the lock") && why.is_none(), "{note}");
    send(&mut state, [Msg::Coach(false)]);
    assert_eq!(told(&state), (String::new(), Some(false)));
    let entry = state.player().log().len() - 1;
    send(&mut state, [Msg::Why(entry)]);
    assert_eq!(told(&state), (note, Some(true)));
    submit(&mut state, "MULTI");
    submit(&mut state, "GET lock:billing-run");
    let last = state.player().log().len() - 1;
    send(&mut state, [Msg::Why(last)]);
    assert_eq!(told(&state).0, "It waits in the transaction; EXEC runs it.");
    // What is gone is asked no more, and what nobody can ask changes nothing.
    send(&mut state, [Msg::Why(usize::MAX), Msg::Reset]);
    submit(&mut state, "PING");
    assert_eq!(told(&state), (String::new(), Some(false)));
}

#[test]
fn a_lock_that_is_gone_is_offered_to_be_taken_again() {
    let mut state = page();
    send(&mut state, [Msg::NextExpiry]);
    submit(&mut state, "SET lock:bird t PX 30000");
    send(&mut state, [Msg::Typing { before: "SET lock:bi".to_owned(), after: String::new() }]);
    let offers: Vec<String> = entry_line(&state).offers.into_iter().map(|word| word.typed + &word.rest).collect();
    assert_eq!(offers, ["lock:bird", "lock:billing-run"]);
}

#[test]
fn a_copy_of_a_terminal_is_played_by_nobody_in_particular() {
    let mut state = page();
    submit(
        &mut state,
        "127.0.0.1:6379> SET z tok NX\nOK\nredis.example:6380[1](TX)> GET z\n\"tok\"\nredis> DEL z\n(integer) 1\nB> GET z\n(nil)",
    );
    let played: Vec<(String, String)> =
        view::console(&state).into_iter().skip(1).map(|entry| (entry.prompt, entry.command)).collect();
    let expected = [("hotkv>", "SET z tok NX"), ("hotkv>", "GET z"), ("hotkv>", "DEL z"), ("B>", "GET z")];
    assert_eq!(played, expected.map(|(prompt, command)| (prompt.to_owned(), command.to_owned())));
}

#[test]
fn an_edited_session_that_was_left_comes_back_by_undoing() {
    let mut state = page();
    send(&mut state, [Msg::Scenario("digest".to_owned())]);
    assert!(!view::steps(&state).can_undo, "nothing was made in the first one");
    for (id, line) in [("payments", "A> SET one 1"), ("extend", "A> SET two 2"), ("digest", "A> SET three 3")] {
        submit(&mut state, line);
        send(&mut state, [Msg::Scenario(id.to_owned())]);
    }
    let steps = view::steps(&state);
    assert_eq!((steps.edited.as_str(), steps.can_undo), ("Your edited session is kept. Undo brings it back.", true));
    submit(&mut state, "A> SET four 4");
    assert_eq!(view::steps(&state).edited, "1 line added by you");
    send(&mut state, [Msg::Undo]);
    for (id, line) in [("extend", "SET three 3"), ("payments", "SET two 2"), ("digest", "SET one 1")] {
        let effects = send(&mut state, [Msg::Undo]);
        assert!(effects.contains(&Effect::Address(format!("v=1&s={id}"))), "{effects:?}");
        assert_eq!((view::steps(&state).scenario, last(&state).1.as_str()), (id, line));
        // Its own edits can be undone as before; a session without any leads on to the one before.
        send(&mut state, [Msg::Undo]);
        assert_eq!(state.player().typed(), 0);
    }
    assert!(!view::steps(&state).can_undo);
    // So many are kept, the last ones.
    for number in 0..10 {
        submit(&mut state, &format!("A> SET number {number}"));
        send(&mut state, [Msg::Scenario("digest".to_owned())]);
    }
    for number in (2..10).rev() {
        send(&mut state, [Msg::Undo]);
        assert_eq!(last(&state).1, format!("SET number {number}"));
        send(&mut state, [Msg::Undo]);
    }
    assert!(!view::steps(&state).can_undo);
}
