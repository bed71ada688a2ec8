"""Compiled loops over score pairs: values of the game, and its reachable states."""

from __future__ import annotations

import numpy as np
from numba import njit

#: What a policy says of a state: roll, hold, or whatever is better for the player on move.
ROLL, HOLD, FREE = 0, 1, 2

# Below this a product might be subnormal and its rounding error no longer relative; 0 is a lower bound.
_TINY = 1e-300

# An extrapolated value is taken a little lower, so that rounding does not carry it past the fixpoint.
_CAUTION = 1.0 - 2.0**-50


@njit(cache=True)
def _play_turn(
    values: np.ndarray, after_hold: np.ndarray, policy: np.ndarray, length: int, faces: np.ndarray, weight: float,
    after_bust: float, maximise: bool,
) -> None:  # fmt: skip
    """Set the value of every turn total below ``length``, the highest first."""
    for total in range(length - 1, -1, -1):
        roll = after_bust
        for face in faces:
            roll += values[total + face]
        roll *= weight
        if roll < _TINY:
            roll = 0.0
        if total == 0 or policy[total] == ROLL:
            values[total] = roll
        elif policy[total] == HOLD:
            values[total] = after_hold[total]
        elif maximise:
            values[total] = max(roll, after_hold[total])
        else:
            values[total] = min(roll, after_hold[total])


@njit(cache=True)
def _solve_pair(
    my_turn: np.ndarray, my_hold: np.ndarray, mine: np.ndarray, mine_left: int, their_turn: np.ndarray,
    their_hold: np.ndarray, theirs: np.ndarray, theirs_left: int, faces: np.ndarray, weight: float,
) -> tuple[float, int]:  # fmt: skip
    """Bring both turns of one score pair to the fixpoint; return the chance as the opponent's turn starts, and sweeps.

    The iteration rises from 0. Every second sweep it tries to jump ahead along the line through its last two steps
    (Aitken's extrapolation), and does so only where a sweep does not lower the guess: then the guess is below the
    fixpoint, and the iterates rise from it just as well.
    """
    sweeps = 0
    start, last, guess = 0.0, -1.0, -1.0
    while True:
        trial = max(start, guess)
        _play_turn(my_turn, my_hold, mine, mine_left, faces, weight, trial, True)
        _play_turn(their_turn, their_hold, theirs, theirs_left, faces, weight, my_turn[0], False)
        after = their_turn[0]
        sweeps += 1
        if after == trial:
            return after, sweeps
        if after < trial:
            guess, last = -1.0, -1.0
            continue
        guess = -1.0
        if last >= 0.0 and after - trial < trial - last:
            slope = (after - trial) / (trial - last)
            guess = (trial + (after - trial) / (1.0 - slope)) * _CAUTION
            last = -1.0
        else:
            last = trial
        start = after


# Signatures make a kernel load when the module does, so that its first call takes no longer than others.
@njit(
    "int64(int64, int64[::1], float64, int8[:,:,::1], int8[:,:,::1], float64[:,:,::1], float64[:,:,::1])",
    cache=True,
)
def solve_pairs(
    goal: int, faces: np.ndarray, weight: float, mine: np.ndarray, theirs: np.ndarray, moving: np.ndarray,
    waiting: np.ndarray,
) -> int:  # fmt: skip
    """Fill in one player's winning chances, score pair by score pair, and return the most sweeps a pair took.

    Scores only grow, so pairs are solved in the order of falling sums. Within a pair the two values at the start of a
    turn are the only ones that depend on each other.

    Parameters
    ----------
    faces : the faces that score, the highest first
    weight : the probability of a face, rounded to the side of the bound that is wanted
    mine, theirs : int8 arrays, shape (goal, goal, goal)
        Policies of the player and of the opponent, by own score, other score and turn total.
    moving, waiting : float64 arrays, shape (goal, goal, goal + die)
        Set to the player's chance by own score, opponent's score and turn total, when the turn is the player's and
        when it is the opponent's.
    """
    most = 0
    width = moving.shape[2]
    my_starts, their_starts = np.zeros((goal, goal)), np.zeros((goal, goal))  # small enough to stay in the cache
    my_hold, their_hold = np.zeros(goal), np.zeros(goal)
    for pair in range(2 * goal - 2, -1, -1):
        for i in range(max(0, pair - goal + 1), min(goal - 1, pair) + 1):
            j = pair - i
            my_turn, their_turn = moving[i, j], waiting[i, j]
            my_turn[goal - i : width] = 1.0
            their_turn[goal - j : width] = 0.0
            my_hold[1 : goal - i] = their_starts[i + 1 :, j]
            their_hold[1 : goal - j] = my_starts[i, j + 1 :]
            their_starts[i, j], sweeps = _solve_pair(
                my_turn, my_hold, mine[i, j], goal - i, their_turn, their_hold, theirs[j, i], goal - j, faces, weight
            )
            my_starts[i, j] = my_turn[0]
            most = max(most, sweeps)
    return most


@njit("void(int64, int64[::1], int8[:,:,::1], int8[:,:,::1], boolean[:,:,:,::1])", cache=True)
def reach(goal: int, faces: np.ndarray, policy1: np.ndarray, policy2: np.ndarray, reached: np.ndarray) -> None:
    """Mark the states that can be met from 0-0.

    Parameters
    ----------
    policy1, policy2 : int8 arrays, shape (goal, goal, goal), by own score, other score and turn total
    reached : bool array, shape (2, goal, goal, goal + 1), all false
        By player on move, first player's score, second player's score, turn total.
    """
    reached[0, 0, 0, 0] = True
    for pair in range(2 * goal - 1):
        for i in range(max(0, pair - goal + 1), min(goal - 1, pair) + 1):
            j = pair - i
            if not (reached[0, i, j, 0] or reached[1, i, j, 0]):
                continue
            # Every turn begins with a roll, which may bust, so that either player's turn leads to the other's.
            reached[0, i, j, 0] = reached[1, i, j, 0] = True
            for player in range(2):
                own, other = (i, j) if player == 0 else (j, i)
                policy = policy1[own, other] if player == 0 else policy2[own, other]
                row = reached[player, i, j]
                for total in range(goal - own):
                    if not row[total]:
                        continue
                    if total == 0 or policy[total] != HOLD:
                        for face in faces:
                            row[min(total + face, goal - own)] = True
                    if total > 0 and policy[total] != ROLL:
                        if player == 0:
                            reached[1, i + total, j, 0] = True
                        else:
                            reached[0, i, j + total, 0] = True


@njit(cache=True)
def list_branches(
    goal: int, faces: np.ndarray, states: np.ndarray, number: np.ndarray, is_roll: np.ndarray, owner: np.ndarray,
    choice_to_branches: np.ndarray, target: np.ndarray, weight: np.ndarray,
) -> None:  # fmt: skip
    """Fill in the branches of all choices; faces that lead to one state make one branch.

    Parameters
    ----------
    states : int64 array, shape (states, 4)
        Player on move (0 or 1), both scores, turn total.
    number : int32 array, shape (2, goal, goal, goal + 1), the number of each state
    is_roll : bool array, shape (choices,); the others are holds, or loops once the game is over
    owner : int64 array, shape (choices,), the state of each choice
    choice_to_branches : int64 array, shape (choices + 1,), offsets into what follows
    target, weight : arrays, shape (branches,)
        Set to the target, and to the number of faces less 1 (of a sure branch: the number of faces of the die less 1).
    """
    die = len(faces) + 1
    for choice in range(len(is_roll)):
        player, i, j, total = states[owner[choice]]
        own = i if player == 0 else j
        branch = choice_to_branches[choice]
        if is_roll[choice]:
            target[branch], weight[branch] = number[1 - player, i, j, 0], 0
            for face in faces:
                reached = number[player, i, j, min(total + face, goal - own)]
                if target[branch] == reached:
                    weight[branch] += 1
                else:
                    branch += 1
                    target[branch], weight[branch] = reached, 0
        else:
            weight[branch] = die - 1
            if own + total == goal:
                target[branch] = owner[choice]
            elif player == 0:
                target[branch] = number[1, i + total, j, 0]
            else:
                target[branch] = number[0, i, j + total, 0]
