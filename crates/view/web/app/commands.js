// The actions of the whole page: the palette, the tabs, and facts about the trace.
import {addActions} from "app/actions";
import {showPalette} from "app/palette";
import {panels} from "app/panels";

/** @typedef {import("app/state").Store} Store */

/**
 * @param {Store} store @param {import("app/panels").Context} context
 * @param {{run: () => Promise<void>, focus: () => void, step: (by: number) => Promise<void>}} search
 * @param {{info: () => void}} page
 */
export function startCommands(store, context, search, {info}) {
  /** Searches, and goes to the first hit. @param {string} text */
  async function find(text) {
    store.set({search: {...store.get().search, text, at: -1}});
    await search.run();
    await search.step(1);
  }
  addActions(
    {group: "Find and mark", keys: ["Ctrl+k"], what: "all commands", always: true, run: () => showPalette(context, find)},
    ...panels.filter(({when}) => !when || when(context.meta)).map(({id, title}) => ({what: `open the tab ${title}`, run: () => store.set({panel: id, chosen: true}), when: () => store.get().panel !== id})),
    {what: "about this trace", run: info},
    {what: "show hidden rows again", run: () => store.set({rows: {...store.get().rows, hidden: new Set()}}), when: () => store.get().rows.hidden.size > 0},
    {what: "remove all marks", run: () => store.set({marks: []}), when: () => store.get().marks.length > 0},
  );
}
