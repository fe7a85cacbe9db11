// Light or dark: as the system is set, or as the user chose.
import {readColours, setRanks} from "ui/colours";
import {remember} from "app/settings";
import {toast} from "ui/toast";

/**
 * @param {import("app/state").Store} store
 * @param {import("app/panels").Source} source
 * @param {() => void} redraw
 */
export function startTheme(store, source, redraw) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const {theme} = store.get();
    const dark = theme === "dark" || (theme === "system" && system.matches);
    document.documentElement.toggleAttribute("data-dark", dark);
    readColours(dark);
    redraw();
  };
  const recolour = async () => {
    try {
      setRanks(store.get().colours === "rank" ? (await source.ask({op: "ranks"})).rank : null);
    } catch (error) {
      toast(`No ranks: ${error instanceof Error ? error.message : error}`, true);
    }
    redraw();
  };
  remember(store, "theme");
  system.addEventListener("change", apply);
  store.on(["theme"], apply);
  store.on(["colours"], recolour);
  apply();
  if (store.get().colours === "rank") recolour();
}
