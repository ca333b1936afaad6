// P(s, x) of a table of two by two as four areas: the width of a column is P(s), the height of its
// lower part P(positive | s). Three borders can be dragged, or moved by arrow keys. The bars beside it
// move along at once; sliders and sentences follow: the server hears of the next place when the page
// shows the last one.
//
// It is drawn in the pixels of the page, so that text has the same size however wide the table is.

const NS = "http://www.w3.org/2000/svg";
const tables = new WeakMap();

// Sizes in pixels on the page, and in the projector view, which the last row must be able to read.
const PAGE = { text: 13, knob: 8, high: [210, 300], share: 0.8 };
const PROJECTED = { text: 22, knob: 13, high: [200, 900], share: 1 };
const EDGE = 12;
const LETTER = 0.54;
const LINE = 1.2;

// While the page says something of the table that it was.
const AHEAD = "data-lsc-ahead";

// Milliseconds between two looks at whether the page has followed, and those after which it is late.
const AGAIN = 80;
const LATE = 400;

// Room below the table in the projector view, beside the view's bar.
const BELOW = 24;

function part(name, attributes, parent) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

function build(parent) {
  const frame = document.createElement("div");
  frame.className = "lsc-frame"; // one of the charts that the projector view shows
  frame.dataset.chart = "learn_table";
  frame.dataset.title = "Drag the table";
  parent.append(frame);
  const svg = part("svg", {
    class: "lsc-drag", role: "group", "aria-label": "The table of illness and test result as four areas",
  }, frame);
  const table = { frame, svg, cells: {}, names: {}, heads: {}, handles: {}, now: {}, serial: 0 };
  for (const s of ["ill", "well"]) {
    for (const x of ["negative", "positive"]) {
      table.cells[`${s} ${x}`] = part("rect", { class: `lsc-${s}-${x}` }, svg);
    }
  }
  for (const name of Object.keys(table.cells)) table.names[name] = part("text", { "text-anchor": "middle" }, svg);
  for (const s of ["ill", "well"]) table.heads[s] = part("text", { "text-anchor": "middle" }, svg);
  for (const key of ["ill", "hit", "alarm"]) {
    const group = part("g", {
      role: "slider", tabindex: "0",
      "aria-orientation": key === "ill" ? "horizontal" : "vertical",
    }, svg);
    const lines = ["lsc-border", "lsc-grip"].map((name) => part("line", { class: name }, group));
    const knob = part("circle", { class: "lsc-knob" }, group);
    table.handles[key] = { group, lines, knob };
    listen(table, key, group);
  }
  table.foot = part("text", { class: "lsc-small", "text-anchor": "middle" }, svg);
  table.foot.textContent = "width: P(s); lower part: P(positive | s)";
  table.again = () => table.data && draw(table);
  frame.addEventListener("lsc-project", table.again);
  window.addEventListener("resize", table.again);
  table.observer = new ResizeObserver(() => frame.clientWidth !== table.drawn && table.again());
  table.observer.observe(frame);
  return table;
}

function bounded(table, key, value) {
  const { low, high, step } = table.data[key];
  const near = Math.round(value / step) * step;
  return Number(Math.min(high, Math.max(low, near)).toFixed(4));
}

function listen(table, key, group) {
  const move = (event) => {
    const box = table.svg.getBoundingClientRect();
    const { left, top, width, height } = table.area;
    const x = (event.clientX - box.left - left) / width;
    const y = (event.clientY - box.top - top) / height;
    table.now[key] = bounded(table, key, key === "ill" ? x : 1 - y);
    draw(table);
    moveBars(table);
  };
  group.addEventListener("pointerdown", (event) => {
    group.setPointerCapture(event.pointerId);
    table.dragged = key;
    follow(table);
    group.dataset.byHand = "";
    group.focus({ preventScroll: true });
    event.preventDefault();
  });
  // A finger drags the border, it does not scroll the page: browsers heed no touch-action in a picture.
  group.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  group.addEventListener("pointermove", (event) => {
    if (table.dragged === key) move(event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    group.addEventListener(end, () => {
      if (table.dragged !== key) return;
      table.dragged = null;
      tell(table);
      follow(table);
    });
  }
  // A key brings the frame that shows the focus; another window takes it away and gives it back.
  group.addEventListener("blur", () => document.activeElement !== group && delete group.dataset.byHand);
  group.addEventListener("keydown", (event) => {
    delete group.dataset.byHand;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { low, high, step } = table.data[key];
    const by = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step,
      PageUp: 10 * step, PageDown: -10 * step }[event.key];
    const to = { Home: low, End: high }[event.key];
    if (by === undefined && to === undefined) return;
    event.preventDefault();
    table.now[key] = bounded(table, key, to ?? table.now[key] + by);
    draw(table);
    moveBars(table);
    if (table.pressed === key) return;
    table.pressed = key;
    follow(table);
  });
  for (const end of ["keyup", "blur"]) {
    group.addEventListener(end, () => {
      if (table.pressed !== key) return;
      table.pressed = null;
      tell(table);
      follow(table);
    });
  }
}

// Each message has a number, which the server sends back with what it knows: so its answer to an
// earlier one is told from what comes later, and no step of a fast hand is lost.
function tell(table) {
  const message = JSON.stringify(table.now);
  if (message === table.reported) return;
  table.reported = message;
  table.serial += 1;
  table.since = performance.now();
  table.send("moved", { ...table.now, serial: table.serial });
}

// A run of the page that is asked for while another one is on its way ends that one: so only a page at
// rest, which shows what was last told, is told more. What has not followed for a while is marked.
function follow(table) {
  clearTimeout(table.waits);
  if (table.gone) return;
  const held = table.dragged || table.pressed;
  const app = document.querySelector("[data-testid=stApp]");
  if (held && table.shown === table.serial && app?.dataset.testScriptState === "notRunning") tell(table);
  const waits = table.shown !== table.serial;
  document.documentElement.toggleAttribute(AHEAD, waits && performance.now() - table.since > LATE);
  if (held || waits) table.waits = setTimeout(() => follow(table), AGAIN);
  else moveBars(table, null);
}

// The chart of beliefs shows the table under the finger until the server has drawn it.
function moveBars(table, make = (traces) => beliefs(table, traces)) {
  const chart = document.querySelector(`.lsc-frame[data-chart="${table.chart}"]`);
  chart?.dispatchEvent(new CustomEvent("lsc-follow", { detail: make }));
}

// P(s) and P(s | the result seen), by Bayes' rule; after a result that never comes there is no belief.
function beliefs({ now: { ill, hit, alarm }, seen }, [before, after]) {
  const prior = [ill, 1 - ill];
  const likely = seen === "positive" ? [hit, alarm] : [1 - hit, 1 - alarm];
  const share = prior[0] * likely[0] + prior[1] * likely[1];
  const lifts = likely.map((chance) => (share > 0 ? chance / share : null));
  const changes = lifts.map((lift) => (lift ? `×${Number(lift.toPrecision(3))}` : "ruled out"));
  return [
    { ...before, x: prior },
    { ...after, x: prior.map((share, s) => lifts[s] === null ? null : share * lifts[s]),
      customdata: after.customdata.map(([name], s) => [name, changes[s]]) },
  ];
}

function take(table, { serial, ...values }) {
  table.shown = serial;
  if (serial < table.serial) return;
  table.serial = serial;
  if (table.dragged || table.pressed) return;
  table.now = values;
  table.reported = JSON.stringify(values);
}

function percent(share) {
  return `${Number((100 * share).toFixed(1))}%`;
}

// A part of the whole in tenths of a percent, rounded so that the parts add up: what is not 0 is not
// written as if it were.
function written(tenths, share) {
  return tenths === 0 && share > 0 ? "<0.1%" : percent(tenths / 1000);
}

function place(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
}

// The whole table in pixels: as wide as there is room for, and in the projector view as high.
function measured(table) {
  const projected = table.frame.dataset.projected !== undefined;
  const size = projected ? PROJECTED : PAGE;
  const wide = table.frame.clientWidth || 320;
  const [least, most] = size.high;
  const bar = document.querySelector(".lsc-projector")?.offsetHeight || 0;
  const window_ = innerHeight - table.frame.getBoundingClientRect().top - bar - BELOW;
  const high = Math.min(most, Math.max(least, projected ? window_ : size.share * wide));
  const top = 1.6 * size.text;
  return { ...size, wide, high, left: EDGE, top, width: wide - 2 * EDGE, height: high - top - 2 * size.text };
}

// The lines that a label has room for: in one, in two, the number alone, or none.
function fitting(words, number, width, height, text) {
  const fits = (lines) => Math.max(...lines.map((line) => line.length)) * LETTER * text < width - 6
    && lines.length * LINE * text <= height;
  return [[`${words} ${number}`], [words, number], [number]].find(fits) || [];
}

function write(element, lines, x, y, text) {
  element.replaceChildren();
  lines.forEach((line, at) => {
    const first = y + 0.35 * text - ((lines.length - 1) * LINE * text) / 2;
    part("tspan", { x, y: first + at * LINE * text }, element).textContent = line;
  });
}

// A label keeps clear of the knob on its area's border: in the area's free part, else beside it.
function label(table, element, box, words, number) {
  const { text, knob } = table.area;
  const clear = knob + 3;
  const lines = fitting(words, number, box.width, box.height - clear, text);
  if (lines.length) {
    write(element, lines, box.x + box.width / 2, box.y + (box.height + (box.knobAbove ? clear : -clear)) / 2, text);
    return;
  }
  const beside = box.width / 2 - clear;
  write(element, fitting(words, number, beside, box.height, text), box.x + beside / 2, box.y + box.height / 2, text);
}

function draw(table) {
  const area = (table.area = measured(table));
  table.drawn = table.frame.clientWidth;
  place(table.svg, { width: area.wide, height: area.high, viewBox: `0 0 ${area.wide} ${area.high}` });
  table.svg.style.setProperty("--lsc-text", `${area.text}px`);
  const { ill, hit, alarm } = table.now;
  const columns = {
    ill: { x: area.left, width: area.width * ill, share: ill, positive: hit },
    well: { x: area.left + area.width * ill, width: area.width * (1 - ill), share: 1 - ill, positive: alarm },
  };
  columns.ill.tenths = Math.round(1000 * ill);
  columns.well.tenths = 1000 - columns.ill.tenths;
  for (const [s, column] of Object.entries(columns)) {
    const up = area.height * (1 - column.positive);
    const positive = Math.round(column.tenths * column.positive);
    const parts = {
      negative: { y: area.top, height: up, share: 1 - column.positive, tenths: column.tenths - positive, knobAbove: false },
      positive: { y: area.top + up, height: area.height - up, share: column.positive, tenths: positive, knobAbove: true },
    };
    for (const [x, { share, tenths, ...box }] of Object.entries(parts)) {
      const name = `${s} ${x}`;
      place(table.cells[name], { x: column.x, y: box.y, width: column.width, height: box.height });
      label(table, table.names[name], { ...box, x: column.x, width: column.width }, `${s}, ${x}`, written(tenths, column.share * share));
    }
    table.heads[s].textContent = `${s} ${written(column.tenths, column.share)}`;
  }
  heads(table, columns);
  place(table.foot, { x: area.wide / 2, y: area.high - 0.5 * area.text });
  handles(table, columns);
  table.svg.dataset.now = [ill, hit, alarm].join(" ");
}

// Each head in the middle of its column, moved so far that both are whole and apart.
function heads(table, columns) {
  const { text, wide } = table.area;
  const half = (s) => (table.heads[s].textContent.length * LETTER * text) / 2 + 4;
  const middle = (s) => columns[s].x + columns[s].width / 2;
  let ill = Math.max(half("ill"), middle("ill"));
  let well = Math.min(wide - half("well"), middle("well"));
  if (well - ill < half("ill") + half("well")) {
    if (columns.ill.width < columns.well.width) well = ill + half("ill") + half("well");
    else ill = well - half("ill") - half("well");
  }
  place(table.heads.ill, { x: ill, y: text });
  place(table.heads.well, { x: well, y: text });
}

function handles(table, columns) {
  const { area } = table;
  const across = (s) => [columns[s].x, columns[s].x + columns[s].width];
  const level = (share) => area.top + area.height * (1 - share);
  const [left, right] = [across("ill"), across("well")];
  const ends = {
    ill: [right[0], area.top, right[0], area.top + area.height],
    hit: [left[0], level(table.now.hit), left[1], level(table.now.hit)],
    alarm: [right[0], level(table.now.alarm), right[1], level(table.now.alarm)],
  };
  for (const [key, [x1, y1, x2, y2]] of Object.entries(ends)) {
    const { group, lines, knob } = table.handles[key];
    for (const line of lines) place(line, { x1, y1, x2, y2 });
    place(knob, { cx: (x1 + x2) / 2, cy: (y1 + y2) / 2, r: area.knob });
    const { title, low, high } = table.data[key];
    place(group, {
      "aria-label": title, "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": table.now[key],
      "aria-valuetext": percent(table.now[key]),
    });
  }
}

function remove(table) {
  table.gone = true;
  table.observer.disconnect();
  window.removeEventListener("resize", table.again);
  document.documentElement.removeAttribute(AHEAD);
}

export default function ({ data, parentElement, setTriggerValue }) {
  let table = tables.get(parentElement);
  if (!table) {
    table = build(parentElement);
    tables.set(parentElement, table);
  }
  const { serial, chart, seen, ...borders } = data;
  Object.assign(table, { chart, seen, data: borders });
  table.send = setTriggerValue;
  const values = Object.entries(borders).map(([key, column]) => [key, column.value]);
  take(table, { serial, ...Object.fromEntries(values) });
  draw(table);
  // Streamlit also calls this where a newer message overtook this one: the table is then in use.
  return () => {
    if (!parentElement.isConnected) remove(table);
  };
}
