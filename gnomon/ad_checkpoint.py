"""checkpoint (remat) and its policies: what the backward pass keeps and what it computes again."""
from gnomon.api.checkpoint import checkpoint, checkpoint_name, checkpoint_policies, print_saved_residuals, remat
from gnomon.ir.op import primitive as _primitive
from gnomon.ops.nested.remat import Name as _Name, Offloadable, Recompute, Saveable

name_p = _primitive(_Name)
checkpoint_name_fwd = checkpoint_name

__all__ = ["Offloadable", "Recompute", "Saveable", "checkpoint", "checkpoint_name", "checkpoint_name_fwd", "checkpoint_policies", "name_p",
           "print_saved_residuals", "remat"]
