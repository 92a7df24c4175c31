"""checkpoint (remat) and its policies: what the backward pass keeps and what it computes again."""
from gnomon.api.checkpoint import checkpoint, checkpoint_name, checkpoint_policies, print_saved_residuals, remat

__all__ = ["checkpoint", "checkpoint_name", "checkpoint_policies", "print_saved_residuals", "remat"]
