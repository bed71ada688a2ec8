"""Collapsing end components: a model in which no scheduler can linger, with the same values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pymc_games.explicit import Bools, Ints


@dataclass(frozen=True)
class Quotient:
    """Rows in which each end component is one state that keeps only the choices that leave it.

    Attributes
    ----------
    state_to_block : int64 array, shape (original states,)
    choice_origin, branch_origin : int64 arrays
        The original number of each choice and branch that was kept.
    state_to_choices, choice_to_branches, branch_to_target : int64 arrays
        The rows of the quotient.
    """

    state_to_block: Ints
    choice_origin: Ints
    branch_origin: Ints
    state_to_choices: Ints
    choice_to_branches: Ints
    branch_to_target: Ints

    @property
    def blocks(self) -> int:
        """Number of states of the quotient."""
        return len(self.state_to_choices) - 1


def collapse(
    member: Ints, internal: Bools, choice_to_state: Ints, choice_to_branches: Ints, branch_to_target: Ints
) -> Quotient:
    """Return the quotient by end components.

    Parameters
    ----------
    member : int64 array, shape (states,)
        End component of each state; -1 outside of all.
    internal : bool array, shape (choices,)
        Choices to drop; every component must keep at least one.
    choice_to_state, choice_to_branches, branch_to_target : int64 arrays
        The rows of the model.
    """
    states = len(member)
    key = np.where(member >= 0, member, np.arange(states) + states)
    block = np.unique(key, return_inverse=True)[1].astype(np.int64)
    kept = np.flatnonzero(~internal)
    owner = block[choice_to_state[kept]]
    order = np.argsort(owner, kind="stable")
    choices = kept[order]
    state_to_choices = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=int(block.max()) + 1))))
    lengths = np.diff(choice_to_branches)[choices]
    rows = np.concatenate(([0], np.cumsum(lengths)))
    branches = np.repeat(choice_to_branches[choices] - rows[:-1], lengths) + np.arange(rows[-1])
    return Quotient(block, choices, branches, state_to_choices, rows, block[branch_to_target[branches]])
