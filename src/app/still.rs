//! The picture of time as an SVG file that stands by itself: for documentation that shows no frames, for print and for
//! slides. It follows the reader's light or dark preference, and is as wide as a column.

use std::fmt::Write;

use super::life::SectionKind;
use super::lock::LeaseEnd;
use super::marks::{Fit, Mark, Outcome};
use super::stage::{Lane, Stage, stage};
use super::{State, view};

const HEAD: i32 = 136;
const PLOT: i32 = 720;
const WIDTH: i32 = HEAD + PLOT + 24;
const AXIS: i32 = 34;
const LANE: i32 = 84;
const LOCK: i32 = 64;
/// The bar of the lock within its row.
const BAR: (i32, i32) = (10, 44);

/// Half the width of the playhead's flag, and room for a label beside it.
const FLAG: i32 = 42;

/// A worker's shape, drawn from its middle.
fn shape(name: &str) -> &'static str {
    match name {
        "#w-a" => "m-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0",
        "#w-b" => "m-9-9h18v18h-18z",
        "#w-c" => "m0-11l11 20h-22z",
        "#w-d" => "m0-11l11 11l-11 11l-11-11z",
        _ => "m-6-9h9l7 9l-7 9h-9l-5-9z",
    }
}

const STYLE: &str = "\
svg{color-scheme:light dark;--s:#fff;--w:#f5f6f7;--l:#d6dadd;--i:#14181b;--i3:#636d76;--g:#1a6b34;--r:#b3201a;--on:#fff;\
--A:#0a5fa6;--B:#b04a00;--C:#087d67;--D:#561b46;--E:#5b5f00;--F:#4a5568;--0:#48525a}\
@media(prefers-color-scheme:dark){svg{--s:#15191c;--w:#101416;--l:#2b3237;--i:#e8ecef;--i3:#8f9aa3;--g:#6fce8d;--r:#ff8f85;\
--on:#0d1012;--A:#6cb6f5;--B:#f5a25a;--C:#b5f0e0;--D:#e0559a;--E:#d3d66a;--F:#b7c2d3;--0:#b3bcc3}}\
text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:var(--i)}.n{font-family:system-ui,sans-serif;font-weight:600}\
.s{font-size:10px}.f{paint-order:stroke;stroke:var(--s);stroke-width:3px}.b{font-weight:600}.q{fill:var(--i3)}.p,.p text{opacity:.65}.ok{fill:var(--g);font-weight:600}.no{font-weight:600}.bad{fill:var(--r);font-weight:600}\
.w-A{--k:var(--A)}.w-B{--k:var(--B)}.w-C{--k:var(--C)}.w-D{--k:var(--D)}.w-E{--k:var(--E)}.w-F{--k:var(--F)}.w-0{--k:var(--0)}\
.k{fill:var(--k)}.x{stroke:var(--k);stroke-width:2;fill:none}.on{fill:var(--on);font-weight:600}.line{stroke:var(--l)}";

/// Draws the picture as it stands.
pub fn still(state: &State) -> String {
    let picture = stage(state, f64::from(PLOT));
    let lock = AXIS + LANE * picture.above.len() as i32;
    let bottom = lock + LOCK + LANE * picture.below.len() as i32;
    let mut still = Still { picture: &picture, lock, bottom, out: String::new() };
    let title = view::markup(&format!("{}, {} s", picture.lock, picture.now_text));
    let height = bottom + 8;
    still.write(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\
         <title>{title}</title><style>{STYLE}</style><rect width=\"{WIDTH}\" height=\"{height}\" fill=\"var(--s)\"/>"
    ));
    still.axis();
    for (index, lane) in picture.above.iter().enumerate() {
        still.lane(lane, AXIS + LANE * index as i32, true);
    }
    for (index, lane) in picture.below.iter().enumerate() {
        still.lane(lane, lock + LOCK + LANE * index as i32, false);
    }
    still.lock();
    still.playhead();
    still.write("</svg>\n");
    still.out
}

struct Still<'a> {
    picture: &'a Stage,
    /// Where the lock's row begins, and where the last row ends.
    lock: i32,
    bottom: i32,
    out: String,
}

impl Still<'_> {
    fn write(&mut self, svg: &str) {
        self.out.push_str(svg);
    }

    /// Where an instant lies, at an edge when it lies outside.
    fn x(&self, t: f64) -> i32 {
        HEAD + (((t - self.picture.from) / self.picture.span).clamp(0.0, 1.0) * f64::from(PLOT)).round() as i32
    }

    fn rect(&mut self, (from, to): (f64, f64), y: i32, height: i32, more: &str) {
        let (x, width) = (self.x(from), self.x(to) - self.x(from));
        let _ = write!(self.out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {more}/>");
    }

    fn text(&mut self, x: i32, y: i32, more: &str, text: &str) {
        if !text.is_empty() {
            let _ = write!(self.out, "<text x=\"{x}\" y=\"{y}\" {more}>{}</text>", view::markup(text));
        }
    }

    fn axis(&mut self) {
        let picture = self.picture;
        let bottom = self.bottom;
        self.rect((picture.now, picture.from + picture.span), AXIS, bottom - AXIS, "fill=\"var(--w)\"");
        for tick in &picture.ticks {
            let x = self.x(tick.t);
            let _ = write!(self.out, "<path class=\"line\" d=\"M{x} {AXIS}V{bottom}\"/>");
            // Only the playhead has a flag here.
            if (x - self.x(picture.now)).abs() > FLAG {
                self.text(x, 20, "class=\"q\" text-anchor=\"middle\"", &tick.text);
            }
        }
        for (from, length) in &picture.clashes {
            self.rect((*from, from + length), AXIS, bottom - AXIS, "fill=\"var(--r)\" opacity=\".2\"");
        }
    }

    fn lane(&mut self, lane: &Lane, top: i32, above: bool) {
        let class = lane.head.badge.class;
        let _ = write!(self.out, "<g class=\"{class}\"><path class=\"line\" d=\"M0 {top}H{WIDTH}\"/>");
        // Flags stand away from the lock, life beside it.
        let (life, flags) = if above { (top + LANE - 26, top + 18) } else { (top + 26, top + LANE - 24) };
        let middle = top + LANE / 2;
        let _ = write!(self.out, "<path class=\"k\" d=\"M22 {middle}{}\"/>", shape(lane.head.badge.shape));
        self.text(22, middle + 4, "class=\"on\" text-anchor=\"middle\"", &lane.head.badge.letter);
        self.text(40, middle - 1, "class=\"n\"", &view::cut(&lane.head.name, 10));
        self.text(40, middle + 14, "class=\"q s\"", &view::cut(&lane.head.state, 16));
        let (from, to) = (self.x(self.picture.from), self.x(lane.life.unwrap_or(self.picture.now)));
        let _ = write!(self.out, "<path class=\"x\" d=\"M{from} {life}H{to}\"/>");
        for section in &lane.sections {
            let more = match section.kind {
                SectionKind::Inside => "class=\"k\" opacity=\".25\"",
                SectionKind::Planned => "class=\"x\" stroke-dasharray=\"3 3\"",
                SectionKind::Lost | SectionKind::Clash => "fill=\"var(--r)\" opacity=\".35\"",
                SectionKind::Paused => "fill=\"var(--i3)\" opacity=\".35\"",
            };
            self.rect((section.t, section.t + section.d), life - 10, 20, more);
            self.text(self.x(section.t) + 6, life + 4, "", &section.label);
        }
        for at in &lane.crashes {
            let x = self.x(*at);
            let _ = write!(
                self.out,
                "<path stroke=\"var(--r)\" stroke-width=\"3\" d=\"M{0} {1}l12 12m0-12l-12 12\"/>",
                x - 6,
                life - 6
            );
        }
        for mark in &lane.marks {
            self.mark(mark, flags, above);
        }
        self.write("</g>");
    }

    fn mark(&mut self, mark: &Mark, flags: i32, above: bool) {
        let x = self.x(mark.t);
        let planned = mark.outcome == Outcome::Planned;
        let group = if planned { "<g class=\"p\">" } else { "<g>" };
        self.write(group);
        let (outer, inner) = (self.lock + BAR.0, self.lock + BAR.0 + BAR.1);
        let (from, cap) = if above { (flags - 12, outer) } else { (flags + 18, inner) };
        // A refusal stops short of the bar.
        let gap = if matches!(mark.outcome, Outcome::Refuse | Outcome::Wrong | Outcome::Missing) { 8 } else { 2 };
        let tip = if above { cap - gap } else { cap + gap };
        let dash = match mark.outcome {
            Outcome::Planned => " stroke-dasharray=\"4 4\"",
            Outcome::Read => " stroke-dasharray=\"2 3\"",
            _ => "",
        };
        let end = if planned { if above { flags + 54 } else { flags - 54 } } else { tip };
        let _ = write!(self.out, "<path class=\"x\"{dash} d=\"M{x} {from}V{end}\"/>");
        let way = if above { 1 } else { -1 };
        let y = |down: i32| tip + way * down;
        let _ = match mark.outcome {
            Outcome::Grant => {
                write!(self.out, "<path class=\"k\" d=\"M{0} {2}H{1}L{x} {3}Z\"/>", x - 6, x + 6, y(-9), y(2))
            }
            Outcome::Refuse => {
                write!(self.out, "<path class=\"x\" stroke-width=\"4\" d=\"M{} {tip}h14\"/>", x - 7)
            }
            Outcome::Read => {
                write!(self.out, "<circle class=\"x\" cx=\"{x}\" cy=\"{}\" r=\"3.5\" style=\"fill:var(--s)\"/>", y(-3))
            }
            Outcome::Renew => {
                write!(self.out, "<circle class=\"x\" cx=\"{x}\" cy=\"{}\" r=\"6\" style=\"fill:var(--s)\"/>", y(-5))
            }
            Outcome::Release => {
                write!(self.out, "<rect class=\"k\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\"/>", x - 5, y(-5) - 5)
            }
            Outcome::Wrong | Outcome::Missing => {
                write!(self.out, "<path class=\"x\" d=\"M{} {}h12m-12 5h12m-2-9l-8 13\"/>", x - 6, tip - 3)
            }
            Outcome::Foreign | Outcome::ForeignRenew | Outcome::Overwrite => {
                write!(
                    self.out,
                    "<rect fill=\"var(--r)\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\"/>",
                    x - 5,
                    y(-5) - 5
                )
            }
            Outcome::Other | Outcome::Planned => Ok(()),
        };
        self.flag(mark, x, flags);
        self.write("</g>");
    }

    fn flag(&mut self, mark: &Mark, x: i32, y: i32) {
        let fit = mark.fit;
        if fit == Fit::None {
            return;
        }
        let verb = fit == Fit::Verb;
        let parts = [
            (!verb && fit != Fit::NoNumber, &mark.number),
            (true, &mark.verb),
            (matches!(fit, Fit::Full | Fit::NoOutcome | Fit::NoSecondOption), &mark.option),
            (matches!(fit, Fit::Full | Fit::NoOutcome), &mark.options),
            (!verb, &mark.more),
        ];
        let words: Vec<&str> =
            parts.iter().filter(|(shown, part)| *shown && !part.is_empty()).map(|(_, part)| &***part).collect();
        let (at, anchor) = if mark.left { (x - 5, " text-anchor=\"end\"") } else { (x + 5, "") };
        self.text(
            at,
            y,
            &format!("class=\"f{}\"{anchor}", if mark.outcome == Outcome::Planned { " q" } else { "" }),
            &words.join(" "),
        );
        if verb || mark.low {
            return;
        }
        let class = match mark.outcome {
            Outcome::Grant | Outcome::Renew | Outcome::Release => "ok",
            Outcome::Foreign | Outcome::ForeignRenew | Outcome::Overwrite => "bad",
            Outcome::Refuse | Outcome::Wrong | Outcome::Missing => "no",
            Outcome::Read | Outcome::Other | Outcome::Planned => "",
        };
        let word = if fit == Fit::Full && !mark.word.is_empty() { format!(" {}", mark.word) } else { String::new() };
        self.text(at, y + 16, &format!("class=\"f {class}\"{anchor}"), &format!("{}{word}", mark.reply));
    }

    fn lock(&mut self) {
        let picture = self.picture;
        let (row, y) = (self.lock, self.lock + BAR.0);
        let _ = write!(self.out, "<path class=\"line\" d=\"M0 {row}H{WIDTH}M0 {}H{WIDTH}\"/>", row + LOCK);
        self.text(12, row + 28, "class=\"s b\"", &view::cut(&picture.lock, 20));
        self.text(12, row + 44, "class=\"q s\"", &view::cut(&picture.lock_state, 20));
        for lease in &picture.leases {
            let strip = BAR.1 / lease.slot.1 as i32;
            let y = y + strip * lease.slot.0 as i32;
            let to = lease.t + lease.d;
            let _ = write!(self.out, "<g class=\"{}\">", lease.badge.class);
            self.rect((lease.t, lease.spent.min(to)), y, strip, "class=\"k\" opacity=\".3\"");
            if lease.end == LeaseEnd::Live {
                self.rect((lease.spent, to), y, strip, "class=\"x\" stroke-dasharray=\"4 3\"");
            }
            self.rect((lease.t, to), y, strip, "class=\"x\"");
            for was in &lease.was {
                let x = self.x(was.t);
                let _ = write!(self.out, "<path class=\"x\" stroke-dasharray=\"2 2\" d=\"M{x} {y}v{strip}\"/>");
            }
            if !lease.off {
                let x = self.x(to);
                let ink = if lease.end == LeaseEnd::Cut { "var(--r)" } else { "var(--i)" };
                let _ =
                    write!(self.out, "<path stroke=\"{ink}\" stroke-width=\"3\" d=\"M{x} {}v{}\"/>", y - 3, strip + 6);
            }
            let room = self.x(to) - self.x(lease.t);
            let token = view::cut(&lease.token, (room * 2 / 15).max(2) as usize - 1);
            self.text(self.x(lease.t) + 6, y + strip / 2 + 4, "class=\"b\"", if room > 30 { &token } else { "" });
            if lease.roomy && lease.end == LeaseEnd::Live {
                self.text(self.x(to) - 8, y + strip / 2 + 4, "text-anchor=\"end\"", &lease.left);
            }
            self.write("</g>");
        }
    }

    fn playhead(&mut self) {
        let picture = self.picture;
        if let Some((due, true)) = picture.due {
            let x = self.x(due);
            let bottom = self.bottom;
            let _ = write!(self.out, "<path stroke=\"var(--i)\" stroke-dasharray=\"3 3\" d=\"M{x} {AXIS}V{bottom}\"/>");
        }
        if picture.now_inside {
            let x = self.x(picture.now);
            let bottom = self.bottom;
            let _ = write!(
                self.out,
                "<path stroke=\"var(--i)\" stroke-width=\"2\" d=\"M{x} 26V{bottom}\"/>\
                 <rect x=\"{}\" y=\"6\" width=\"60\" height=\"20\" rx=\"2\" fill=\"var(--i)\"/>",
                x - 30
            );
            self.text(x, 20, "text-anchor=\"middle\" style=\"fill:var(--s)\"", &picture.now_text);
        }
    }
}
