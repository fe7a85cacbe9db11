// Registers the panels of the profile.
import {registerPanel} from "app/panels";
import {diffPanel} from "panels/diff";
import {profilePanel} from "panels/profile";

registerPanel(profilePanel);
registerPanel(diffPanel);
