// What becomes of the address. One entry of the browser's history for a slider that is moved several
// times in a row, so that Back undoes the move, and one for a page that is opened: Streamlit adds one
// for each address that the server writes, and led Back to the page without its question. And where
// the connection comes back, the page is asked for by its address: Streamlit asks only where some
// work was under way, and a server that does not know the page ignores its sliders.

const NUMBER = /^[-+]?(\d+\.?\d*(e[-+]?\d+)?|inf)$/i;

// All that a query says: each value under its key and place. A column's value is a query itself.
function values(query, above, result) {
  const places = {};
  for (const [key, value] of new URLSearchParams(query)) {
    places[key] = (places[key] ?? -1) + 1;
    const path = `${above}${key}.${places[key]}`;
    if (value.includes("=")) values(value, `${path}/`, result);
    else result.set(path, value);
  }
  return result;
}

// The numbers by which two queries differ; null where they differ in anything else.
function moved(before, after) {
  const [old, now] = [before, after].map((query) => values(query, "", new Map()));
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
  const numbers = paths.every((path) => [old, now].every((query) => !query.has(path) || NUMBER.test(query.get(path))));
  return paths.length && numbers ? paths.sort().join(" ") : null;
}

// What a visitor does. Until then what the server writes belongs to the page that was opened.
const ACTIONS = ["pointerdown", "keydown", "click", "input"];

// A lesson begins at its top, although the button to it stands below the one before.
function begin(next) {
  const [before, after] = [location.search, next.search].map((query) => new URLSearchParams(query).get("topic"));
  if (after && after !== before) document.querySelector("[data-testid=stMain]").scrollTop = 0;
}

function watch() {
  const push = window.history.pushState;
  let last = null;
  let fresh = false; // a page was opened, and the visitor has done nothing since
  // An entry was added since the visitor's last action: it may be the query of a page whose path comes next.
  let early = false;
  for (const action of ACTIONS) window.addEventListener(action, () => { fresh = early = false; }, true);
  window.history.pushState = function (state, title, url) {
    const next = new URL(url, location.href);
    begin(next);
    const opens = next.pathname !== location.pathname;
    const control = opens ? null : moved(location.search, next.search);
    const same = next.href === location.href || (opens ? early : fresh) || (control !== null && control === last);
    if (opens) [fresh, early] = [true, false];
    if (same) return window.history.replaceState(state, title, url);
    last = control;
    if (!opens) early = true;
    return push.call(window.history, state, title, url);
  };
  window.addEventListener("popstate", () => {
    last = null;
    fresh = early = false;
  });
}

// Ask for the page when the connection is there again.
function watchConnection() {
  const app = document.querySelector("[data-testid=stApp]");
  let lost = false;
  new MutationObserver(() => {
    const connected = app.dataset.testConnectionState === "CONNECTED";
    if (connected && lost) window.liftscopeHistory.ask("back", Date.now());
    lost = !connected;
  }).observe(app, { attributeFilter: ["data-test-connection-state"] });
}

export default function ({ setTriggerValue }) {
  const first = !window.liftscopeHistory;
  window.liftscopeHistory = { ask: setTriggerValue };
  if (!first) return;
  watch();
  watchConnection();
}
