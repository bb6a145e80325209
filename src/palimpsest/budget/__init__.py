"""How much fits: token estimates, the budget of a window, and the request that is made from it."""
