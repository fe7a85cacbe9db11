// Settings of the user, not of the trace: the browser remembers them, and a link does not contain them.
import {el} from "ui/dom";
import {addActions} from "app/actions";
import {sheet} from "app/sheet";

/** @typedef {import("app/state").Store} Store */
/** @typedef {"theme" | "colours" | "wheel" | "grid"} Key */

/** The settings: their values, and what each means. @type {{key: Key, title: string, values: [string, string][]}[]} */
export const SETTINGS = [
  {key: "wheel", title: "Wheel", values: [["zoom", "zooms; with Alt it scrolls the rows"], ["rows", "scrolls the rows; with Ctrl it zooms, as in Perfetto"]]},
  {key: "grid", title: "VSYNC and deadline lines", values: [["shown", "shown, where the trace has them"], ["hidden", "hidden"]]},
  {key: "theme", title: "Appearance", values: [["system", "as the system"], ["light", "light"], ["dark", "dark"]]},
  {key: "colours", title: "Colours", values: [["name", "by name"], ["rank", "Traceview's, by rank"]]},
];

/** Remembers a key of the state, if the browser has a storage. @param {Store} store @param {Key} key */
export function remember(store, key) {
  const name = `traceloom.${key}`, values = SETTINGS.find(setting => setting.key === key)?.values ?? [];
  try {
    const kept = localStorage.getItem(name);
    if (values.some(([value]) => value === kept)) store.set({[key]: kept});
  } catch { /* a page from the disk may have no storage */ }
  store.on([key], state => {
    try { localStorage.setItem(name, state[key]); } catch { /* as above */ }
  });
}

/** @param {Store} store */
function showSettings(store) {
  sheet("Settings", "settings", ...SETTINGS.map(({key, title, values}) => el("fieldset", {class: "setting"}, el("legend", {}, title),
    ...values.map(([value, what]) => el("label", {}, el("input", {type: "radio", name: key, value, checked: store.get()[key] === value, "data-testid": `${key}-${value}`,
      onchange: () => store.set({[key]: value})}), what)))));
}

/** @param {Store} store */
export function startSettings(store) {
  remember(store, "wheel");
  remember(store, "grid");
  const open = () => showSettings(store);
  addActions({group: "Find and mark", keys: [","], what: "settings", run: open},
    ...SETTINGS.flatMap(({key, title, values}) => values.map(([value, what]) => ({what: `${title}: ${what}`, run: () => store.set({[key]: value}), when: () => store.get()[key] !== value}))));
  return open;
}
