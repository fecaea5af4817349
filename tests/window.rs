//! The window on the picture: how it follows the playhead, how it is zoomed and moved, and what is left out of it.

use hotkv_playground::app::{LeaseEnd, Msg, Stage, State, Zoom, stage, update};
use proptest::prelude::*;

const WIDE_PX: f64 = 760.0;
const PHONE_PX: f64 = 334.0;

fn at_step(step: usize) -> State {
    let mut state = State::new(0);
    update(&mut state, Msg::Step(step - 1));
    state
}

/// From when to when the window reaches.
fn seen(picture: &Stage) -> (f64, f64) {
    (picture.from, picture.from + picture.span)
}

fn labels(picture: &Stage) -> Vec<&str> {
    picture.ticks.iter().map(|tick| tick.text.as_str()).collect()
}

/// The steps' numbers on a lane.
fn numbers(picture: &Stage) -> Vec<&str> {
    picture.above[0].marks.iter().map(|mark| mark.number.as_str()).collect()
}

#[test]
fn a_phone_sees_half_and_turns_the_page_with_the_playhead() {
    for (step, window) in [(1, (0.0, 35.0)), (4, (0.0, 35.0)), (5, (15.0, 50.0)), (6, (30.0, 65.0))] {
        let state = at_step(step);
        assert_eq!(seen(&stage(&state, PHONE_PX)), window, "step {step}");
        assert_eq!(seen(&stage(&state, WIDE_PX)), (0.0, 65.0), "step {step}");
    }
    let picture = stage(&at_step(6), PHONE_PX);
    assert_eq!((numbers(&picture), picture.leases.len()), (vec!["6"], 2), "what was before is left out");
    assert_eq!(labels(&picture), ["30", "35", "40", "45", "50", "55", "60", "65"]);
    let mut state = at_step(6);
    for window in [(0.0, 65.0), (30.0, 65.0)] {
        let zoom = stage(&state, PHONE_PX).toggled();
        update(&mut state, Msg::Zoom(zoom));
        assert_eq!(seen(&stage(&state, PHONE_PX)), window);
    }
}

#[test]
fn a_bar_without_room_for_its_badge_is_bare() {
    // 30 of the 35 seconds that are seen.
    for (plot_px, bare) in [(PHONE_PX, false), (24.0, false), (23.0, true)] {
        let picture = stage(&at_step(1), plot_px);
        assert_eq!(picture.leases.iter().map(|lease| lease.bare).collect::<Vec<_>>(), [bare], "{plot_px}");
    }
}

#[test]
fn zooming_keeps_its_place_and_the_playhead_takes_the_window_along() {
    let mut state = at_step(3);
    let zoom = stage(&state, WIDE_PX).zoomed(2.0, 0.5);
    update(&mut state, Msg::Zoom(zoom));
    let picture = stage(&state, WIDE_PX);
    assert_eq!(seen(&picture), (16.25, 48.75));
    assert!(!picture.now_inside && picture.now_text == "‹ 14.000", "{}", picture.now_text);
    assert_eq!(picture.due, Some((32.0, true)));
    assert!((picture.playhead() - 0.5).abs() < 1e-9, "an end is no place to zoom at");
    // It began before, and its end is seen.
    assert!(picture.leases[0].begun && !picture.leases[0].off && picture.leases[0].end == LeaseEnd::Live);
    assert_eq!(numbers(&picture), ["4", "5"]);
    let again = stage(&state, WIDE_PX).panned(-0.5);
    update(&mut state, Msg::Zoom(again));
    assert_eq!(seen(&stage(&state, WIDE_PX)), (0.0, 32.5));
    update(&mut state, Msg::StepForward);
    assert_eq!(seen(&stage(&state, WIDE_PX)), (0.0, 32.5), "it is seen there");
    update(&mut state, Msg::Step(5));
    let picture = stage(&state, WIDE_PX);
    assert!(picture.now_inside && picture.from > 0.0, "{:?}", seen(&picture));
    update(&mut state, Msg::Zoom(picture.zoomed(0.1, 0.0)));
    assert_eq!((state.zoom(), stage(&state, WIDE_PX).is_whole()), (Zoom::Whole, true));
    assert_eq!(stage(&state, WIDE_PX).panned(0.5), Zoom::Whole, "all of it cannot be moved");
    update(&mut state, Msg::Scenario("payments".to_owned()));
    assert_eq!(state.zoom(), Zoom::Auto);
}

#[test]
fn a_millisecond_can_be_seen() {
    let mut state = at_step(1);
    update(&mut state, Msg::Submit("SET lock:billing-run x IFEQ tok-a81f PX 1".to_owned()));
    for _ in 0..20 {
        let picture = stage(&state, WIDE_PX);
        update(&mut state, Msg::Zoom(picture.zoomed(2.0, picture.playhead())));
    }
    let picture = stage(&state, WIDE_PX);
    assert!(picture.is_closest() && picture.now_inside);
    assert_eq!((seen(&picture), picture.due), ((picture.from, picture.from + 0.01), Some((2.001, true))));
    assert!(labels(&picture).contains(&"2.005") && picture.ticks.len() <= 15, "{:?}", labels(&picture));
    assert!(picture.from <= 2.0, "{:?}", seen(&picture));
}

proptest! {
    /// Whatever the zoom says, the window lies in the session, and what stands in the picture is seen in it.
    #[test]
    fn what_is_drawn_is_in_the_window(
        span in any::<i64>(), from in any::<Option<i64>>(), near in 0..70_000_i64, step in 1..7_usize, px in 0.0..2_000.0_f64
    ) {
        for (span, from) in [(span, from), (near, from.map(|from| from.rem_euclid(70_000)))] {
            let mut state = at_step(step);
            update(&mut state, Msg::Zoom(Zoom::Part { span, from }));
            let picture = stage(&state, px);
            let (start, end) = seen(&picture);
            prop_assert!(start >= 0.0 && end <= picture.whole + 1e-9 && picture.span >= 0.01);
            prop_assert!(picture.now_inside || from.is_some(), "a window that follows has the playhead in it");
            let lanes = picture.above.iter().chain(&picture.below);
            let marks = lanes.clone().flat_map(|lane| &lane.marks).map(|mark| (mark.t, mark.t));
            let sections = lanes.flat_map(|lane| &lane.sections).map(|section| (section.t, section.t + section.d));
            let bars = picture.leases.iter().map(|lease| (lease.t, lease.t + lease.d));
            let ticks = picture.ticks.iter().map(|tick| (tick.t, tick.t));
            for (from, to) in marks.chain(sections).chain(bars).chain(ticks) {
                prop_assert!(from <= end + 1e-9 && to >= start - 1e-9, "{from} to {to} outside of {start} to {end}");
            }
            for (from, long) in &picture.free {
                prop_assert!(*from >= start && from + long <= end + 1e-9);
            }
        }
    }
}
