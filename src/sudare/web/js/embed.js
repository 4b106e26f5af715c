/**
 * A survey on another page, in a frame: what is typed in it stays out of that page's reach.
 *
 *     <script src="https://survey.example/embed.js" data-survey="tea" async></script>
 *
 * `data-page="results"` shows the results, `data-lang` chooses a language, `data-height` the height
 * in pixels until the frame has said its own, `data-title` what a screen reader calls it,
 * `data-place` lets the survey ask where the device is. The collection names the page's origin under
 * `frame_ancestors`.
 */
(() => {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement) || !script.dataset.survey) return;
  const { survey, page, lang, height = "640", title = survey, place } = script.dataset;
  const path = encodeURIComponent(survey) + (page === "results" ? "/results" : "");
  const address = new URL(path, script.src);
  if (lang) address.searchParams.set("lang", lang);

  const frame = document.createElement("iframe");
  frame.src = address.href;
  frame.title = title;
  if (place !== undefined) frame.allow = "geolocation";
  frame.style.cssText = "display: block; width: 100%; border: 0;";
  frame.style.height = `${Math.max(120, Number.parseInt(height, 10) || 640)}px`;

  addEventListener("message", ({ origin, source, data }) => {
    if (origin !== address.origin || source !== frame.contentWindow) return;
    if (data?.sudare !== "height" || !Number.isFinite(data.height)) return;
    frame.style.height = `${Math.min(20_000, Math.max(120, data.height))}px`;
  });
  frame.addEventListener("load", () => {
    frame.contentWindow?.postMessage({ sudare: "height?" }, address.origin);
  });
  script.after(frame);
})();
