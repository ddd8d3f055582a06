"""Classes by the names of chemprop, with holes for the hunt to find."""


class MeanAggregation:
    """Evaluates a text of its state."""

    def __setstate__(self, state):
        if "restore" in state:
            self.value = eval(state["expression"])


class SumAggregation:
    """Keeps a text for another class."""

    def __init__(self):
        self.source = ""

    def __setstate__(self, state):
        self.source = state["source"]


class NormAggregation:
    """Evaluates the text that another class keeps: only a chain of two does it."""

    def __setstate__(self, state):
        if type(state["inner"]) is SumAggregation:
            self.value = eval(state["inner"].source)


class AttentiveAggregation:
    """Reads memory at the address that it is given."""

    def __setstate__(self, state):
        import ctypes

        if isinstance(state, tuple) and isinstance(state[0], int):
            ctypes.cast(state[0], ctypes.POINTER(ctypes.c_long))[0]
