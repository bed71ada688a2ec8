"""Graph analysis: who can force what, strongly connected components, end components.

Everything here looks at which branches exist, never at their probabilities. Two players are told apart by one mask:
*reachers* need one good choice, all others need all their choices to be good. An MDP is the case of one player.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from pymc_games.errors import UnsupportedError
from pymc_games.explicit import Bools, ExplicitModel, Ints


@dataclass(frozen=True)
class Graph:
    """The rows of a model, and the same rows backwards.

    ``choice_to_state`` is the owner of each choice; the choices with a branch to state ``t`` are
    ``predecessor_choice[predecessors[t] : predecessors[t + 1]]``.
    """

    state_to_choices: Ints
    choice_to_branches: Ints
    branch_to_target: Ints
    choice_to_state: Ints
    predecessors: Ints
    predecessor_choice: Ints

    @classmethod
    def of(cls, model: ExplicitModel) -> Graph:
        """Return the graph of a model."""
        return cls.from_rows(model.state_to_choices, model.choice_to_branches, model.branch_to_target)

    @classmethod
    def from_rows(cls, state_to_choices: Ints, choice_to_branches: Ints, branch_to_target: Ints) -> Graph:
        """Return the graph of three arrays in compressed row form."""
        # Kernels are compiled once, for this one kind of array; a read-only view would have them compiled again.
        state_to_choices, choice_to_branches, branch_to_target = (
            np.require(array, np.int64, ["C", "W"])
            for array in (state_to_choices, choice_to_branches, branch_to_target)
        )
        states, choices = len(state_to_choices) - 1, len(choice_to_branches) - 1
        if max(choices, len(branch_to_target)) >= 2**31:
            raise UnsupportedError(f"{len(branch_to_target)} branches; the engine takes fewer than 2^31")
        owner = np.repeat(np.arange(states, dtype=np.int64), np.diff(state_to_choices))
        predecessors, predecessor_choice = _reverse(states, choices, choice_to_branches, branch_to_target)
        return cls(state_to_choices, choice_to_branches, branch_to_target, owner, predecessors, predecessor_choice)

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.state_to_choices) - 1

    @property
    def choices(self) -> int:
        """Number of choices."""
        return len(self.choice_to_branches) - 1

    def attractor(
        self,
        seed: Bools,
        reacher: Bools,
        within: Bools | None = None,
        allowed: Bools | None = None,
        ignored: Bools | None = None,
    ) -> Ints:
        """Return ranks of the states from which reachers can force a positive probability of reaching ``seed``.

        Parameters
        ----------
        seed, reacher : bool arrays, shape (states,)
        within : bool array, shape (states,), optional
            Only these states are added to the seed.
        allowed : bool array, shape (choices,), optional
            Reachers may use only these choices; another player's state with a choice that is not allowed is never
            added.
        ignored : bool array, shape (choices,), optional
            Choices that the other players do not have.

        Returns
        -------
        int64 array, shape (states,)
            0 in the seed; otherwise the least number such that a reacher has an allowed choice, and any other player
            only choices, with a branch to a smaller rank; -1 for states outside.
        """
        missing = np.diff(self.state_to_choices)
        if ignored is not None:
            missing = missing - np.add.reduceat(ignored.astype(np.int64), self.state_to_choices[:-1])
        everywhere = np.ones(self.states, dtype=np.bool_)
        usable = np.ones(self.choices, dtype=np.bool_) if allowed is None else allowed
        usable = usable if ignored is None else usable & ~ignored
        return _attractor(
            missing, self.choice_to_state, self.predecessors, self.predecessor_choice,
            seed, reacher, everywhere if within is None else within, usable,
        )  # fmt: skip

    def almost_sure(
        self, target: Bools, reacher: Bools, within: Bools | None = None, allowed: Bools | None = None
    ) -> Bools:
        r"""Return the states from which reachers can force the target with probability 1.

        The nested fixpoint :math:`\nu Y. \mu X.\, T \cup \mathrm{force}(\text{stay in } Y, \text{hit } X)`.
        """
        return self.losing_rounds(target, reacher, within, allowed) == 0

    def losing_rounds(
        self, target: Bools, reacher: Bools, within: Bools | None = None, allowed: Bools | None = None
    ) -> Ints:
        """Return when each state is found not to be almost sure; 0 for the almost-sure states.

        Where the target cannot be forced at all a new round begins; a state from which opponents can force a positive
        probability of going there is found right after. An opponent in a state of round ``k`` has a choice with a
        branch to a smaller round above 0, or else one with all branches to round ``k``: either keeps the probability of
        the target below 1.
        """
        inside = np.ones(self.states, dtype=np.bool_) if within is None else within | target
        banned = None if allowed is None else reacher[self.choice_to_state] & ~allowed
        rounds = np.zeros(self.states, dtype=np.int64)
        lost = ~inside
        while True:
            if lost.any():
                distance = self.attractor(lost, ~reacher, inside & ~target, None, banned)
                new = (distance >= 0) & (rounds == 0)
                rounds[new] = rounds.max() + 1 + distance[new]
                inside = rounds == 0
            staying = self.choices_inside(inside)
            if allowed is not None:
                staying &= allowed | ~reacher[self.choice_to_state]
            lost = inside & (self.attractor(target, reacher, inside, staying) < 0)
            if not lost.any():
                return rounds

    def choices_inside(self, states: Bools) -> Bools:
        """Return the choices whose every branch leads into ``states``; shape (choices,)."""
        return np.logical_and.reduceat(states[self.branch_to_target], self.choice_to_branches[:-1])

    def components(self, within: Bools, allowed: Bools | None = None) -> tuple[Ints, Ints]:
        """Return the strongly connected components of the subgraph on ``within``, successors first.

        Returns
        -------
        order : int64 array
            The states of ``within``, component by component; a component comes after all that it leads to.
        starts : int64 array, shape (components + 1,)
            Where each component begins in ``order``.
        """
        every_choice = np.ones(self.choices, dtype=np.bool_)
        return _tarjan(
            self.state_to_choices, self.choice_to_branches, self.branch_to_target,
            within, every_choice if allowed is None else allowed,
        )  # fmt: skip

    def end_components(self, within: Bools, allowed: Bools | None = None) -> tuple[Ints, Bools]:
        """Return the maximal end components of the sub-MDP on ``within`` with the choices ``allowed``.

        Returns
        -------
        member : int64 array, shape (states,)
            Number of the end component of each state, -1 for none.
        internal : bool array, shape (choices,)
            The choices that stay in their end component.
        """
        internal = self.choices_inside(within) & within[self.choice_to_state]
        if allowed is not None:
            internal &= allowed
        alive = within & self.owners_of(internal)
        nobody = np.zeros(self.states, dtype=np.bool_)
        while True:
            order, starts = self.components(alive, internal)
            member = np.full(self.states, -1, dtype=np.int64)
            member[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            kept = internal & _stays(self.choice_to_branches, self.branch_to_target, self.choice_to_state, member)
            if (kept == internal).all():
                return member, internal
            # A state without a choice takes with it all choices that lead to it, and so on.
            dead = self.attractor(~(alive & self.owners_of(kept)), nobody, None, None, ~kept) >= 0
            alive = ~dead
            internal = kept & self.choices_inside(alive) & alive[self.choice_to_state]

    def owners_of(self, choices: Bools) -> Bools:
        """Return the states with at least one of ``choices``."""
        return np.logical_or.reduceat(choices, self.state_to_choices[:-1])


@njit(cache=True)
def _stays(choice_to_branches, branch_to_target, choice_to_state, member):  # type: ignore[no-untyped-def]
    stays = np.ones(len(choice_to_state), dtype=np.bool_)
    for choice in range(len(choice_to_state)):
        home = member[choice_to_state[choice]]
        for branch in range(choice_to_branches[choice], choice_to_branches[choice + 1]):
            if home < 0 or member[branch_to_target[branch]] != home:
                stays[choice] = False
                break
    return stays


@njit(cache=True)
def _reverse(states, choices, choice_to_branches, branch_to_target):  # type: ignore[no-untyped-def]
    starts = np.zeros(states + 1, dtype=np.int64)
    for target in branch_to_target:
        starts[target + 1] += 1
    for state in range(states):
        starts[state + 1] += starts[state]
    place = starts[:-1].copy()
    owners = np.empty(len(branch_to_target), dtype=np.int32)
    for choice in range(choices):
        for branch in range(choice_to_branches[choice], choice_to_branches[choice + 1]):
            target = branch_to_target[branch]
            owners[place[target]] = choice
            place[target] += 1
    return starts, owners


@njit(cache=True)
def _attractor(  # type: ignore[no-untyped-def]
    missing, choice_to_state, predecessors, predecessor_choice, seed, reacher, within, usable
):
    """Search backwards from ``seed``; ``missing`` counts the choices of each state not yet seen to lead there."""
    states = len(seed)
    rank = np.full(states, -1, dtype=np.int64)
    hit = np.zeros(len(choice_to_state), dtype=np.bool_)
    queue = np.empty(states, dtype=np.int64)
    head = tail = 0
    for state in range(states):
        if seed[state]:
            rank[state] = 0
            queue[tail] = state
            tail += 1
    while head < tail:
        target = queue[head]
        head += 1
        for k in range(predecessors[target], predecessors[target + 1]):
            choice = predecessor_choice[k]
            if hit[choice] or not usable[choice]:
                continue
            hit[choice] = True
            state = choice_to_state[choice]
            missing[state] -= 1
            if rank[state] < 0 and within[state] and (reacher[state] or missing[state] == 0):
                rank[state] = rank[target] + 1
                queue[tail] = state
                tail += 1
    return rank


@njit(cache=True)
def _unvisited(state, rows, within, allowed, search):  # type: ignore[no-untyped-def]
    """Return the next successor of ``state`` that the search has not met, or -1; on the way, lower ``low[state]``."""
    state_to_choices, choice_to_branches, branch_to_target = rows
    next_choice, next_branch, index, low, on_stack = search
    while next_choice[state] < state_to_choices[state + 1]:
        choice = next_choice[state]
        end = choice_to_branches[choice + 1]
        while allowed[choice] and next_branch[state] < end:
            target = branch_to_target[next_branch[state]]
            if within[target] and index[target] < 0:
                return target
            if within[target] and on_stack[target] and index[target] < low[state]:
                low[state] = index[target]
            next_branch[state] += 1
        next_choice[state] += 1
        next_branch[state] = end
    return -1


@njit(cache=True)
def _tarjan(state_to_choices, choice_to_branches, branch_to_target, within, allowed):  # type: ignore[no-untyped-def]
    """Tarjan's algorithm without recursion; components come out successors first.

    Inside a component, too, states come in the order in which the search finished them: all but the edges that close
    cycles then lead to earlier states, which is the best order for sweeps.
    """
    states = len(within)
    # Half-size integers: this search needs more memory than the model does.
    index = np.full(states, -1, dtype=np.int32)
    low = np.zeros(states, dtype=np.int32)
    on_stack = np.zeros(states, dtype=np.bool_)
    next_choice = state_to_choices[:-1].astype(np.int32)
    next_branch = choice_to_branches[state_to_choices[:-1]].astype(np.int32)
    path, stack, finished = np.empty((3, states), dtype=np.int32)
    order = np.empty(states, dtype=np.int64)
    starts = np.zeros(states + 1, dtype=np.int64)
    rows = state_to_choices, choice_to_branches, branch_to_target
    search = next_choice, next_branch, index, low, on_stack
    counter = height = done = filled = components = 0
    for root in range(states):
        if not within[root] or index[root] >= 0:
            continue
        path[0] = root
        depth = 1
        while depth > 0:
            state = path[depth - 1]
            if index[state] < 0:
                index[state] = low[state] = counter
                counter += 1
                stack[height] = state
                height += 1
                on_stack[state] = True
            target = _unvisited(state, rows, within, allowed, search)
            if target >= 0:
                path[depth] = target
                depth += 1
                continue
            depth -= 1
            if depth > 0 and low[state] < low[path[depth - 1]]:
                low[path[depth - 1]] = low[state]
            finished[done] = state
            done += 1
            if low[state] == index[state]:
                size = 0
                while size == 0 or stack[height] != state:
                    height -= 1
                    on_stack[stack[height]] = False
                    size += 1
                done -= size
                order[filled : filled + size] = finished[done : done + size]
                filled += size
                components += 1
                starts[components] = filled
    return order[:filled].copy(), starts[: components + 1].copy()
