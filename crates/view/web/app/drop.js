// Opens a file that is dropped on the page of a live server, in place of the current trace.

import {token} from "source/server";
import {el} from "ui/dom";
import {elide} from "ui/format";

/** The maximum number of letters shown of a file's name. */
const NAME_LETTERS = 60;

/**
 * Lets files be dropped on the page.
 *
 * @param {{live: boolean}} source A report has no server to read a file, so it shows a message.
 */
export function startDrop(source) {
  const sheet = dropSheet();
  /** The number of nested elements under the pointer. `dragleave` is sent for each element that the pointer leaves. */
  let inside = 0;
  /** @type {XMLHttpRequest | null} */
  let sending = null;

  const over = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragenter", (event) => {
    if (!over(event)) return;
    event.preventDefault();
    if (inside++ === 0 && !sending) sheet.show("Drop a trace to open it", "");
  });
  addEventListener("dragleave", (event) => {
    if (!over(event)) return;
    inside = Math.max(0, inside - 1);
    if (inside === 0 && !sending) sheet.hide();
  });
  addEventListener("dragover", (event) => {
    if (!over(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = source.live && !sending ? "copy" : "none";
  });
  addEventListener("drop", (event) => {
    if (!over(event)) return;
    event.preventDefault();
    inside = 0;
    if (!sending) open([...(event.dataTransfer?.files ?? [])]);
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || sheet.element.hidden) return;
    sending?.abort();
    sheet.hide();
    event.stopPropagation();
  }, {capture: true});

  /** @param {File[]} files */
  function open(files) {
    const trace = source.live ? one(files) : null;
    if (!trace) {
      sheet.show("This cannot be opened here", source.live
        ? "Drop one trace at a time, or its .key and .data files together."
        : "A report shows its own trace. For another: traceloom view FILE");
      return;
    }
    send(trace.name, trace.body);
  }

  /** @param {string} name @param {Blob} body */
  function send(name, body) {
    const request = new XMLHttpRequest();
    const title = `Opening ${elide(name, NAME_LETTERS)}`;
    sending = request;
    sheet.show(title, "");
    request.upload.onprogress = ({loaded, total}) => sheet.progress(loaded, total);
    request.upload.onload = () => sheet.show(title, "Preparing the trace…");
    request.onload = () => {
      sending = null;
      if (request.status !== 200) return sheet.show(`${elide(name, NAME_LETTERS)} does not open`, request.responseText.trim());
      const query = new URLSearchParams({token: token(), trace: String(JSON.parse(request.responseText).trace)});
      location.assign(`/?${query}`);
    };
    request.onerror = () => {
      sending = null;
      sheet.show(`${elide(name, NAME_LETTERS)} does not open`, "It cannot be read (it may be a folder), or the server has stopped.");
    };
    request.onabort = () => {
      sending = null;
    };
    request.open("POST", `/open?${new URLSearchParams({name})}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("x-traceloom-token", token());
    request.send(body);
  }
}

/**
 * The trace in a list of files: a single file, or the key and data files of an old method trace.
 *
 * @param {File[]} files
 * @returns {{name: string, body: Blob} | null}
 */
function one(files) {
  if (files.length === 1) return {name: files[0].name, body: files[0]};
  const [first, second] = [...files].sort((a, b) => (a.name < b.name ? 1 : -1));
  const base = (/** @type {File} */ file, /** @type {string} */ ending) =>
    file.name.endsWith(ending) ? file.name.slice(0, -ending.length) : null;
  const name = files.length === 2 ? base(first, ".key") : null;
  if (name === null || base(second, ".data") !== name) return null;
  return {name: `${name}.key`, body: new Blob([first, second])};
}

/** The sheet that covers the page while a file is dragged over it or sent. */
function dropSheet() {
  const title = el("strong"), text = el("p"), bar = el("progress");
  const close = el("button", {onclick: () => dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}))}, "Close (Esc)");
  const element = el("div", {class: "drop", hidden: true, role: "status"}, el("div", {}, title, bar, text, close));
  document.body.append(element);
  return {
    element,
    /** @param {string} what @param {string} more */
    show(what, more) {
      title.textContent = what;
      text.textContent = more;
      bar.hidden = true;
      close.hidden = more === "";
      element.hidden = false;
    },
    /** @param {number} done @param {number} total */
    progress(done, total) {
      bar.hidden = close.hidden = false;
      bar.max = total;
      bar.value = done;
      text.textContent = `${(100 * done / Math.max(total, 1)).toFixed(0)} %`;
    },
    hide() { element.hidden = true; },
  };
}
