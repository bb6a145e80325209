"""Reading back what left the window, within a budget."""
