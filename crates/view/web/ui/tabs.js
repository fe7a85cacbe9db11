// Tabs: a tab list with roving focus. Each panel is created when it is first shown.
import {el} from "ui/dom";

let made = 0;

/**
 * @param {object} options
 * @param {string} options.label the purpose of the tabs, for screen readers
 * @param {(id: string) => void} [options.onSelect] the user chose a tab
 */
export function tabs({label, onSelect}) {
  const prefix = `tabs${++made}`;
  const list = el("div", {class: "tabs", role: "tablist", "aria-label": label});
  const body = el("div", {class: "tab-body"});
  /** @type {Map<string, {button: HTMLElement, panel: HTMLElement, mount: ((host: HTMLElement) => void) | null}>} */
  const all = new Map();
  let current = "";

  /** @param {string} id */
  function select(id) {
    const chosen = all.get(id);
    if (!chosen || id === current) return;
    current = id;
    for (const [other, {button, panel}] of all) {
      button.setAttribute("aria-selected", String(other === id));
      button.tabIndex = other === id ? 0 : -1;
      panel.hidden = other !== id;
    }
    const {mount} = chosen;
    chosen.mount = null;
    mount?.(chosen.panel);
  }

  /** @param {string} id */
  function choose(id) {
    select(id);
    all.get(id)?.button.focus();
    onSelect?.(id);
  }

  /** @param {string} id @param {string} text @param {(host: HTMLElement) => void} mount */
  function add(id, text, mount) {
    const button = el("button", {class: "tab", role: "tab", type: "button", id: `${prefix}-${id}`, tabindex: "-1",
      "aria-selected": "false", "aria-controls": `${prefix}-${id}-panel`, "data-testid": `tab-${id}`}, text);
    const panel = el("div", {class: "tab-panel", role: "tabpanel", id: `${prefix}-${id}-panel`,
      "aria-labelledby": `${prefix}-${id}`, "data-testid": `panel-${id}`});
    panel.hidden = true;
    button.onclick = () => choose(id);
    all.set(id, {button, panel, mount});
    list.append(button);
    body.append(panel);
  }

  list.onkeydown = event => {
    const ids = [...all].filter(([, tab]) => !tab.button.hidden).map(([id]) => id);
    const at = ids.indexOf(current);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    choose(ids[(to + ids.length) % ids.length]);
  };

  /** Shows or hides a tab. @param {string} id @param {boolean} shown */
  function show(id, shown) {
    const tab = all.get(id);
    if (tab) tab.button.hidden = !shown;
  }

  /** @param {string} id */
  const panel = id => /** @type {HTMLElement} */ (all.get(id)?.panel);

  return {list, body, add, select, show, panel, current: () => current};
}
