//! Wheel and drag on the picture: they move its window and change its length.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Event, PointerEvent, WheelEvent};

use super::events::closest;
use super::page::Page;
use crate::app::{Msg, Zoom};

/// How far a pointer goes before it drags, in pixels; less is a click.
const SLOP_PX: f64 = 4.0;
/// A line of the wheel in pixels, for mice that turn by lines.
const LINE_PX: f64 = 16.0;
/// How many pixels of the wheel make the window e times as long.
const ZOOM_PX: f64 = 400.0;

/// A pointer that is held down on the picture.
pub(super) struct Drag {
    pointer: i32,
    /// Where it went down.
    x: f64,
    /// Whether it has gone far enough to be no click.
    moving: bool,
    /// Where it was told of last.
    last_x: f64,
}

/// Control and the wheel, which is also what pinching a trackpad sends, make the window longer or shorter; to the side, or
/// with Shift, they move it. The wheel alone scrolls the page, which may be somebody else's.
pub(super) fn wheel(page: &Rc<Page>, event: &Event) {
    let Some(event) = event.dyn_ref::<WheelEvent>() else { return };
    let unit_px = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE { LINE_PX } else { 1.0 };
    let (dx, dy) = (event.delta_x() * unit_px, event.delta_y() * unit_px);
    let sideways = if event.shift_key() && dx == 0.0 { dy } else { dx };
    let plot = page.refs.leases.get_bounding_client_rect();
    let zoom = if event.ctrl_key() {
        let at = (f64::from(event.client_x()) - plot.left()) / plot.width().max(1.0);
        page.with_stage(|stage| stage.zoomed((-dy / ZOOM_PX).exp(), at.clamp(0.0, 1.0)))
    } else if sideways != 0.0 && (event.shift_key() || dx.abs() > dy.abs()) {
        page.with_stage(|stage| (!stage.is_whole()).then(|| stage.panned(sideways / plot.width().max(1.0)))).flatten()
    } else {
        None
    };
    if let Some(zoom) = zoom {
        event.prevent_default();
        see(page, zoom);
    }
}

/// A pointer goes down on the picture.
pub(super) fn down(page: &Rc<Page>, event: &Event) {
    let Some(event) = event.dyn_ref::<PointerEvent>() else { return };
    let part = page.with_stage(|stage| !stage.is_whole()).unwrap_or(false);
    if !part || event.button() != 0 || !event.is_primary() || closest(event, "input, .head").is_some() {
        return;
    }
    let x = f64::from(event.client_x());
    page.drag.replace(Some(Drag { pointer: event.pointer_id(), x, moving: false, last_x: x }));
}

/// It moves: the picture goes with it.
pub(super) fn moved(page: &Rc<Page>, event: &Event) {
    let Some(event) = event.dyn_ref::<PointerEvent>() else { return };
    let mut held = page.drag.borrow_mut();
    let Some(drag) = held.as_mut().filter(|drag| drag.pointer == event.pointer_id()) else { return };
    let x = f64::from(event.client_x());
    if !drag.moving && (x - drag.x).abs() < SLOP_PX {
        return;
    }
    if !drag.moving {
        // From here on no mark below is clicked. A pointer that is gone cannot be captured, and will not move again.
        let _ = page.refs.lanes.set_pointer_capture(drag.pointer);
        drag.moving = true;
    }
    let lengths = (drag.last_x - x) / f64::from(page.refs.leases.client_width()).max(1.0);
    drag.last_x = x;
    drop(held);
    if let Some(zoom) = page.with_stage(|stage| stage.panned(lengths)) {
        see(page, zoom);
    }
}

/// It is let go, or taken by the browser, which scrolls.
pub(super) fn up(page: &Rc<Page>, _: &Event) {
    page.drag.take();
}

fn see(page: &Rc<Page>, zoom: Zoom) {
    page.send(Msg::Zoom(zoom));
}
