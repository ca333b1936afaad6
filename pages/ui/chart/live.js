
// The charts and the answer follow a slider while it moves, each slider by a view of its own. The server gives frames of its places
// ahead; here nothing is computed. What the server sends meanwhile waits until the slider rests.

// Milliseconds between two questions for frames that are not ready, and for that under the finger
// at first, twice as many each time once it has one that may improve,
// and those for which a slider that was touched may still move.
const AGAIN = 500;
const SOON = 100;
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

// Streamlit writes the label late: it is read when the next picture is about to be drawn. Where less
// motion is asked for, nothing is drawn before the slider rests.
function noticed(view) {
  touched(view);
  const next = () => {
    view.waits = null;
    if (!view.gone) move(view);
  };
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    clearTimeout(view.waits);
    view.waits = setTimeout(next, REST);
  } else view.waits ??= requestAnimationFrame(next);
}

// Shows the place under the finger: as the server has drawn it, else its frame, else that it is
// being worked out.
function move(view) {
  const label = labelOf(view);
  const place = view.data.labels.indexOf(label);
  if (label === view.data.now || place < 0) return rest(view);
  if (label === view.label || (view.label === null && performance.now() > view.until)) return;
  view.label = label;
  view.near = place;
  view.pause = SOON;
  show(view);
}

// What no frame of the place has is of another one, and says so.
const NOTHING = { answers: {}, charts: {} };

function show(view) {
  const frame = view.frames.get(view.near);
  working(view, !frame || frame.old ? NOTHING : frame);
  if (view.works) {
    ask(view);
    view.again?.();
  }
  if (!frame) return;
  for (const [name, answer] of Object.entries(frame.answers)) if (spoken.has(name)) say(spoken.get(name), answer);
  for (const chart of view.held) if (!(chart.message.chart in frame.charts)) free(view, chart);
  for (const [key, part] of Object.entries(frame.charts)) hold(view, key, part);
}

function hold(view, key, part) {
  const chart = named.get(key);
  if (!chart?.sent) return;
  chart.held = true;
  view.held.add(chart);
  const message = { ...chart.sent, ...part };
  if ("tail" in part) message.data = tailed(chart.sent, part.tail);
  take(chart, message);
  if (chart.shown?.serial === message.serial) mark(chart, part.now); // its ring alone
}

// A chart that another part of the page moves shows what that makes of the data it was sent; with
// none, what was sent.
const moved = { held: new Set() };

function followed(chart, make) {
  if (!chart.sent) return;
  const { chart: key, data } = chart.sent;
  if (make) hold(moved, key, { data: JSON.stringify(make(JSON.parse(data))), serial: `moved ${(moved.serial = (moved.serial || 0) + 1)}` });
  else if (moved.held.has(chart)) free(moved, chart);
}

// What was sent of a chart, with other traces in the place of its last ones.
function tailed({ data, tail }, traces) {
  const all = JSON.parse(data);
  return JSON.stringify([...all.slice(0, all.length - tail), ...traces]);
}

function free(view, chart) {
  view.held.delete(chart);
  chart.held = false;
  if (chart.gone) return;
  take(chart, chart.sent);
  if (chart.shown) mark(chart, chart.sent.now);
}

function working(view, frame) {
  view.works = frame === NOTHING || frame.open;
  for (const [name, { root }] of answersOf(view)) {
    root.toggleAttribute("data-lsc-working", !(name in frame.answers));
    if (!("lscLive" in root.dataset)) root.style.minHeight = `${root.offsetHeight}px`;
    root.dataset.lscLive = "";
    root.dataset.place = view.label;
  }
  for (const key of view.data.charts) dim(key, !(key in frame.charts));
  behind(view, true);
}

function answersOf(view) {
  return view.data.answers.filter((name) => spoken.has(name)).map((name) => [name, spoken.get(name)]);
}

function dim(key, on) {
  named.get(key)?.frame.toggleAttribute("data-lsc-working", on);
}

// What the page says elsewhere of the place where the slider was, in the field beside it too.
function behind(view, on) {
  const field = sliderOf(view)?.closest("[class*=st-key-row_]")?.querySelector(".stNumberInput");
  field?.toggleAttribute("data-lsc-behind", on);
  for (const key of view.data.behind) document.querySelector(`.st-key-${key}`)?.toggleAttribute("data-lsc-behind", on);
}

// The server has drawn the place at which the slider rests: all that waited is shown.
function rest(view) {
  if (view.label === null) return;
  view.label = null;
  view.works = false;
  for (const key of view.data.charts) dim(key, false);
  behind(view, false);
  for (const [, shown] of answersOf(view)) {
    shown.root.removeAttribute("data-lsc-working");
    delete shown.root.dataset.lscLive;
    say(shown, shown.sent);
  }
  for (const chart of [...view.held]) free(view, chart);
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
  await plotly().catch(() => null); // on a slow line frames would hold up what draws them
  const wanted = () => view.works || performance.now() < view.until;
  const final = (place) => view.frames.get(place)?.open === false;
  while (!view.gone && address === view.data.address && wanted()) {
    if (view.full ? final(view.near) : labels.every((_, place) => final(place))) break;
    const had = [...view.frames].map(([place, { version }]) => (version ? `${place}-${version}` : place));
    const { data, near } = view;
    const response = await fetch(`${address}?near=${near}&had=${had.join(".")}`).catch(() => null);
    if (response?.status !== 200 || address !== view.data.address) break;
    const { frames, charts: parts } = await response.json();
    const came = Object.entries(frames);
    for (const [place, frame] of came) {
      frame.charts = Object.fromEntries(Object.entries(parts).filter(([, all]) => place in all).map(([key, all]) => [key, all[place]]));
      frame.bytes = Number(response.headers.get("content-length")) / came.length;
      view.frames.set(Number(place), frame);
    }
    // the nearer ones were looked at too; asked before the server's last message, as they were before
    const looked = came.length ? Math.max(...came.map(([place]) => Math.abs(place - near))) : Infinity;
    if (data === view.data) for (const [place, frame] of view.frames) if (Math.abs(place - near) < looked) frame.old = false;
    forget(view);
    if (view.label && view.works && view.frames.has(view.near)) show(view);
    if (view.full || !came.length) await new Promise((resolve) => { view.again = resolve; setTimeout(resolve, pause(view)); });
  }
  view.asks = false;
  if (!view.gone && address !== view.data.address && wanted()) ask(view);
}

function pause(view) {
  if (!view.works) return AGAIN;
  if (!view.frames.has(view.near)) return SOON;
  const now = view.pause;
  view.pause = Math.min(2 * now, AGAIN);
  return now;
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
  const concerns = (event) => event.target.closest?.(`.st-key-${view.data.slider}`);
  view.observer = new MutationObserver((changes) => {
    const slider = sliderOf(view);
    if (changes.some(({ target }) => target === slider)) noticed(view);
  });
  view.observer.observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext"] });
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
// it says them, and the one that the server has drawn last; the names of the answers and the charts
// that follow it, and of what else then is behind.
function update(views, data) {
  let view = views.get(data.slider);
  const anew = !view;
  if (anew) {
    view = { frames: new Map(), held: new Set(), label: null, near: 0, until: 0, asks: false, pause: AGAIN };
    views.set(data.slider, view);
  }
  // Another question's frames are of no use; those of a search that went on may be better now.
  if (view.data?.address !== data.address) {
    view.frames.clear();
    view.full = false;
    for (const [, { root }] of view.data ? answersOf(view) : []) root.style.minHeight = "";
  }
  for (const frame of view.frames.values()) frame.old = frame.open;
  if (view.label !== null) view.label = ""; // the place under the finger is shown anew
  view.data = data;
  view.near = Math.max(0, data.labels.indexOf(data.now));
  if (anew) begin(view);
  move(view);
  view.again?.();
}

function follow(sliders, parent) {
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
  for (const slider of sliders) update(views, slider);
  return () => ended(() => false);
}
