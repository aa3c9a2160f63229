"""Neural networks trained on losaw mini-batches, and the mini-batches for any framework.

Nothing here imports JAX before a network is fitted; the mini-batches never do.
"""

from losaw.network.feature_weights import FeatureWeights
from losaw.network.mini_batches import LosawMiniBatches
from losaw.network.regressor import LosawNetworkRegressor, NetworkRegressor

__all__ = ["FeatureWeights", "LosawMiniBatches", "LosawNetworkRegressor", "NetworkRegressor"]
