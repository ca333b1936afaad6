// How a figure is drawn in the projector view: as large as the window allows.

// The least text of the projector view, in pixels, that the last row can read; the width and the
// least text that figures are made for; and the room that the view's bar takes.
const LEGIBLE = 18;
const DESIGNED = { width: 760, text: 11 };
const BELOW = 84;
const LOWEST = 300;

// Lengths of a figure in pixels, wherever they stand in it.
const LENGTHS = new Set(["standoff", "ax", "ay", "xshift", "yshift", "borderpad", "ticklen", "thickness", "xpad", "ypad", "pad", "gridwidth", "zerolinewidth", "nodewidth"]);
const LINES = new Set(["line", "marker", "error_x", "error_y", "connector"]);

function times(value, k) {
  return Array.isArray(value) ? value.map((one) => times(one, k)) : typeof value === "number" ? value * k : value;
}

// All that is measured in pixels, k times as large; no text below what the last row can read.
function grown(part, k, name) {
  if (Array.isArray(part)) {
    if (part.some((one) => one && typeof one === "object" && !Array.isArray(one))) part.forEach((one) => grown(one, k, name));
    return;
  }
  if (/font$/.test(name)) {
    if (typeof part.size === "number") part.size = Math.max(LEGIBLE, part.size * k);
    return;
  }
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === "string" && value.includes("font-size:")) {
      part[key] = value.replace(/font-size:([\d.]+)px/g, (_, size) => `font-size:${Math.max(LEGIBLE, size * k)}px`);
    } else if ((key === "ax" || key === "ay") && (part[`${key}ref`] || "pixel") !== "pixel") continue;
    else if (LENGTHS.has(key) || (LINES.has(name) && (key === "size" || key === "width"))) part[key] = times(value, k);
    else if (key === "margin") for (const side of ["l", "r", "t", "b", "pad"]) value[side] = (value[side] || 0) * k;
    else if (value && typeof value === "object" && key !== "meta") grown(value, k, key);
  }
}

// Names on an upright axis stand apart by more than their height, or every second, third… stays.
function thinned(axis, pixels) {
  if (!Array.isArray(axis.tickvals) || axis.tickvals.length < 2 || !axis.range) return;
  const [low, high] = axis.range;
  const pitch = Math.abs((axis.tickvals[1] - axis.tickvals[0]) / (high - low)) * pixels;
  const each = Math.ceil((1.15 * axis.tickfont.size) / pitch);
  axis.tickvals = axis.tickvals.filter((_, at) => at % each === 0);
  if (Array.isArray(axis.ticktext)) axis.ticktext = axis.ticktext.filter((_, at) => at % each === 0);
}

// Draws a figure as large as the window allows, as if it were a small one seen from near by.
function enlarge(made, chart) {
  const { layout } = made;
  const room = Math.max(LOWEST, window.innerHeight - chart.frame.getBoundingClientRect().top - BELOW);
  const fits = Math.min((chart.width || DESIGNED.width) / DESIGNED.width, room / layout.height);
  const k = Math.max(LEGIBLE / DESIGNED.text, fits);
  grown(made, k, "");
  layout.height = room;
  for (const [name, axis] of Object.entries(layout)) {
    if (/^yaxis/.test(name) && axis.tickfont) thinned(axis, room - layout.margin.t - layout.margin.b);
  }
}
