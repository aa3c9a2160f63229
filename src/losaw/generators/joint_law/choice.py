"""The choice of a generator's joint law: the given law, or else a law fitted on demand."""

from losaw.generators.joint_law.fit import fitted
from losaw.generators.joint_law.law import JointLaw, JointLawError, JointLawSpecification


def given_or_fitted(specification: JointLawSpecification, joint_law: JointLaw | None) -> JointLaw:
    """Return the law to draw from: the given law if it fits the specification, else a fitted law.

    Raises
    ------
    JointLawError
        If ``joint_law`` was fitted to another specification.
    """
    if joint_law is None:
        return fitted(specification)
    if joint_law.specification != specification:
        raise JointLawError(
            f"joint_law is {joint_law.specification.identifier!r}, this generator needs "
            f"{specification.identifier!r}"
        )
    return joint_law
