"""Values from what files hold: which column means what is decided here, for all formats alike."""
