
// Saving a chart as a file: PNG and SVG at the size asked for, or HTML. Each says what it is about,
// under its title and in its metadata.

// What is drawn: wider pictures are this drawing, enlarged, so that their text stays legible.
const WIDTH = 900;
const LEAST_HEIGHT = 480;
// A line of the title: Plotly sets lines 1.3 times the size of its font apart.
const TITLE = 15;
const LINE = 1.3 * TITLE;
const SIZES = { width: [200, 8000], height: [150, 8000] };

// The size asked for, shared by all charts; 0 leaves it to the chart. And whether pictures let what is
// behind them through: else they are white.
const chosen = { width: 0, height: 0, clear: false };

// The ring and its line as shapes, for pictures that leave the page.
function marked(layout, roles) {
  const now = layout.meta && layout.meta.now;
  if (!now) return;
  const ink = roles[INK];
  layout.shapes = [
    { type: "line", x0: now[0], x1: now[0], y0: 0, y1: 1, yref: "paper", layer: "below", line: { color: ink, width: 1, dash: "dash" } },
    { type: "circle", xsizemode: "pixel", ysizemode: "pixel", xanchor: now[0], yanchor: now[1], x0: -7, x1: 7, y0: -7, y1: 7, line: { color: ink, width: 3 } },
  ];
}

function savingMenu(chart, bar) {
  const form = document.createElement("span");
  form.className = "lsc-size";
  form.hidden = true;
  for (const side of ["width", "height"]) {
    const input = document.createElement("input");
    const [least, most] = SIZES[side];
    Object.assign(input, { type: "number", min: least, max: most, step: 1, placeholder: side });
    input.setAttribute("aria-label", `${side === "width" ? "Width" : "Height"} of saved pictures in pixels`);
    input.addEventListener("input", () => {
      const wanted = Math.round(Number(input.value));
      const fits = input.value === "" || (wanted >= least && wanted <= most);
      const message = `The ${side} of a saved picture must be from ${least} to ${most} pixels.`;
      input.setCustomValidity(fits ? "" : message);
      input.reportValidity();
      refuse();
      if (fits) chosen[side] = wanted;
    });
    form.append(input);
    if (side === "width") form.append(" × ");
  }
  form.append(" px ");
  const clear = document.createElement("input");
  clear.type = "checkbox";
  clear.addEventListener("change", () => { chosen.clear = clear.checked; });
  const label = document.createElement("label");
  label.append(clear, " transparent");
  form.append(label);
  // Said in words, too: a red border alone would leave the last size to be saved.
  const refusal = document.createElement("span");
  refusal.className = "lsc-refused";
  refusal.setAttribute("role", "alert");
  form.append(refusal);
  const refuse = () => {
    const wrong = form.hidden ? null : form.querySelector("input:invalid");
    refusal.textContent = wrong ? ` ${wrong.validationMessage}` : "";
    return wrong;
  };
  const kept = (kind) => {
    const wrong = refuse();
    if (wrong) wrong.focus();
    else save(chart, kind);
  };
  const add = (text, title, act) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: text, title });
    button.addEventListener("click", act);
    bar.appendChild(button);
    return button;
  };
  const size = add("Size", "Choose the width, height and background of saved pictures", () => {
    form.hidden = !form.hidden;
    size.setAttribute("aria-expanded", String(!form.hidden));
    const [width, height] = form.querySelectorAll("input[type=number]");
    clear.checked = chosen.clear;
    width.value = chosen.width || "";
    height.value = chosen.height || "";
    for (const input of [width, height]) input.setCustomValidity("");
    refuse();
    if (!form.hidden) width.focus();
  });
  size.setAttribute("aria-expanded", "false");
  bar.appendChild(form);
  for (const kind of ["PNG", "SVG", "HTML"]) add(kind, `Save this chart as ${kind}`, () => kept(kind));
}

function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function xml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// What the picture is about, in lines that fit its width.
function lines(parts, width) {
  const most = Math.floor(width / 6);
  const plain = (text) => text.replace(/&#?\w+;/g, "_").length;
  const result = [];
  for (const part of parts) {
    const last = result.length - 1;
    if (last >= 0 && plain(result[last]) + plain(part) + 2 <= most) result[last] += `; ${part}`;
    else result.push(part);
  }
  return result;
}

// The figure as it leaves the page, and the factor by which it is enlarged.
function picture(chart) {
  const made = figure({ ...chart, dark: false }); // for paper and slides, whatever the page's theme
  const { message } = chart;
  const roles = PALETTES.light;
  const enlarged = Math.max(1, (chosen.width || WIDTH) / WIDTH);
  const about = lines(message.about, Math.min(chosen.width || WIDTH, WIDTH));
  made.layout.paper_bgcolor = chosen.clear ? "rgba(0,0,0,0)" : "#ffffff";
  made.layout.meta = { now: message.now };
  marked(made.layout, roles);
  made.layout.width = Math.round((chosen.width || WIDTH) / enlarged);
  const above = 18 + LINE * (1 + about.length);
  made.layout.height = chosen.height
    ? Math.round(chosen.height / enlarged)
    : Math.max(Math.round(made.layout.height + above), LEAST_HEIGHT);
  const small = about.map((line) => `<span style="font-size:11px">${line}</span>`);
  made.layout.title = {
    text: [xml(message.title), ...small].join("<br>"),
    font: { size: TITLE },
    ...{ x: 0.01, xanchor: "left", y: 1 - 18 / made.layout.height, yanchor: "top" },
  };
  made.layout.margin.t += above;
  return { made, enlarged };
}

// The page's font, for pictures that are opened elsewhere: as a style that holds the font's file.
const fonts = new Map();

function fontOf(family) {
  const name = family.split(",")[0].replaceAll(/["']/g, "").trim();
  if (!fonts.has(name)) fonts.set(name, held(name).catch(() => ""));
  return fonts.get(name);
}

async function held(name) {
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules];
    } catch {
      return []; // of another origin
    }
  });
  const plain = (rule) => rule.style.getPropertyValue("font-family").replaceAll(/["']/g, "").trim() === name;
  const upright = (rule) => !/italic|oblique/.test(rule.style.getPropertyValue("font-style"));
  const face = rules.find((rule) => rule instanceof CSSFontFaceRule && plain(rule) && upright(rule));
  const source = face?.style.getPropertyValue("src").match(/url\(["']?([^"')]+)/);
  if (!source) return "";
  const file = await (await fetch(new URL(source[1], face.parentStyleSheet.href || document.baseURI))).blob();
  const data = await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.readAsDataURL(file);
  });
  return `<style>@font-face { font-family: "${name}"; font-weight: 200 900; src: url("${data}"); }</style>`;
}

async function save(chart, kind) {
  const Plotly = await plotly();
  const { made, enlarged } = picture(chart);
  const { name, title, plain } = chart.message;
  const described = plain ? `${title}. ${plain}` : title;
  if (kind === "HTML") {
    const program = await (await fetch(PLOTLY)).text();
    const data = JSON.stringify(made).replaceAll("<", "\\u003c");
    const page =
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${xml(described)}</title>` +
      `<script>${program.replaceAll("</script", "<\\/script")}</script></head><body><div id="chart"></div>` +
      `<script>Plotly.newPlot("chart", ${data}.data, ${data}.layout, {displaylogo: false, showSendToCloud: false});</script>` +
      "</body></html>";
    download(`${name}.html`, new Blob([page], { type: "text/html" }));
    return;
  }
  const { width, height } = made.layout;
  const url = await Plotly.toImage(made, { format: "svg", width, height, scale: 1 });
  const drawn = await (await fetch(url)).text();
  const full = { width: chosen.width || WIDTH, height: chosen.height || Math.round(height * enlarged) };
  const style = await fontOf(made.layout.font.family);
  const head = `<title>${xml(title)}</title><desc>${xml(described)}</desc>${style}`;
  const svg = drawn.replace(/^<svg[^>]*>/, (start) => {
    const sized = start.replace(/ width="[^"]*"/, ` width="${full.width}"`).replace(/ height="[^"]*"/, ` height="${full.height}"`);
    return (sized.includes("viewBox") ? sized : sized.replace(">", ` viewBox="0 0 ${width} ${height}">`)) + head;
  });
  const vector = new Blob([svg], { type: "image/svg+xml" });
  if (kind === "SVG") return download(`${name}.svg`, vector);
  const sharper = chosen.width || chosen.height ? 1 : 2;
  const pixels = await painted(vector, full.width * sharper, full.height * sharper);
  download(`${name}.png`, await withText(pixels, described));
}

async function painted(vector, width, height) {
  const image = new Image();
  image.src = URL.createObjectURL(vector);
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

// A PNG with a text "Description" (a chunk iTXt) after its header, which takes 33 bytes.
async function withText(png, text) {
  const body = new TextEncoder().encode(`iTXtDescription\0\0\0\0\0${text}`);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, crc(body));
  return new Blob([png.slice(0, 33), chunk, png.slice(33)], { type: "image/png" });
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
