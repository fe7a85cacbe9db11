// A banner that says that the server has stopped, and how to start it again. The time line stays as it is.
import {el, icon, iconButton} from "ui/dom";
import {copy} from "ui/toast";

/** The name of a file as a word of a command line. A name that begins like an option does not become one. @param {string} name */
function quoted(name) {
  const word = name.startsWith("-") ? `./${name}` : name;
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Adds a banner while the server does not answer. @param {import("app/panels").Context} context @param {HTMLElement} before the element below the banner */
export function watchServer({meta}, before) {
  const command = ["traceloom view", ...meta.sources.map((/** @type {{name: string}} */ {name}) => quoted(name))].join(" ");
  const banner = el("div", {class: "banner", role: "alert", "data-testid": "gone"}, icon("warn"),
    el("span", {}, "The server has stopped, so nothing new can be shown. To go on, run ", el("code", {}, command), " and open the address that it prints."),
    el("button", {type: "button", class: "link", onclick: () => copy(command, "Command")}, "Copy the command"), iconButton("close", "Dismiss", () => banner.remove()));
  let here = true;
  addEventListener("server", event => {
    const {detail} = /** @type {CustomEvent<boolean>} */ (event);
    if (detail === here) return;
    here = detail;
    if (here) banner.remove();
    else before.before(banner);
  });
}
