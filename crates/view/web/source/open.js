// Finds what this page shows: the trace in a report, or the one of the server it came from.

import {embeddedSource, isReport} from "source/embedded";
import {serverSource} from "source/server";

/** @returns {import("source/source").TraceSource} */
export function openSource() {
  return isReport() ? embeddedSource() : serverSource();
}
