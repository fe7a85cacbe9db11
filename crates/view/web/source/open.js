// Chooses the source of answers: the report itself, or the server that sent the page.

import {isReport} from "source/elements";
import {embeddedSource} from "source/embedded";
import {serverSource} from "source/server";

/** @returns {import("source/source").TraceSource} */
export function openSource() {
  return isReport() ? embeddedSource() : serverSource();
}
