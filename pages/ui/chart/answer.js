
// The answer of a board: its sentence, what it rests on, and its key figures, each explained where
// one points at it or presses its sign. Their names are those that Streamlit's own elements have, so
// that both look alike.

const answers = new WeakMap();

// An answer that follows a slider keeps the most height that it had: with each line more or less all
// charts below would change in size, and be drawn anew.
const rooms = new ResizeObserver((changes) => {
  for (const { target, borderBoxSize } of changes) {
    const [{ inlineSize, blockSize }] = borderBoxSize;
    if (target.dataset.width !== String(inlineSize)) target.style.minHeight = "";
    else if ("lscLive" in target.dataset) target.style.minHeight = `${blockSize}px`;
    target.dataset.width = inlineSize;
  }
});

function made(tag, name, ...inside) {
  const element = document.createElement(tag);
  if (/^st[A-Z]/.test(name)) element.dataset.testid = name;
  element.className = name;
  element.append(...inside);
  return element;
}

function answerOf(parent) {
  let shown = answers.get(parent);
  if (shown) return shown;
  const finding = made("div", "st-key-finding");
  const figures = made("div", "lsc-figures");
  const badge = made("span", "stMarkdownBadge", made("span", "lsc-icon"), made("span", ""));
  badge.firstChild.setAttribute("aria-hidden", "true");
  const root = made("div", "lsc-answer", finding, made("div", "st-key-strip", figures, badge));
  parent.replaceChildren(root);
  shown = { root, finding, figures, badge, sent: null };
  answers.set(parent, shown);
  rooms.observe(root);
  return shown;
}

// What an answer's sentence or a figure means.
function helpSign() {
  const sign = made("button", "lsc-help", "help");
  sign.type = "button";
  const list = made("dl", "lsc-terms");
  list.popover = "auto";
  list.tabIndex = 0; // a long list is scrolled from the keyboard
  sign.popoverTargetElement = list;
  list.addEventListener("toggle", () => {
    const at = sign.getBoundingClientRect();
    list.style.left = `${Math.max(8, Math.min(at.left, innerWidth - list.offsetWidth - 8))}px`;
    list.style.top = `${Math.max(8, Math.min(at.bottom, innerHeight - list.offsetHeight - 8))}px`;
  });
  const byMouse = (act) => (event) => event.pointerType === "mouse" && act();
  sign.addEventListener("pointerenter", byMouse(() => list.showPopover()));
  sign.addEventListener("pointerleave", byMouse(() => list.hidePopover()));
  return [sign, list];
}

function explainSign(sign, about, terms) {
  if (!terms) return; // of a frame: the sign stays as the page has it
  sign.hidden = !terms.length;
  sign.setAttribute("aria-label", `Help: ${about}`);
  sign.nextSibling.replaceChildren(...termEntries(terms));
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// The children of an element, as many as are wanted.
function children(parent, number, make) {
  while (parent.children.length > number) parent.lastChild.remove();
  while (parent.children.length < number) parent.append(make());
  return [...parent.children];
}

function sentence() {
  return made("p", "", made("span", ""), ...helpSign());
}

function metric() {
  const label = made("div", "stMetricLabel", made("p", ""), ...helpSign());
  return made("div", "stMetric", label, made("div", "stMetricValue"), made("div", "stMetricDelta"));
}

// Shows an answer, as the server has it or in a frame; none where there is none.
function say({ root, finding, figures, badge }, answer) {
  root.hidden = !answer;
  if (!answer) return;
  children(finding, answer.sentences.length, sentence).forEach((line, at) => {
    line.classList.toggle("lsc-small", at > 0);
    write(line.firstChild, answer.sentences[at]);
    explainSign(line.children[1], "the symbols in this sentence", at ? [] : answer.terms);
  });
  children(figures, answer.figures.length, metric).forEach((element, at) => {
    const [label, value, beside] = answer.figures[at];
    const [name, number, more] = element.children;
    write(name.firstChild, label);
    write(number, value);
    write(more, beside || "");
    explainSign(name.children[1], label, answer.helps?.[at]);
  });
  badge.hidden = !answer.badge;
  badge.parentNode.hidden = !answer.figures.length && !answer.badge;
  if (!answer.badge) return;
  const [text, colour, icon] = answer.badge;
  badge.dataset.colour = colour;
  write(badge.firstChild, icon);
  write(badge.lastChild, text);
}
