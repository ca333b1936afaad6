
// What the symbols and acronyms of a chart mean: in a list that a button opens, and over each of
// the chart's texts that has some.

function termsList(chart, bar) {
  const opener = document.createElement("button");
  const list = document.createElement("dl");
  Object.assign(opener, {
    type: "button",
    className: "lsc-opener",
    textContent: chart.fills ? "?" : "Symbols",
    title: "What the symbols and acronyms in this chart mean",
    hidden: true,
  });
  opener.setAttribute("aria-label", "Symbols");
  list.className = "lsc-terms";
  list.popover = "auto";
  list.tabIndex = 0; // a long list is scrolled from the keyboard
  opener.popoverTargetElement = list;
  list.addEventListener("toggle", () => place(list, opener));
  bar.prepend(opener, list);
  Object.assign(chart, { opener, list });
}

// Above the button, within the window.
function place(list, opener) {
  const at = opener.getBoundingClientRect();
  const box = list.getBoundingClientRect();
  list.style.left = `${Math.max(8, Math.min(at.left, innerWidth - box.width - 8))}px`;
  list.style.top = `${Math.max(8, at.top - box.height - 4)}px`;
}

function termEntries(terms) {
  const entry = (kind, words) => Object.assign(document.createElement(kind), { textContent: words });
  return terms.flatMap(([sign, meaning]) => [entry("dt", sign), entry("dd", meaning)]);
}

function explain(chart) {
  const { terms, hints } = chart.message;
  chart.opener.hidden = !terms.length;
  chart.list.replaceChildren(...termEntries(terms));
  for (const text of chart.plot.querySelectorAll("[data-unformatted]")) {
    // the projector view puts two lines on one
    const { unformatted } = text.dataset;
    const hint = hints[unformatted] || hints[unformatted.replace(" <span", "<br><span")];
    let title = text.parentNode.querySelector(":scope > title");
    if (!hint) {
      if (title) title.remove();
      continue;
    }
    if (!title) {
      title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      text.parentNode.append(title);
    }
    text.style.pointerEvents = "all";
    title.textContent = hint;
  }
}
