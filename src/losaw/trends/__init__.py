"""Trends: in which direction, and how clearly, the response moves with a feature."""

from losaw.trends.correlation import shapley_correlation as shapley_correlation
from losaw.trends.correlation import target_correlation as target_correlation
from losaw.trends.linear import linear_coefficient as linear_coefficient
from losaw.trends.traversal_rate import absolute_traversal_rate as absolute_traversal_rate
from losaw.trends.traversal_rate import relative_traversal_rate as relative_traversal_rate
