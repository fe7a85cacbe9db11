// Registers the panels of the profile, the events and the log.
import {registerPanel} from "app/panels";
import {diffPanel} from "panels/diff";
import {eventsPanel} from "panels/events";
import {heapsPanel} from "panels/heaps";
import {logsPanel} from "panels/logs";
import {profilePanel} from "panels/profile";
import {samplesPanel} from "panels/samples";
import {whyPanel} from "panels/why";

registerPanel(profilePanel);
registerPanel(diffPanel);
registerPanel(whyPanel);
registerPanel(samplesPanel);
registerPanel(heapsPanel);
registerPanel(eventsPanel);
registerPanel(logsPanel);
