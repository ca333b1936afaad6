// How far work is: a bar and a sentence, asked for by the clock until the work is over. Then the part
// of the page that shows them runs again; until then nothing of the page does.

const views = new WeakMap();

// Milliseconds after which a page that was told and still shows the work is told again.
const PATIENCE = 10000;

function build(parent) {
  const frame = document.createElement("div");
  frame.className = "lsc-work stProgress";
  frame.dataset.testid = "stProgress";
  const line = document.createElement("p");
  const bar = document.createElement("div");
  bar.className = "lsc-work-bar";
  bar.setAttribute("role", "progressbar");
  bar.setAttribute("aria-valuemin", 0);
  bar.setAttribute("aria-valuemax", 100);
  bar.append(document.createElement("div"));
  frame.append(line, bar);
  parent.replaceChildren(frame);
  return { frame, line, bar, reported: -Infinity };
}

function show({ frame, line, bar }, { share, text }) {
  const percent = Math.round(100 * share);
  frame.hidden = !text;
  line.textContent = line.title = text; // a board has room for one line of it
  bar.firstChild.style.width = `${percent}%`;
  bar.setAttribute("aria-valuenow", percent);
  bar.setAttribute("aria-label", text);
}

async function look(view, parent) {
  view.looks = true;
  while (parent.isConnected) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * view.data.every));
    const { data } = view;
    const response = parent.isConnected && (await fetch(data.address).catch(() => null));
    if (!response || data !== view.data) continue; // no connection, or a newer message
    if (response.status === 200) show(view, await response.json());
    else if (response.status === 204 && performance.now() - view.reported > PATIENCE) {
      view.reported = performance.now();
      view.tell("over", true);
    }
  }
  view.looks = false;
}

export default function ({ data, parentElement, setTriggerValue }) {
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = build(parentElement)));
  Object.assign(view, { data, tell: setTriggerValue, reported: -Infinity });
  show(view, data);
  if (!view.looks) look(view, parentElement);
}
