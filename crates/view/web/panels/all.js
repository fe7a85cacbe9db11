// Registers the panels of the profile, and the events.
import {registerPanel} from "app/panels";
import {diffPanel} from "panels/diff";
import {eventsPanel} from "panels/events";
import {profilePanel} from "panels/profile";

registerPanel(profilePanel);
registerPanel(diffPanel);
registerPanel(eventsPanel);
