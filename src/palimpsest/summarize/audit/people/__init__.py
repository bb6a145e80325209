"""Who wanted, said and agreed to what, held against who did."""
