
// The charts and the answer follow a slider while it moves, each slider by a view of its own. The server gives frames of its places
// ahead; here nothing is computed. What the server sends meanwhile waits until the slider rests.

// Milliseconds between two questions for frames that are not ready, and those for which a slider
// that was touched may still move.
const AGAIN = 500;
const INTEREST = 20000;

// Compressed bytes of frames that a slider keeps: of a large question those nearest to it.
const MOST_BYTES = 2e6;

// Milliseconds of rest before a place is drawn where less motion is asked for.
const REST = 250;

// From the place where the component lies to its views, by the key of the slider.
const followers = new WeakMap();

function sliderOf(view) {
  return document.querySelector(`.st-key-${view.data.slider} input[type=range]`);
}

function labelOf(view) {
  return sliderOf(view)?.getAttribute("aria-valuetext") ?? view.data.now;
}

// Streamlit writes the label late: it is read when the next picture is about to be drawn.
function noticed(view) {
  touched(view);
  if (view.waits) return;
  view.waits = true;
  const less = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const next = less ? (act) => setTimeout(act, REST) : requestAnimationFrame;
  next(() => {
    view.waits = false;
    if (!view.gone) move(view);
  });
}

// Shows the place under the finger: as the server has drawn it, else its frame, else that it is
// being worked out.
function move(view) {
  const label = labelOf(view);
  const place = view.data.labels.indexOf(label);
  if (label === view.data.now || place < 0) return rest(view);
  if (label === view.label || performance.now() > view.until) return;
  view.label = label;
  view.near = place;
  const frame = view.frames.get(place);
  if (frame) show(view, frame);
  else wait(view);
}

function show(view, frame) {
  working(view, false);
  say(view.answer, frame);
  for (const [key, part] of Object.entries(frame.charts)) hold(view, key, part);
  if (view.data.lines) hold(view, "frontier", { now: frame.ring });
  else frontier()?.toggleAttribute("data-lsc-working", true);
}

// Its lines are of other values than the one under the finger, unless that is their own axis.
function frontier() {
  return document.querySelector(".st-key-board_charts .st-key-frontier .lsc-plot");
}

function hold(view, key, part) {
  const chart = named.get(key);
  if (!chart) return;
  chart.held = true;
  view.held.add(chart);
  if (key === "frontier") {
    chart.message = { ...chart.sent, ...part };
    if (chart.shown) mark(chart, part.now);
  } else take(chart, { ...chart.sent, ...part });
}

// A place without a frame: what is shown is of another one, and says so.
function wait(view) {
  working(view, true);
  ask(view);
}

function working({ answer: { root }, label }, on) {
  document.querySelector(".st-key-board_charts")?.toggleAttribute("data-lsc-working", on);
  root.toggleAttribute("data-lsc-working", on);
  root.dataset.lscLive = "";
  root.dataset.place = label;
  behind(true);
}

// What the page says below its answer is of the place where the slider was.
function behind(on) {
  document.querySelector(".st-key-answer_state")?.toggleAttribute("data-lsc-behind", on);
}

// The server has drawn the place at which the slider rests: all that waited is shown.
function rest(view) {
  if (!view.label) return;
  view.label = null;
  working(view, false);
  frontier()?.removeAttribute("data-lsc-working");
  delete view.answer.root.dataset.lscLive;
  behind(false);
  say(view.answer, view.answer.sent);
  for (const chart of view.held) {
    chart.held = false;
    if (!chart.gone) take(chart, chart.sent);
  }
  view.held.clear();
}

function touched(view) {
  view.until = performance.now() + INTEREST;
  ask(view);
}

// Asks for frames, the nearest first, while somebody may move the slider.
async function ask(view) {
  const { address, labels } = view.data;
  if (view.asks || !address) return;
  view.asks = true;
  while (!view.gone && address === view.data.address && performance.now() < view.until) {
    const had = [...view.frames.keys()];
    if (had.length >= labels.length || (view.full && view.frames.has(view.near))) break;
    const response = await fetch(`${address}?near=${view.near}&had=${had.join(".")}`).catch(() => null);
    if (response?.status !== 200 || address !== view.data.address) break;
    const { frames, charts: parts } = await response.json();
    for (const [place, frame] of Object.entries(frames)) {
      frame.charts = Object.fromEntries(Object.entries(parts).map(([key, all]) => [key, all[place]]));
      frame.bytes = Number(response.headers.get("content-length")) / Object.keys(frames).length;
      view.frames.set(Number(place), frame);
    }
    forget(view);
    const under = view.label && view.frames.get(labels.indexOf(view.label));
    if (under && view.answer.root.hasAttribute("data-lsc-working")) show(view, under);
    if (view.full || !Object.keys(frames).length) await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
  view.asks = false;
  if (!view.gone && address !== view.data.address && performance.now() < view.until) ask(view);
}

// Drops the frames farthest from the slider where there is no room for all.
function forget(view) {
  const far = [...view.frames].sort(([a], [b]) => Math.abs(b - view.near) - Math.abs(a - view.near));
  let bytes = far.reduce((sum, [, frame]) => sum + frame.bytes, 0);
  while (bytes > MOST_BYTES && far.length > 1) {
    const [place, frame] = far.shift();
    bytes -= frame.bytes;
    view.frames.delete(place);
    view.full = true;
  }
}

function begin(view) {
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  const concerns = (event) => event.target.closest?.(`.st-key-${view.data.slider}`);
  view.observer = new MutationObserver((changes) => {
    const slider = sliderOf(view);
    if (changes.some(({ target }) => target === slider)) noticed(view);
  });
  if (sidebar) view.observer.observe(sidebar, { subtree: true, attributeFilter: ["aria-valuetext"] });
  view.touch = (event) => concerns(event) && touched(view);
  for (const kind of ["pointerover", "pointerdown", "focusin"]) document.addEventListener(kind, view.touch);
}

function end(view) {
  view.gone = true;
  view.observer.disconnect();
  for (const kind of ["pointerover", "pointerdown", "focusin"]) document.removeEventListener(kind, view.touch);
  rest(view);
}

// What the server says of a slider: the address of its frames, its key, the labels of its places as
// it says them, the one that the server has drawn last, and whether the frontier's lines stay.
function told(views, data, answer) {
  let view = views.get(data.slider);
  const anew = !view;
  if (anew) {
    view = { answer, frames: new Map(), held: new Set(), label: null, near: 0, until: 0, asks: false };
    views.set(data.slider, view);
  }
  // Another question's frames are of no use; those of a search that went on may be better now.
  if (view.data?.address !== data.address) {
    view.frames.clear();
    view.full = false;
  }
  for (const [place, frame] of view.frames) if (frame.open) view.frames.delete(place);
  view.data = data;
  view.near = Math.max(0, data.labels.indexOf(data.now));
  if (anew) begin(view);
  move(view);
}

function follow(sliders, parent, answer) {
  const views = followers.get(parent) ?? new Map();
  followers.set(parent, views);
  const ended = (stays) => {
    for (const [key, view] of views) {
      if (stays(key)) continue;
      end(view);
      views.delete(key);
    }
  };
  ended((key) => sliders.some(({ slider }) => slider === key));
  for (const one of sliders) told(views, one, answer);
  return () => ended(() => false);
}
