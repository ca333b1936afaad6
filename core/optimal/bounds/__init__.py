"""What no mechanism exceeds: proofs that no allowed output undercuts the duals."""
