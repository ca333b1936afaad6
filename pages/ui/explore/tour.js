// The tour: a box with the step's text, and an outline around what the step is about.

const WIDE = 768;
const UNFOLD = "[data-testid=stExpandSidebarButton]";

const tours = new WeakMap();

function build(parent) {
  const box = document.createElement("section");
  box.className = "lsc-tour";
  box.setAttribute("aria-label", "Tour of this page");
  box.hidden = true;
  const outline = document.createElement("style");
  const text = document.createElement("div");
  text.setAttribute("aria-live", "polite");
  const title = document.createElement("strong");
  const sentence = document.createElement("p");
  text.append(title, sentence);
  const row = document.createElement("div");
  row.className = "lsc-tour-row";
  const [skip, back, next] = ["Skip", "Back", "Next"].map((name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    row.append(button);
    return button;
  });
  box.append(text, row);
  parent.append(outline, box);
  const tour = { box, outline, title, sentence, skip, back, next, at: 0, steps: [], run: null };
  skip.onclick = () => close(tour);
  back.onclick = () => show(tour, tour.at - 1);
  next.onclick = () => (tour.at + 1 < tour.steps.length ? show(tour, tour.at + 1) : close(tour));
  box.addEventListener("keydown", (event) => event.key === "Escape" && close(tour));
  tour.place = () => place(tour);
  tour.observer = new ResizeObserver(tour.place);
  return tour;
}

// At the end of the sidebar where it is open beside the page, else at the end of the window.
function place(tour) {
  if (tour.box.hidden) return;
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  const side = sidebar?.getBoundingClientRect();
  const beside = window.innerWidth >= WIDE && side && side.right > 100;
  tour.box.style.width = beside ? `${side.right}px` : "100%";
  const root = document.documentElement;
  root.dataset.lscTour = beside ? "side" : "below";
  root.style.setProperty("--lsc-tour", `${tour.box.offsetHeight}px`);
}

function show(tour, at) {
  tour.at = Math.max(0, at);
  const step = tour.steps[tour.at];
  tour.box.hidden = false;
  tour.title.textContent = `${tour.at + 1} of ${tour.steps.length}: ${step.title}`;
  const folded = document.querySelector(UNFOLD) !== null;
  tour.sentence.textContent = (folded && step.folded) || step.text;
  const hidden = folded && document.querySelector(step.about)?.closest("[data-testid=stSidebar]");
  const about = hidden ? UNFOLD : step.about;
  tour.back.disabled = tour.at === 0;
  const last = tour.at + 1 === tour.steps.length;
  tour.next.textContent = last ? "Done" : "Next";
  tour.skip.hidden = last;
  tour.outline.textContent = `:is(${about}) { outline: 3px solid light-dark(#0b63a5, #6db7ee); outline-offset: 4px; border-radius: 0.4rem; }`;
  place(tour);
  document.querySelector(about)?.scrollIntoView({ block: "nearest" });
}

function open(tour) {
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (sidebar) tour.observer.observe(sidebar);
  window.addEventListener("resize", tour.place);
  show(tour, 0);
}

function close(tour) {
  tour.box.hidden = true;
  tour.outline.textContent = "";
  tour.observer.disconnect();
  window.removeEventListener("resize", tour.place);
  delete document.documentElement.dataset.lscTour;
}

export default function ({ data, parentElement }) {
  let tour = tours.get(parentElement);
  if (!tour) {
    tour = build(parentElement);
    tours.set(parentElement, tour);
    tour.run = data.run;
    tour.steps = data.steps;
  }
  if (tour.run !== data.run) {
    tour.run = data.run;
    open(tour);
    tour.next.focus();
  }
  return () => {
    if (!parentElement.isConnected) {
      close(tour);
      tours.delete(parentElement);
    }
  };
}
