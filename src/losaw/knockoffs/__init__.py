"""Knockoff samplers: copies of the features, drawn without looking at the response.

One contract, :class:`losaw.knockoffs.sampler.KnockoffSampler`: ``fit(X, kinds)``, ``sample(rng)``.
"""

from losaw.knockoffs.sampler import KnockoffSampler as KnockoffSampler
from losaw.knockoffs.sampler import make_sampler as make_sampler
