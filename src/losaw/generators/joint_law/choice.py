"""Which joint law a generator draws from: the one it was handed, or one fitted on the spot."""

from losaw.generators.joint_law.fit import fitted
from losaw.generators.joint_law.law import JointLaw, JointLawError, JointLawSpecification


def given_or_fitted(specification: JointLawSpecification, joint_law: JointLaw | None) -> JointLaw:
    """Return the law to draw from: the given one if it is the right one, else a fitted one.

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
