// The projector view: shows the charts of a board together, then each chart of the page alone, as
// large as the window allows.
//
// The page itself stays as it is: projector.css hides all that does not belong to the charts that
// are marked here, and chart.js draws a marked chart in large type. So the next chart is there at
// once, and what is being worked out goes on.

const KEYS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

// Where a key has a meaning of its own.
const TYPED = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=menu], [role=radiogroup], [role=tablist], [role=dialog], [role=grid]";

const views = new WeakMap();

function frames() {
  const main = document.querySelector("[data-testid=stMain]");
  return main ? [...main.querySelectorAll(".lsc-frame")] : [];
}

// A board's charts: in a window that has room for a board they are shown together.
const BOARD = ".st-key-board_charts";
const ROOMY = "(min-width: 900px)";

// What the view shows one after the other, each with its name in the address and its title.
function stops() {
  const alone = frames().map((frame) => ({ charts: [frame], name: frame.dataset.chart, title: frame.dataset.title }));
  const together = frames().filter((frame) => frame.closest(BOARD));
  if (together.length && matchMedia(ROOMY).matches) alone.unshift({ charts: together, name: "board", title: "All charts together" });
  return alone;
}

const FOLD = "[data-testid=stSidebarCollapseButton] button";
const UNFOLD = "[data-testid=stExpandSidebarButton]";

// That the view has folded the sidebar is known on another page, where it goes on.
const FOLDED = "lsc-projector-folded";

// Once: whoever opens the sidebar again keeps it open.
function fold(view) {
  if (view.settled || !document.querySelector(`${FOLD}, ${UNFOLD}`)) return;
  view.settled = true;
  if (document.querySelector(UNFOLD) || sessionStorage.getItem(FOLDED)) return;
  sessionStorage.setItem(FOLDED, "yes");
  document.querySelector(FOLD).click();
}

// Streamlit remembers a folded sidebar for later visits. A page that goes while the view has it folded,
// as where its tab is closed, takes that back; after a reload the view folds it anew.
const REMEMBERED = "stSidebarCollapsed-";
addEventListener("pagehide", () => {
  if (!sessionStorage.getItem(FOLDED) || !document.querySelector(UNFOLD)) return;
  sessionStorage.removeItem(FOLDED);
  for (const key of Object.keys(localStorage)) if (key.startsWith(REMEMBERED)) localStorage.removeItem(key);
});

function at_rest() {
  return document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
}

// Looks, ten a second, for which a page is at rest before its sidebar is opened: a page that is left
// seems to be at rest for a moment, and so does a button that is about to be replaced.
const LOOKS = 3;

// Where the view does not go on. Only a sidebar that stands open has the button that folds it.
function unfold(turns, rested = 0) {
  if (document.querySelector(".lsc-projector")) return;
  const button = document.querySelector(UNFOLD);
  const rests = at_rest() ? rested + 1 : 0;
  if (!turns || (rests > LOOKS && !button && document.querySelector(FOLD))) {
    sessionStorage.removeItem(FOLDED);
    return;
  }
  if (rests > LOOKS) button?.click();
  setTimeout(() => unfold(turns - 1, rests), 100);
}

function build(parent) {
  const bar = document.createElement("div");
  bar.className = "lsc-projector";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Projector view");
  const button = (name, text, label) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = `lsc-projector-${name}`;
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.title = label;
    bar.append(made);
    return made;
  };
  const back = button("back", "‹", "Previous chart (arrow left)");
  const text = document.createElement("span");
  text.className = "lsc-projector-text";
  text.setAttribute("aria-live", "polite");
  bar.append(text);
  const on = button("on", "›", "Next chart (arrow right)");
  const link = button("link", "Link", "Show the link for the class, with its QR code");
  const leave = button("leave", "Leave", "Leave the projector view (Esc)");
  const sheet = document.createElement("div");
  sheet.className = "lsc-projector-sheet";
  sheet.setAttribute("role", "dialog");
  sheet.setAttribute("aria-label", "Link for the class");
  sheet.hidden = true;
  parent.append(sheet, bar);
  return { parent, text, back, on, link, leave, sheet, chart: null, name: null, wanted: null, reported: null };
}

function mark(view, stop) {
  const how = !stop ? "none" : stop.name === "board" ? "board" : "chart";
  document.documentElement.dataset.lscProjector = how;
  for (const frame of frames()) {
    const wanted = stop?.charts.includes(frame) ? how : undefined;
    if (frame.dataset.projected === wanted) continue;
    if (wanted) frame.dataset.projected = wanted;
    else delete frame.dataset.projected;
    frame.dispatchEvent(new Event("lsc-project"));
  }
  if (stop && stop.name !== view.name) document.querySelector("[data-testid=stMain]").scrollTop = 0;
  view.name = stop ? stop.name : null;
  view.chart = how === "chart" ? stop.charts[0] : null;
}

// A chart alone takes the room below the answer: where that grows while a slider moves, it is drawn anew.
function fit(view, before) {
  const top = view.chart?.getBoundingClientRect().top;
  if (view.chart && view.chart === before && top !== view.top) view.chart.dispatchEvent(new Event("lsc-project"));
  view.top = top;
}

// What was asked for, else the first: charts come in any order.
function look(view) {
  view.waits = false;
  if (view.gone) return;
  fold(view);
  const all = stops();
  const chosen = all.find(({ name }) => name === view.wanted);
  const shown = chosen || all[0] || null;
  const before = view.chart;
  mark(view, shown);
  fit(view, before);
  const place = all.indexOf(shown);
  const missing = !["on", "board"].includes(view.wanted) && !chosen && at_rest();
  let status = "No chart here: the page is shown as it is.";
  if (shown) status = `${place + 1} of ${all.length}: ${shown.title}`;
  if (shown && missing) {
    status = `The link has projector=${view.wanted}, which is no chart of this page. ${status}`;
  }
  if (view.text.textContent !== status) view.text.textContent = status;
  view.back.disabled = place <= 0;
  view.on.disabled = place < 0 || place === all.length - 1;
}

function look_soon(view) {
  if (view.waits) return;
  view.waits = true;
  requestAnimationFrame(() => look(view));
}

function step(view, by) {
  const all = stops();
  const next = all[all.findIndex(({ name }) => name === view.name) + by];
  if (!next) return;
  view.wanted = next.name;
  view.reported = view.wanted;
  look(view);
  view.tell("shown", view.wanted);
}

function close(view) {
  view.sheet.hidden = true;
  view.tell("request", "nothing");
  view.link.focus();
}

function pressed(view, event) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape") {
    if (!view.sheet.hidden) close(view);
    else if (!document.querySelector("[data-testid=stPopoverBody], [role=dialog]:not(.lsc-projector-sheet)")) view.tell("left", true);
    return;
  }
  const by = KEYS[event.key];
  if (!by || !view.sheet.hidden || event.target.closest?.(TYPED)) return;
  event.preventDefault();
  step(view, by);
}

function opened(view, link) {
  const had = view.sheet.hidden;
  view.sheet.hidden = !link;
  if (!link) return;
  view.sheet.replaceChildren();
  if (link.code) {
    const code = document.createElement("div");
    code.className = "lsc-qr";
    code.setAttribute("role", "img");
    code.setAttribute("aria-label", "QR code of the link to this question");
    code.innerHTML = link.code; // drawn by the server, of squares alone
    view.sheet.append(code);
  }
  for (const text of [link.address, link.note].filter(Boolean)) {
    const line = document.createElement("p");
    line.textContent = text;
    view.sheet.append(line);
  }
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Close";
  button.onclick = () => close(view);
  view.sheet.append(button);
  if (had) button.focus();
}

function start(view) {
  document.documentElement.dataset.lscProjector = "none";
  view.keys = (event) => pressed(view, event);
  document.addEventListener("keydown", view.keys);
  view.resized = () => {
    look_soon(view);
    view.chart?.dispatchEvent(new Event("lsc-project"));
  };
  window.addEventListener("resize", view.resized);
  view.observer = new MutationObserver(() => look_soon(view));
  view.observer.observe(document.querySelector("[data-testid=stApp]"), {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-test-script-state", "data-title"],
  });
  view.back.onclick = () => step(view, -1);
  view.on.onclick = () => step(view, 1);
  view.leave.onclick = () => view.tell("left", true);
  view.link.onclick = () => (view.sheet.hidden ? view.tell("request", "link") : close(view));
}

function end(view) {
  view.gone = true;
  view.observer.disconnect();
  document.removeEventListener("keydown", view.keys);
  window.removeEventListener("resize", view.resized);
  mark(view, null);
  delete document.documentElement.dataset.lscProjector;
  if (sessionStorage.getItem(FOLDED)) unfold(600);
}

export default function ({ data, parentElement, setTriggerValue }) {
  let view = views.get(parentElement);
  if (!view) {
    view = build(parentElement);
    views.set(parentElement, view);
    view.tell = setTriggerValue;
    start(view);
  }
  view.tell = setTriggerValue;
  // What was told is on its way: an answer to an earlier step does not take the view back.
  if (data.chart !== view.last) {
    view.last = data.chart;
    if (view.reported === data.chart) view.reported = null;
    else if (view.reported === null) view.wanted = data.chart;
  }
  opened(view, data.link);
  look(view);
  return () => {
    if (!parentElement.isConnected) {
      end(view);
      views.delete(parentElement);
    }
  };
}
