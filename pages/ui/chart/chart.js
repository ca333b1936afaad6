// One Plotly chart that stays where it is: a new figure is drawn into the old one.
//
// st.plotly_chart takes a changed figure for another element and builds the chart anew, which
// takes four times as long and flickers. This component keeps the chart and its axes, puts the
// theme's colours in the place of a figure's markers, exports without a server, and tells which
// point was clicked.

const PALETTES = __PALETTES__;
const PLOTLY = new URL("__PLOTLY__", document.baseURI).href;

// Below this width a figure takes what it set apart for narrow screens.
const NARROW = 440;

const decoder = new TextDecoder();
const charts = new WeakMap();

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

function coloured(json, dark) {
  const roles = dark ? PALETTES.dark : PALETTES.light;
  return json.replace(/#00fe[0-9a-f]{2}/g, (marker) => roles[marker]);
}

function build(parent) {
  const frame = document.createElement("div");
  frame.className = "lsc-frame";
  const plot = document.createElement("div");
  plot.className = "lsc-plot stPlotlyChart";
  plot.dataset.testid = "stPlotlyChart";
  plot.setAttribute("role", "figure");
  const bar = document.createElement("div");
  bar.className = "lsc-bar";
  frame.append(plot, bar);
  parent.appendChild(frame);
  const chart = { frame, plot, shown: null, dark: null };
  for (const kind of ["PNG", "SVG", "HTML"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    button.title = `Save this chart as ${kind}`;
    button.addEventListener("click", () => save(chart, kind));
    bar.appendChild(button);
  }
  chart.observer = new ResizeObserver(() => resize(chart));
  chart.observer.observe(frame);
  return chart;
}

function resize(chart) {
  const width = chart.frame.clientWidth;
  if (!chart.shown || !width || width === chart.width) return;
  draw(chart, true);
}

function figure(chart) {
  const { data, layout, marks } = chart.message;
  const made = JSON.parse(coloured(`{"data":${data},"layout":${layout},"marks":${marks}}`, chart.dark));
  const style = getComputedStyle(chart.frame);
  made.layout.font = { family: style.getPropertyValue("--st-font"), ...made.layout.font };
  Object.assign(made.layout, made.marks);
  return made;
}

// Which attributes of shapes and annotations moved: Plotly redraws those alone. Where their number
// changed they are all given anew.
function changes(layout, marks) {
  const moved = {};
  for (const [kind, fresh] of Object.entries(marks)) {
    const old = layout[kind] || [];
    if (old.length !== fresh.length) {
      moved[kind] = fresh;
      continue;
    }
    fresh.forEach((mark, place) => {
      for (const [name, value] of Object.entries(mark)) {
        if (JSON.stringify(value) !== JSON.stringify(old[place][name])) {
          moved[`${kind}[${place}].${name}`] = value;
        }
      }
    });
  }
  return moved;
}

async function draw(chart, anew) {
  const Plotly = await plotly();
  const { message, shown } = chart;
  const made = figure(chart);
  if (!anew && shown && shown.data === message.data && shown.layout === message.layout) {
    const moved = changes(chart.plot.layout, made.marks);
    if (Object.keys(moved).length) await Plotly.relayout(chart.plot, moved);
  } else {
    chart.width = chart.frame.clientWidth || undefined;
    made.layout.width = chart.width;
    if (chart.width < NARROW) {
      for (const trace of made.data) if (trace.meta && trace.meta.narrow) Object.assign(trace, trace.meta.narrow);
    }
    await Plotly.react(chart.plot, made.data, made.layout, { displayModeBar: false, doubleClick: false });
  }
  chart.shown = message;
  if (!chart.listening) {
    chart.listening = true;
    chart.plot.on("plotly_click", (event) => clicked(chart, event));
  }
  chart.plot.dataset.drawn = message.serial;
}

function clicked(chart, event) {
  const point = event.points && event.points[0];
  if (!point || !chart.pick || !Array.isArray(point.data.meta)) return;
  chart.pick("picked", { x: point.x, at: point.pointNumber, key: point.data.meta });
}

function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function save(chart, kind) {
  const Plotly = await plotly();
  const made = figure(chart);
  const roles = chart.dark ? PALETTES.dark : PALETTES.light;
  made.layout.paper_bgcolor = roles["#00fe00"];
  made.layout.width = 900;
  made.layout.height = Math.max(made.layout.height, 480);
  made.layout.title = { text: chart.message.title, x: 0.01, xanchor: "left", y: 0.985, yanchor: "top" };
  made.layout.margin.t += 34;
  if (kind === "HTML") {
    const program = await (await fetch(PLOTLY)).text();
    const data = JSON.stringify(made).replaceAll("<", "\\u003c");
    const page =
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Liftscope</title>' +
      `<script>${program.replaceAll("</script", "<\\/script")}</script></head><body><div id="chart"></div>` +
      `<script>Plotly.newPlot("chart", ${data}.data, ${data}.layout, {displaylogo: false});</script>` +
      "</body></html>";
    download(`${chart.message.name}.html`, new Blob([page], { type: "text/html" }));
    return;
  }
  const format = kind.toLowerCase();
  const options = { format, width: 900, height: made.layout.height, scale: format === "png" ? 2 : 1 };
  const url = await Plotly.toImage(made, options);
  download(`${chart.message.name}.${format}`, await (await fetch(url)).blob());
}

export default function ({ data, parentElement, setTriggerValue }) {
  const message = JSON.parse(decoder.decode(data));
  let chart = charts.get(parentElement);
  if (!chart) {
    chart = build(parentElement);
    charts.set(parentElement, chart);
  }
  const dark = isDark(parentElement);
  const anew = dark !== chart.dark;
  chart.pick = message.pickable ? setTriggerValue : null;
  chart.message = message;
  chart.dark = dark;
  if (anew || !chart.shown || chart.shown.serial !== message.serial) {
    chart.plot.setAttribute("aria-label", message.alt);
    chart.plot.classList.toggle("lsc-pickable", message.pickable);
    chart.plot.style.height = `${message.height}px`;
    draw(chart, anew);
  }
  return () => {
    chart.observer.disconnect();
    if (window.Plotly) window.Plotly.purge(chart.plot);
    charts.delete(parentElement);
  };
}
