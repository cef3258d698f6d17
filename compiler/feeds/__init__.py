"""What goes into a call and what comes out: read from `main`, checked, fitted, spread, packed."""
