"""Knockoff samplers: copies of the features, drawn without looking at the response.

One contract, :class:`losaw.knockoffs.base.KnockoffSampler`: ``fit(X, kinds)``, ``sample(rng)``.
"""

from losaw.knockoffs.base import KnockoffSampler as KnockoffSampler
from losaw.knockoffs.base import make_sampler as make_sampler
