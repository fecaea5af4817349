//! A schedule in the project's own language: a session that plays, and that `hotkv check` finds to be true.

use super::schedule::{Kind, Schedule, Step};
use crate::engine::{Millis, format_duration};
use crate::transcript::{Act, Record, print};

/// Writes a schedule as a transcript. `title` says in words what a step is about, and is asked for each; where it says
/// something a step of the session opens. Of what is written outside the store a transcript has no record, so that the
/// title alone tells of it.
pub fn transcript(schedule: &Schedule, title: impl Fn(&Schedule, usize) -> Option<String>) -> String {
    let mut records = Vec::new();
    for (index, step) in schedule.steps.iter().enumerate() {
        if let Some(title) = title(schedule, index) {
            if !records.is_empty() {
                records.push(Record::Blank);
            }
            // A line break would end the title.
            records.push(Record::Step(title.replace(['\r', '\n'], " ")));
        }
        records.extend(record(schedule, step));
    }
    print(&records)
}

fn record(schedule: &Schedule, step: &Step) -> Option<Record> {
    let client = step.worker.map(|worker| schedule.workers[worker].clone()).unwrap_or_default();
    let act = |act| Some(Record::Act { client: client.clone(), act });
    match &step.kind {
        Kind::Sent { line, reply, .. } => {
            let reply = reply.lines().map(str::to_owned).collect();
            Some(Record::Command { client, line: line.clone(), reply })
        }
        Kind::Entered(resource) => act(Act::Enter(resource.clone())),
        Kind::Left(resource) => act(Act::Leave(resource.clone())),
        Kind::Paused => act(Act::Pause),
        Kind::Resumed => act(Act::Resume),
        Kind::Crashed => act(Act::Crash),
        Kind::Waited(time) => Some(advance(*time)),
        Kind::Wrote { .. } => None,
    }
}

fn advance(ms: Millis) -> Record {
    Record::Advance { ms, text: format_duration(ms) }
}
