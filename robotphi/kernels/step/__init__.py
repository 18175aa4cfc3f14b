"""The step: from the present state to the next, its length, its ledger, its stability."""
