// One Plotly chart that stays where it is: a new figure is drawn into the old one.
//
// st.plotly_chart takes a changed figure for another element and builds the chart anew, which
// takes four times as long and flickers. This component keeps the chart and its axes, puts the
// theme's colours in the place of a figure's markers, exports without a server, and tells which
// point was clicked.

const PALETTES = __PALETTES__;
const PLOTLY = new URL("__PLOTLY__", document.baseURI).href;

const INK = "__INK__";

// Below this width a figure takes what it set apart for narrow screens.
const NARROW = 440;

// once for all charts, after Streamlit's own styles
const style = document.createElement("style");
style.textContent = __STYLE__;
document.body.append(style);

const decoder = new TextDecoder();
const charts = new WeakMap();

// Charts on the page by their name, for boards and for the menus of their cards.
const named = new Map();

// What a board sent of its charts, by name, with the board's own answer to a click.
const given = new Map();

// The places of a board's answers on the page, and what it sent of each, by name.
const spoken = new Map();
const received = new Map();

// Least height of a chart that fills its card, and of one that ends with the window.
const LEAST = 90;
const LOW = 180;

// Milliseconds after which a picture is painted, with those charts under a slider that are drawn.
const TOGETHER = 20;

// Height of the row below a chart that saves it.
const BAR = __BAR__;

function plotly() {
  if (!window.liftscopePlotly) {
    window.liftscopePlotly = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = PLOTLY;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => reject(new Error("The charts' program could not be loaded."));
      document.head.appendChild(script);
    });
  }
  return window.liftscopePlotly;
}

function isDark(element) {
  const paper = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
  const hex = paper.replace("#", "");
  const [r, g, b] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}

function coloured(json, dark, strong) {
  const roles = PALETTES[(strong ? "strong_" : "") + (dark ? "dark" : "light")];
  return json.replace(/#00fe[0-9a-f]{2}/g, (marker) => roles[marker]);
}

function build(parent, fills) {
  const frame = document.createElement("div");
  frame.className = fills ? "lsc-frame lsc-fills" : "lsc-frame";
  const plot = document.createElement("div");
  plot.className = "lsc-plot stPlotlyChart";
  plot.dataset.testid = "stPlotlyChart";
  plot.setAttribute("role", "img");
  frame.append(plot);
  parent.appendChild(frame);
  const chart = { frame, plot, fills, shown: null, dark: null, anew: false, waits: false, gone: false };
  chart.drawing = Promise.resolve();
  const bar = document.createElement("div");
  bar.className = fills ? "lsc-bar lsc-corner" : "lsc-bar";
  frame.append(bar);
  termsList(chart, bar);
  if (!fills) savingMenu(chart, bar); // a board has that in the menu of its card
  frame.addEventListener("lsc-project", () => chart.shown && draw(chart, true));
  frame.addEventListener("lsc-follow", ({ detail }) => followed(chart, detail));
  chart.observer = new ResizeObserver(() => resize(chart));
  chart.observer.observe(frame);
  sight.observe(frame);
  return chart;
}

function resize(chart) {
  const width = chart.frame.clientWidth;
  if (!chart.shown || !width) return;
  const height = isAlone(chart) ? chart.height : room(chart);
  if (width === chart.width && height === chart.height) return;
  // until it is drawn, as when the words above it take one more line: else its lower axis is cut
  if (chart.fills && height < chart.height) chart.plot.style.transform = `scaleY(${height / chart.height})`;
  draw(chart, true);
}

// In the projector view, by itself.
function isAlone({ frame }) {
  return frame.dataset.projected === "chart";
}

// The height of a chart: what is left in the card that it fills, else its own, but for one of a
// page's first charts no more than the window has below what stands above it.
function room({ fills, frame, message }) {
  if (fills) return Math.max(LEAST, frame.clientHeight);
  const above = parseFloat(getComputedStyle(frame).getPropertyValue("--lsc-above"));
  const left = Math.max(LOW, innerHeight - above - BAR);
  return above && left < message.height ? left : message.height;
}

addEventListener("resize", () => {
  for (const chart of named.values()) resize(chart);
});

// A figure in its room: where it is lower than its own height, or too narrow for names on its sides, without what has no room there; with fewer names where they would touch.
// `k`: how large its text is, for a page's.
function fitted(made, chart, k) {
  const { layout, low } = made;
  layout.height = room(chart);
  const isLow = low && (layout.height < k * low.below || chart.width < k * low.narrower);
  if (isLow) {
    for (const [name, value] of Object.entries(low.layout || {})) {
      const both = value && typeof value === "object" && !Array.isArray(value);
      layout[name] = both ? { ...layout[name], ...value } : value;
    }
  }
  if (k > 1) grown({ data: made.data, layout }, k, k * DESIGNED.text, "");
  // marks stay small
  if (isLow) for (const [place, change] of Object.entries(low.data || {})) Object.assign(made.data[place], change);
  for (const [name, axis] of Object.entries(layout)) {
    const upright = /^yaxis/.test(name);
    const slanted = /^xaxis/.test(name) && axis.tickangle && chart.width;
    if (!axis.tickfont || !(upright || slanted)) continue;
    const [first, last] = axis.domain || [0, 1];
    const { l, r, t, b } = layout.margin;
    thinned(axis, (upright ? layout.height - t - b : chart.width - l - r) * (last - first));
  }
}

// The names of each cell of a table: those of its row and of its column.
function cells([rows, columns]) {
  return rows.map((row) => columns.map((column) => [row, column]));
}

function figure(chart, strong) {
  const { data, layout, low } = chart.message;
  const made = JSON.parse(coloured(`{"data":${data},"layout":${layout},"low":${low}}`, chart.dark, strong));
  for (const trace of made.data) if (trace.names) trace.customdata = cells(trace.names);
  const style = getComputedStyle(chart.frame);
  made.layout.font = { family: style.getPropertyValue("--st-font"), ...made.layout.font };
  return made;
}

// The ring around the point that is set now, and a dashed line down to its place on the axis:
// laid over the figure, since Plotly would draw all of it anew for a moved shape.
function mark(chart, now) {
  for (const part of [chart.ring, chart.line]) if (part) part.hidden = !now;
  if (!now) return;
  if (!chart.ring) {
    chart.ring = document.createElement("div");
    chart.ring.className = "lsc-ring";
    chart.line = document.createElement("div");
    chart.line.className = "lsc-line";
    chart.frame.append(chart.line, chart.ring);
  }
  const { xaxis, yaxis } = chart.plot._fullLayout;
  const x = xaxis._offset + xaxis.l2p(now[0]);
  const y = yaxis._offset + yaxis.l2p(now[1]);
  chart.ring.style.transform = `translate(${x}px, ${y}px)`;
  chart.ring.dataset.now = now.join(" ");
  chart.line.style.transform = `translateX(${x}px)`;
  chart.line.style.top = `${yaxis._offset}px`;
  chart.line.style.height = `${yaxis._length}px`;
}

// The charts that wait to be drawn. Each is a task of its own, so that the browser shows figures and
// other charts and follows the mouse in between; those in sight come first. Of those that follow a
// slider as many are in one picture as are drawn soon. What comes while a chart waits takes the
// place of what it waited for. One drawing at a time: Plotly fails where two of one chart overlap.
const waiting = [];
let drawing = false;

function draw(chart, anew) {
  chart.anew ||= anew;
  if (chart.waits) return;
  chart.waits = true;
  waiting.push(chart);
  if (!drawing) drawWaiting();
}

async function drawWaiting() {
  drawing = true;
  let began = performance.now();
  while (waiting.length) {
    const follows = waiting.some(({ held, frame }) => held && inSight.has(frame));
    if (!follows || performance.now() > began + TOGETHER) {
      await nextTask();
      began = performance.now();
    }
    const seen = waiting.findIndex(({ frame }) => inSight.has(frame));
    const chart = waiting.splice(Math.max(0, seen), 1)[0];
    chart.waits = false;
    chart.drawing = drawNow(chart);
    await chart.drawing.catch((error) => setTimeout(() => { throw error; }));
  }
  drawing = false;
}

const channel = new MessageChannel();
const turns = [];
channel.port1.onmessage = () => turns.shift()();

// A timer would wait for a second in a page that is not looked at.
function nextTask() {
  return new Promise((resolve) => {
    turns.push(resolve);
    channel.port2.postMessage(null);
  });
}

// Which charts are in sight, told by the browser after it has laid the page out: to ask for places
// would have it lay out the page for each chart.
const inSight = new WeakSet();
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) inSight[isIntersecting ? "add" : "delete"](target);
});

async function drawNow(chart) {
  const Plotly = await plotly();
  if (chart.gone) return;
  const { anew, message, shown } = chart;
  chart.anew = false;
  if (anew || !shown || shown.data !== message.data || shown.layout !== message.layout) {
    const projected = chart.frame.dataset.projected !== undefined;
    const made = figure(chart, projected);
    chart.width = chart.frame.clientWidth || undefined;
    const k = projected && !isAlone(chart) ? together() : 1;
    if (isAlone(chart)) enlarge(made, chart);
    else fitted(made, chart, k);
    chart.height = made.layout.height;
    chart.plot.style.height = `${made.layout.height}px`;
    chart.plot.style.transform = "";
    made.layout.width = chart.width;
    // a finger scrolls the page: it draws no box to zoom into
    if (matchMedia("(pointer: coarse)").matches) made.layout.dragmode = false;
    if (chart.width < k * NARROW) {
      for (const trace of made.data) if (trace.meta && trace.meta.narrow) Object.assign(trace, trace.meta.narrow);
    }
    await Plotly.react(chart.plot, made.data, made.layout, { displayModeBar: false, doubleClick: made.layout.dragmode ? "reset" : false });
  }
  mark(chart, message.now);
  explain(chart);
  chart.shown = message;
  if (!chart.listening) {
    chart.listening = true;
    chart.plot.on("plotly_click", (event) => clicked(chart, event));
  }
  chart.plot.dataset.drawn = message.serial;
}

async function remove(chart) {
  chart.gone = true;
  if (named.get(chart.message.chart) === chart) named.delete(chart.message.chart);
  chart.observer.disconnect();
  sight.unobserve(chart.frame);
  await chart.drawing.catch(() => {});
  if (window.Plotly) window.Plotly.purge(chart.plot);
}

function clicked(chart, event) {
  const point = event.points && event.points[0];
  if (!point || !chart.pick || !Array.isArray(point.data.meta)) return;
  chart.pick("picked", { x: point.x, at: point.pointNumber, key: point.data.meta });
}

export default function ({ data, parentElement, setTriggerValue }) {
  const message = JSON.parse(decoder.decode(data));
  let chart = charts.get(parentElement);
  if (!chart) {
    chart = build(parentElement, message.fills);
    charts.set(parentElement, chart);
  }
  named.set(message.chart, chart);
  chart.message ??= message;
  const part = message.place ? given.get(message.chart) : { message, pick: setTriggerValue };
  if (part) hand(chart, part);
  else chart.frame.hidden = !chart.sent;
  // Streamlit also calls this where a newer message overtook this one: the chart is then in use.
  return () => {
    if (!parentElement.isConnected) remove(chart);
  };
}

function hand(chart, { message, pick }) {
  chart.frame.hidden = false;
  chart.pick = message.pickable ? pick : null;
  chart.sent = message;
  // While a slider moves the chart shows the frame of the place under the finger.
  if (!chart.held) take(chart, message);
}

// A board: its answers and its charts, each drawn in its place, and what follows its sliders.
export function board({ data, parentElement, setTriggerValue }) {
  const { answers: sent, charts: parts, sliders } = JSON.parse(decoder.decode(data));
  spoken.set("", answerOf(parentElement));
  received.clear();
  for (const [name, answer] of Object.entries(sent)) {
    received.set(name, answer);
    if (spoken.has(name)) tell(spoken.get(name), answer);
  }
  const before = [...given.keys()];
  given.clear();
  for (const message of parts) {
    const part = { message, pick: setTriggerValue };
    given.set(message.chart, part);
    if (named.has(message.chart)) hand(named.get(message.chart), part);
  }
  for (const name of before) if (!given.has(name) && named.has(name)) named.get(name).frame.hidden = true;
  const ended = follow(sliders, parentElement);
  return () => {
    if (parentElement.isConnected) return;
    given.clear();
    received.clear();
    ended();
  };
}

// A place for an answer of a board.
export function words({ data, parentElement }) {
  const shown = answerOf(parentElement);
  spoken.set(data.words, shown);
  if (received.has(data.words)) tell(shown, received.get(data.words));
  return () => {
    if (!parentElement.isConnected && spoken.get(data.words) === shown) spoken.delete(data.words);
  };
}

// While a slider moves an answer is that of the place under the finger.
function tell(shown, answer) {
  shown.sent = answer;
  if (!("lscLive" in shown.root.dataset)) say(shown, answer);
}

// Shows what the server sent of a chart, or a frame of it.
function take(chart, message) {
  const dark = isDark(chart.frame);
  const anew = dark !== chart.dark;
  chart.message = message;
  chart.plot.dataset.requested = message.serial;
  chart.dark = dark;
  if (anew || !chart.shown || chart.shown.serial !== message.serial) {
    chart.plot.setAttribute("aria-label", message.alt);
    // the card around it, so that its “table” and “formulas” are announced with what they are of
    const card = chart.frame.closest("[class*='st-key-card_']");
    if (card) {
      card.setAttribute("role", "group");
      card.setAttribute("aria-label", message.title);
    }
    chart.plot.classList.toggle("lsc-pickable", message.pickable);
    chart.frame.classList.toggle("lsc-faded", message.faded);
    chart.frame.dataset.chart = message.chart;
    chart.frame.dataset.title = message.title;
    if (chart.frame.dataset.projected === undefined && !chart.fills) chart.plot.style.height = `${room(chart)}px`;
    draw(chart, anew);
  }
}

// What saves some charts of the page as files, and the list of their symbols: for a menu.
export function saving({ data, parentElement }) {
  const parts = Object.entries(data.charts).flatMap(([name, title]) => {
    const chart = named.get(name);
    if (!chart?.shown) return [];
    const bar = document.createElement("div");
    bar.className = "lsc-bar lsc-saving";
    bar.dataset.saves = name;
    bar.append(Object.assign(document.createElement("span"), { textContent: title }));
    savingMenu(chart, bar);
    return [bar];
  });
  const terms = new Map(Object.keys(data.charts).flatMap((name) => named.get(name)?.message.terms || []));
  const list = document.createElement("dl");
  list.className = "lsc-symbols";
  list.append(...termEntries([...terms]));
  parentElement.replaceChildren(...parts, list);
}
