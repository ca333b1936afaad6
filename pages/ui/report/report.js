// Draws the charts; on paper they take the paper's width.
const PRINTED = 690;

FIGURES.forEach(({ data, layout }, place) => {
  const font = { family: getComputedStyle(document.body).fontFamily, ...layout.font };
  const settings = { displaylogo: false, responsive: true, showSendToCloud: false };
  // on a transparent chart Plotly's own buttons are white on gray
  const modebar = { bgcolor: "#fff", color: "#5d636c", activecolor: "#23272f" };
  Plotly.newPlot(`chart${place}`, data, { ...layout, font, modebar, autosize: true }, settings);
});

const charts = () => [...document.querySelectorAll(".chart")];
window.addEventListener("beforeprint", () => {
  for (const chart of charts()) Plotly.relayout(chart, { width: PRINTED, autosize: false });
});
window.addEventListener("afterprint", () => {
  for (const chart of charts()) Plotly.relayout(chart, { width: null, autosize: true });
});
