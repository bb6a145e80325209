"""What a search asks for and how a hit is shown, without a store."""
