//! The playground's own commands: the clock that you move, and tokens that replay.

use super::args::option;
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, ClockRequest, Context};
use crate::engine::{Clock, CommandError, Reply, parse_duration};
use crate::later::later;

/// How fast RUN goes when no speed is named.
const REAL_TIME: u32 = 1;
/// The fastest that RUN goes: a day in under two minutes.
const MAX_SPEED: u32 = 1_000;

fn clock(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let word = args.option().unwrap_or_default();
    if context.engine().clock() == Clock::Real && !matches!((word, args.left()), (option::NOW, 0)) {
        return Err(error("CLOCK moves a simulated clock alone, and this server goes by the time of day"));
    }
    match (word, args.left()) {
        (option::NOW, 0) => {}
        (option::ADVANCE, 1) => {
            let to = std::str::from_utf8(args.word()?)
                .ok()
                .and_then(parse_duration)
                .and_then(|ms| context.now().checked_add(ms))
                .ok_or_else(|| {
                    error("CLOCK ADVANCE takes a time such as 500, 500ms, 30s or 2m that the clock can hold")
                })?;
            context.advance(to);
        }
        (option::NEXT, 0) => match context.settle().next_expiry().map(|(at, _)| at) {
            Some(at) => context.advance(at),
            None => return Ok(Reply::Nil),
        },
        (option::PAUSE, 0) => request(context, ClockRequest::Pause)?,
        (option::RUN, 0) => request(context, ClockRequest::Run(REAL_TIME))?,
        (option::RUN, 1) => {
            let speed = args.integer().ok().filter(|speed| (1..=i64::from(MAX_SPEED)).contains(speed));
            let speed = speed.ok_or_else(|| error(&format!("CLOCK RUN takes a speed from 1 to {MAX_SPEED}")))?;
            request(context, ClockRequest::Run(speed as u32))?;
        }
        _ => return Err(CommandError::Syntax),
    }
    Ok(Reply::Integer(context.now()))
}

/// Hands a request to the shell, where one ticks the clock.
fn request(context: &mut Context<'_>, request: ClockRequest) -> Result<(), CommandError> {
    if context.engine().clock() != Clock::Ticking {
        return Err(error("CLOCK RUN needs a running clock"));
    }
    context.clock = Some(request);
    Ok(())
}

fn error(text: &str) -> CommandError {
    CommandError::Other(format!("ERR {text}"))
}

fn token(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    Ok(Reply::bulk(context.engine_mut().token()))
}

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "CLOCK NOW | ADVANCE time | NEXT | PAUSE | RUN [speed]",
        summary: "Read, move, stop or start the simulated clock; NEXT goes to the next expiry",
        since: "0.1.0",
        flags: &[Flag::Admin, Flag::NoMulti],
        keys: Keys::None,
        examples: later!(&[
            ("CLOCK NOW", "(integer) 1893456000000"),
            ("CLOCK NEXT", "(nil)"),
            ("SET lock:billing-run tok-a81f NX PX 30000", "OK"),
            ("CLOCK ADVANCE 30s", "(integer) 1893456030000"),
            ("PTTL lock:billing-run", "(integer) 0"),
            ("CLOCK NEXT", "(integer) 1893456030001"),
            ("EXISTS lock:billing-run", "(integer) 0"),
        ]),
        run: Run::Handler(clock),
    },
    Spec {
        syntax: "TOKEN",
        summary: "Draw a token for a lock: 32 hex digits, the same each time a session is replayed",
        since: "0.1.0",
        flags: &[Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("TOKEN", "\"e220a8397b1dcdaf6e789e6aa1b965f4\"")]),
        run: Run::Handler(token),
    },
];
