"""Upper bounds: proofs that no allowed output undercuts the duals."""
