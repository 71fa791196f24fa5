"""Exceptions of the package."""


class LacunaError(ValueError):
    """An error with Lacuna's sentence: what is wrong, and what to do."""


class LacunaProcessError(LacunaError, RuntimeError):
    """The lacuna command cannot be started, is of another version, or has ended before it answered."""


class LacunaWarning(UserWarning):
    """A guess of Lacuna that changes the answer."""
