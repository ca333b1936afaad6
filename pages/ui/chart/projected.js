// How a figure is drawn in the projector view: as large as the window allows.

// The least text of the projector view, in pixels, that the last row can read; the width and the
// least text that figures are made for; and the room below a figure, beside the view's bar.
const LEGIBLE = 18;
const DESIGNED = { width: 760, text: 11 };
const BELOW = 20;
const LOWEST = 300;

// The window whose board has text that the last row can just read.
const SMALLEST = { width: 1280, height: 720 };

// A window narrower than this is held in a hand: its text is as large as on the page.
const HELD = 640;

// Width of a letter and height of a line, as shares of a text's size.
const LETTER_SHARE = 0.54;
const LINE_SHARE = 1.2;

// Lengths of a figure in pixels, wherever they stand in it.
const LENGTHS = new Set(["standoff", "ax", "ay", "xshift", "yshift", "borderpad", "ticklen", "thickness", "xpad", "ypad", "pad", "gridwidth", "zerolinewidth", "nodewidth"]);
const LINES = new Set(["line", "marker", "error_x", "error_y", "connector"]);

function times(value, k) {
  return Array.isArray(value) ? value.map((item) => times(item, k)) : typeof value === "number" ? value * k : value;
}

function lettered(words, k, least) {
  if (typeof words !== "string") return words;
  return words.replace(/font-size:([\d.]+)px/g, (_, size) => `font-size:${Math.max(least, size * k)}px`);
}

// All that is measured in pixels, k times as large; no text below what the last row can read.
function grown(part, k, least, name) {
  if (Array.isArray(part)) {
    if (part.some((item) => item && typeof item === "object" && !Array.isArray(item))) part.forEach((item) => grown(item, k, least, name));
    return;
  }
  if (/font$/.test(name)) {
    if (typeof part.size === "number") part.size = Math.max(least, part.size * k);
    return;
  }
  for (const [key, value] of Object.entries(part)) {
    if (key === "text") part[key] = Array.isArray(value) ? value.map((item) => lettered(item, k, least)) : lettered(value, k, least);
    else if ((key === "ax" || key === "ay") && (part[`${key}ref`] || "pixel") !== "pixel") continue;
    else if (LENGTHS.has(key) || (LINES.has(name) && (key === "size" || key === "width"))) part[key] = times(value, k);
    else if (key === "margin") for (const side of ["l", "r", "t", "b", "pad"]) value[side] = (value[side] || 0) * k;
    else if (value && typeof value === "object" && key !== "meta") grown(value, k, least, key);
  }
}

// Names on an upright axis stand apart by more than their height, or every second, third… stays.
function thinned(axis, pixels) {
  if (!Array.isArray(axis.tickvals) || axis.tickvals.length < 2 || !axis.range) return;
  const [low, high] = axis.range;
  const pitch = Math.abs((axis.tickvals[1] - axis.tickvals[0]) / (high - low)) * pixels;
  const each = Math.ceil((1.05 * axis.tickfont.size) / pitch);
  axis.tickvals = axis.tickvals.filter((_, at) => at % each === 0);
  if (Array.isArray(axis.ticktext)) axis.ticktext = axis.ticktext.filter((_, at) => at % each === 0);
}

// A name on two lines where it was cut, else at the blank or hyphen that is nearest its middle.
function broken(name, letters) {
  if (name.length <= letters) return name;
  const places = [...name].map((_, at) => at + 1).filter((at) => "… -".includes(name[at - 1]));
  const cut = name.indexOf("…") + 1;
  const far = (at) => Math.abs(at - name.length / 2);
  const at = cut || places.sort((a, b) => far(a) - far(b))[0];
  if (!at) return null;
  const lines = [name.slice(0, at).trim(), name.slice(at).trim()];
  return lines.every((line) => line.length <= letters) ? lines.join("<br>") : null;
}

// Upright names below a figure take height that rows need: they lie where there is room for it.
function laid(axis, margin, pixels) {
  if (axis.tickangle >= 0 || !Array.isArray(axis.ticktext) || !axis.tickfont || !axis.range) return;
  const { size } = axis.tickfont;
  const pitch = pixels / Math.abs(axis.range[1] - axis.range[0]);
  const names = axis.ticktext.map((name) => broken(name, Math.floor(pitch / (LETTER_SHARE * size)) - 1));
  if (names.includes(null)) return;
  axis.ticktext = names;
  axis.tickangle = 0;
  margin.b = 2 * LINE_SHARE * size + 1.6 * (axis.title?.font?.size || size) + BELOW;
}

// Names of a graph's nodes in two columns beside it, each with a line to its node: so the graph
// is as high as the window allows, and names are whole.
function beside(made, names, width, height) {
  const { layout } = made;
  const nodes = made.data.find((item) => (item.mode || "").startsWith("markers"));
  const { margin } = layout;
  const size = layout.annotations[0].font.size;
  const across = width - margin.l - margin.r;
  const up = height - margin.t - margin.b;
  const pitch = LINE_SHARE * size;
  const order = names.map((_, at) => at).sort((a, b) => nodes.x[a] - nodes.x[b]);
  const half = Math.ceil(names.length / 2);
  if (half * pitch > up) return;
  const ends = [nodes.x, nodes.y].map((all) => [Math.min(...all), Math.max(...all)]);
  const [wide, high] = ends.map(([low, top]) => top - low);
  const [middleX, middleY] = ends.map(([low, top]) => (low + top) / 2);
  const node = Math.max(...[nodes.marker.size].flat());
  const scale = Math.min((up - node) / (high || 1), (0.4 * across) / (wide || 1));
  const span = (middle, pixels) => [middle - pixels / scale / 2, middle + pixels / scale / 2];
  layout.xaxis.range = span(middleX, across);
  layout.yaxis.range = span(middleY, up);
  nodes.mode = "markers";
  const marks = layout.annotations.filter((item) => item.xref !== "x");
  for (const [side, column] of [[-1, order.slice(0, half)], [1, order.slice(half)]]) {
    column.sort((a, b) => nodes.y[b] - nodes.y[a]);
    const wanted = column.map((at) => up / 2 - (nodes.y[at] - middleY) * scale);
    // downwards each below the one before, then the whole column back into the window
    const places = [];
    wanted.forEach((place, i) => places.push(i ? Math.max(place, places[i - 1] + pitch) : Math.max(place, pitch / 2)));
    for (let i = places.length - 1, low = up - pitch / 2; i >= 0; low = places[i] - pitch, i--) places[i] = Math.min(places[i], low);
    column.forEach((at, i) => {
      const away = side * ((wide * scale) / 2 + node / 2 + 2 * size) - (nodes.x[at] - middleX) * scale;
      marks.push({
        text: names[at],
        x: nodes.x[at],
        y: nodes.y[at],
        xref: "x",
        yref: "y",
        ax: away,
        ay: places[i] - wanted[i],
        xanchor: side < 0 ? "right" : "left",
        arrowhead: 0,
        arrowwidth: 1.5,
        arrowcolor: nodes.textfont.color,
        standoff: [nodes.marker.size].flat()[at] / 2,
        font: { ...nodes.textfont, size },
      });
    });
  }
  layout.annotations = marks;
}

// How large the text of a board's figures is in the view, for a page's: less beside the open sidebar.
function together() {
  const { clientWidth } = document.querySelector("[data-testid=stMain]");
  return Math.max(1, (LEGIBLE / DESIGNED.text) * Math.min(clientWidth / SMALLEST.width, innerHeight / SMALLEST.height));
}

// Draws a figure as large as the window allows, as if it were a small one seen from near by.
function enlarge(made, chart) {
  const { layout } = made;
  const bar = document.querySelector(".lsc-projector")?.offsetHeight || 0;
  const room = Math.max(LOWEST, window.innerHeight - chart.frame.getBoundingClientRect().top - bar - BELOW);
  const width = chart.width || DESIGNED.width;
  const fits = Math.min(width / DESIGNED.width, room / layout.height);
  const held = window.innerWidth < HELD;
  const k = Math.max(held ? 1 : LEGIBLE / DESIGNED.text, fits);
  grown(made, k, held ? 0 : LEGIBLE, "");
  layout.height = room;
  const { one_line, beside: names } = chart.message.projected;
  if (one_line && !held) {
    for (const { text } of made.data) text?.forEach((words, at) => (text[at] = words.replace("<br><span", " <span")));
  }
  if (names && !held) beside(made, names, width, room);
  for (const [name, axis] of Object.entries(layout)) {
    if (/^xaxis/.test(name)) laid(axis, layout.margin, width - layout.margin.l - layout.margin.r);
  }
  for (const [name, axis] of Object.entries(layout)) {
    if (/^yaxis/.test(name) && axis.tickfont) thinned(axis, room - layout.margin.t - layout.margin.b);
  }
}
