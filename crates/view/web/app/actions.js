// Everything that the page can do. The keyboard, the sheet of keys and the command palette share this list.

/**
 * @typedef {object} Action
 * @property {string} what its name, in words
 * @property {string} [group] its section in the sheet of keys; without one, the action is only in the palette
 * @property {[string[], string]} [both] keys and words for a line of the sheet that covers this action and its
 *   opposite
 * @property {string[]} [keys] the keys that run it, as `keyOf` names them
 * @property {string[]} [shown] how the keys are written; missing: the first of `keys`
 * @property {() => void} [run] missing: a gesture, or a key of a part of the page that handles it itself
 * @property {boolean} [always] whether its key also works while something is being typed
 * @property {() => boolean} [when] whether it is possible now; missing: always
 */

/** The sections of the sheet of keys. */
export const GROUPS = ["Move", "Find and mark", "Select", "Rows", "Profile", "Touch"];

/** @type {Action[]} */
const all = [];

/** @param {...Action} actions */
export function addActions(...actions) { all.push(...actions); }

/** @returns {readonly Action[]} */
export const actions = () => all;

/** The name of a pressed key: `f`, `M` (with Shift), `Ctrl+k`, `Shift+ArrowLeft`. @param {KeyboardEvent} event */
export const keyOf = ({ctrlKey, metaKey, altKey, shiftKey, key}) => `${ctrlKey || metaKey ? "Ctrl+" : ""}${altKey ? "Alt+" : ""}${shiftKey && key.length > 1 ? "Shift+" : ""}${key}`;

/** @type {Record<string, string>} */
const WORDS = {ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", PageUp: "Page ↑", PageDown: "Page ↓", Escape: "Esc", "-": "−"};

/** How an action's keys are written. @param {Action} action @returns {string[]} */
export const shownKeys = ({shown, keys}) => shown ?? keys?.[0].split(/(?<=.)\+/).map(key => WORDS[key] ?? (key.length === 1 ? key.toUpperCase() : key)) ?? [];

/** The action of a key that is possible now. @param {string} key @returns {Action | undefined} */
export const actionOf = key => all.find(({keys, when}) => keys?.includes(key) && (!when || when()));
