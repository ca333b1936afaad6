// Menus by keyboard: focus goes into what opens, arrows move in it, Escape leads back to its button.
// A menu of options with a field to look for one closes when one is chosen.
// A comma in a field of numbers is a decimal one: browsers drop it, and 0,7 would be 7. They drop letters
// too: what a field takes is said.

const BODY = "[data-testid=stPopoverBody]";
const OPENER = "[data-testid=stPopover] button[aria-expanded=true]";
const FIELD = ".lsc-look input";
const ITEMS = "input[type=radio], input[type=checkbox], button, a[href]";
// What moves by arrows itself.
const OWN = "textarea, select, [role=slider], [role=combobox], [role=grid], input:not([type=radio]):not([type=checkbox])";

const seen = (element) => !element.disabled && element.closest("label, button, a, div").getClientRects().length > 0;
const items = (body) => [...body.querySelectorAll(ITEMS)].filter((element) => seen(element) && element.tabIndex > -2);
const options = (body) => [...body.querySelectorAll("input[type=radio]")].filter(seen);

let opener = null;

// The field, else what is chosen, else the first thing.
function enter(body) {
  const field = body.querySelector(FIELD);
  const first = field || body.querySelector("input:checked") || body.querySelector(OWN) || items(body)[0];
  if (!first) return false;
  first.focus({ preventScroll: !first.matches("input:checked") });
  if (field) body.querySelector("input:checked")?.closest("label")?.scrollIntoView({ block: "center" });
  return true;
}

// What opens may be empty until the server has filled it, and its field may be the last to come: until
// the reader goes on, focus goes to the first thing, and from there to the field.
function opened(body) {
  opener = document.querySelector(OPENER) || opener;
  let first = document.activeElement;
  const stop = () => {
    filled.disconnect();
    for (const kind of ["pointerdown", "keydown"]) document.removeEventListener(kind, stop, true);
  };
  const look = () => {
    const here = document.activeElement;
    if (!body.isConnected || ![document.body, opener, first].includes(here)) stop();
    else if (!body.contains(here) || body.querySelector(FIELD)) {
      if (enter(body)) first = document.activeElement;
      if (first.matches(FIELD)) stop();
    }
  };
  const filled = new MutationObserver(look);
  filled.observe(body, { childList: true, subtree: true });
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, stop, true);
  look();
}

// To the button of the menu, also where the page is drawn anew meanwhile; until the reader goes on.
function back(button) {
  const key = [...(button.closest("[class*=st-key-]")?.classList ?? [])].find((name) => name.startsWith("st-key-"));
  const stop = () => {
    clearInterval(turn);
    for (const kind of ["pointerdown", "keydown"]) document.removeEventListener(kind, stop, true);
  };
  const look = () => {
    if (document.activeElement !== document.body || document.querySelector(BODY)) return;
    const target = button.isConnected ? button : key && [...document.querySelectorAll(`.${CSS.escape(key)} button`)].find(seen);
    target?.focus();
  };
  let left = 100;
  const turn = setInterval(() => (left-- ? look() : stop()), 100);
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, stop, true);
}

function close() {
  const button = document.querySelector(OPENER) || opener;
  document.querySelector(OPENER)?.click();
  if (button) back(button);
}

function move(event, body) {
  const { key, target } = event;
  const among = target.matches(FIELD) || options(body).includes(target) ? options(body) : items(body);
  if (!among.length) return false;
  const here = among.indexOf(target);
  const last = among.length - 1;
  if (target.matches(FIELD)) {
    if (key !== "ArrowDown") return false;
    (among.find((element) => element.checked) || among[0]).focus();
    return true;
  }
  if (key === "ArrowUp" && here === 0 && body.querySelector(FIELD)) body.querySelector(FIELD).focus();
  else if (key === "ArrowDown") among[Math.min(here + 1, last)].focus();
  else if (key === "ArrowUp") among[Math.max(here - 1, 0)].focus();
  else if (key === "Home") among[0].focus();
  else if (key === "End") among[last].focus();
  else return false;
  return true;
}

function pressed(event) {
  const body = event.target instanceof Element && event.target.closest(BODY);
  if (!body) return;
  let done = false;
  if (event.key === "Escape") {
    const button = document.querySelector(OPENER) || opener;
    if (button) setTimeout(() => back(button));
  } else if (event.key === "Enter" && event.target.matches("input[type=radio]")) {
    event.target.click();
    done = true;
  } else if (event.key === "Enter" && event.target.matches(FIELD)) {
    const left = options(body);
    if (left.length === 1) left[0].click();
    done = true;
  } else if (!event.target.matches(OWN) || event.target.matches(FIELD)) done = move(event, body);
  if (!done) return;
  event.preventDefault();
  event.stopPropagation();
}

// A click on what is chosen already changes nothing, and closes too. Caught on its way down: what
// is clicked may keep a click from going up.
let closing = 0;
function chosen(event) {
  const body = event.target instanceof Element && event.target.closest(BODY);
  if (!body || !body.querySelector(FIELD)) return;
  if (!event.target.closest("label:has(input[type=radio]), input[type=radio]")) return;
  clearTimeout(closing);
  closing = setTimeout(close);
}

// What is no number is dropped by browsers without a word.
function refuse(field) {
  const { min, max, placeholder } = field;
  const most = Number(Number(max).toPrecision(4));
  const range = min && max ? ` from ${Number(min)} to ${most}` : "";
  const above = placeholder === "∞" ? "; the end of its slider is ∞" : "";
  field.setCustomValidity(`Type a number${range}${above}.`);
  field.reportValidity();
  const heed = () => field.setCustomValidity("");
  for (const kind of ["input", "blur"]) field.addEventListener(kind, heed, { once: true });
}

const COMMAS = new Intl.NumberFormat(navigator.language).format(0.5).includes(",");
function typed(event) {
  const { target, data, inputType } = event;
  if (!inputType.startsWith("insert") || !data || !target.matches?.("input[type=number]")) return;
  if (/[^\d.,+\-−eE\s]/.test(data)) {
    event.preventDefault();
    refuse(target);
    return;
  }
  if (COMMAS || !data.includes(",") || Number.isInteger(Number(target.step || NaN))) return;
  const text = data.trim();
  event.preventDefault();
  if (/^[+-]?\d*,\d*$/.test(text)) document.execCommand("insertText", false, text.replace(",", "."));
}

// In a hand the sidebar lies over the page that a link in it leads to.
function led(event) {
  if (!matchMedia("(max-width: 767px)").matches || !event.target.closest?.("[data-testid=stSidebarNavLink]")) return;
  setTimeout(() => document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click());
}

function watch() {
  if (window.liftscopeMenus) return;
  window.liftscopeMenus = new MutationObserver((records) => {
    for (const { addedNodes } of records) {
      for (const node of addedNodes) {
        const body = node instanceof Element && (node.matches(BODY) ? node : node.querySelector(BODY));
        if (body) opened(body);
      }
    }
    // Options may come, or come anew, when a word stands in the field already.
    const field = document.querySelector(`${BODY} ${FIELD}`);
    if (field?.value) look(field);
  });
  window.liftscopeMenus.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("keydown", pressed, true);
  document.addEventListener("click", chosen, true);
  document.addEventListener("click", led, true);
  document.addEventListener("beforeinput", typed, true);
}

// An option with what stands below it.
function whole(option) {
  const { parentElement: around, nextElementSibling: below } = option;
  if (around.querySelectorAll("input[type=radio]").length === 1) return [around];
  return below && !below.querySelector("input") && !below.matches("label") ? [option, below] : [option];
}

// The options that have every word of a field are left, and the groups that have one of them. The first
// letters of an option's name count as a word of it: what the papers call PML has its name in full.
function look(field) {
  const body = field.closest(BODY);
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let left = 0;
  for (const group of body.querySelectorAll("[data-testid=stRadio]")) {
    let some = false;
    const title = group.querySelector("[data-testid=stWidgetLabel]")?.textContent || "";
    for (const option of group.querySelectorAll("label:has(input[type=radio])")) {
      const parts = whole(option);
      const short = option.textContent.split(/[^\p{L}]+/u).map((word) => word.charAt(0)).join("");
      const content = [title, short, ...parts.map((part) => part.textContent)].join(" ").toLowerCase();
      const fits = words.every((word) => content.includes(word));
      for (const part of parts) part.style.display = fits ? "" : "none";
      some ||= fits;
      left += fits;
    }
    group.closest("[data-testid=stElementContainer]").style.display = some ? "" : "none";
  }
  body.querySelector(".lsc-none").hidden = left > 0;
}

export default function ({ data, parentElement }) {
  watch();
  const field = parentElement.querySelector(FIELD);
  if (!data || !field) return;
  field.placeholder = data.label;
  field.setAttribute("aria-label", data.label);
  field.oninput = () => {
    look(field);
    field.closest(BODY).scrollTop = 0;
  };
}
