"""How to say it shorter: escalation over a model, extraction without one. Pure generators, driven from above."""
