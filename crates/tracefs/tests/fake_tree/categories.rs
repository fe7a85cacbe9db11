//! Categories that need more than events.

use traceloom_tracefs::{CategoryError, Properties};

use crate::fake::World;

#[test]
fn unavailable_categories_have_a_reason() {
    let world = World::new();
    let names = ["sched", "nonsense", "mmc", "thermal", "core_services"].map(str::to_owned);
    let (chosen, errors) = world.catalog.choose(&names, &world.tree, &world.store);
    assert_eq!(chosen.len(), 1);
    let expected = [
        CategoryError::Unknown("nonsense".into()),
        CategoryError::Unsupported("mmc".into()),
        // It has a tag, but its required event is missing.
        CategoryError::Unsupported("thermal".into()),
        CategoryError::Unsupported("core_services".into()),
    ];
    assert_eq!(errors, expected);
}

#[test]
fn core_services_are_apps() {
    let world = World::new();
    world
        .store
        .set(
            "ro.atrace.core.services",
            "com.android.phone,com.android.settings",
        )
        .unwrap();
    let mut config = world.config(&["core_services"]);
    config.apps = vec!["mine".into()];
    let session = world.start(&config).unwrap();
    let app = |number| world.store.get(&format!("debug.atrace.app_{number}"));
    let apps = [app("0"), app("1"), app("2"), app("number")].map(Option::unwrap);
    assert_eq!(
        apps,
        ["mine", "com.android.phone", "com.android.settings", "3"]
    );
    drop(session);
    assert_eq!(app("number"), None);
}
