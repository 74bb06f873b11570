"""Annealing, genetic algorithm, memetic evolution, particle swarm and particle filter, in NumPy.

Readable twins of the core's solvers of these names: one iteration after the other, without
renewals, time limits and stall tests; further rounds combine poses (``mixing.py``). The formulas
and their sources stand in the headers of ``csrc/solve/sample/annealing.c``, ``genetic.c``,
``memetic.c``, ``swarm.c`` and ``particles.c``, and in docs/sampling.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from .genes import Genes, Numbers, order_of
from .halton import spread_start
from .jacobian import Descent, Searcher
from .mixing import Mixing
from .tree import Answer, Array, Goal, Tree, judge, problem_length

#: The core's own options and their defaults.
DEFAULTS: dict[str, dict[str, float]] = {
    "simulated_annealing": {"initial_temperature": 0.3, "cooling": 0.99, "final_temperature": 1e-6},
    "genetic": {
        "population": 60,
        "elites": 4,
        "tournament": 2,
        "crossover": 0.9,
        "blend": 0.5,
        "mutation": 0,
    },
    "memetic": {"population": 24, "elites": 2, "polish": 8},
    "particle_swarm": {"particles": 40, "phi": 4.1, "neighbors": 3},
    "particle_filter": {
        "particles": 100,
        "survival": 0.03,
        "mixing": 0.6,
        "roughening": 0.1,
        "process_noise": 0.01,
    },
}


class Sampler(ABC):
    """What they share: a problem, its genes, its numbers, and the error of genes."""

    def __init__(
        self,
        tree: Tree,
        goals: list[Goal],
        q0: Array,
        seed: int,
        attempt: int,
        options: dict[str, float],
        cloud: Array | None = None,
    ) -> None:
        self.cloud = cloud
        self.tree, self.goals, self.q0, self.options = tree, goals, np.array(q0, float), options
        self.descent = Descent(tree, goals, problem_length(tree, goals))
        self.genes = Genes(tree, goals)
        self.numbers = Numbers(seed, self.stream, attempt)
        self.begin()

    #: Tells the numbers of the methods apart.
    stream = ""

    @abstractmethod
    def begin(self) -> None:
        """Draw what the first iteration needs."""

    def error(self, x: Array) -> float:
        """Norm of the scaled residual."""
        return float(np.linalg.norm(self.descent.residual(self.genes.write(x, self.q0))))

    def whole(self, name: str) -> int:
        """Return an option that is a whole number."""
        return int(self.options[name])

    def uniform(self) -> Array:
        """One number for each gene."""
        return np.array([self.numbers() for _ in range(self.genes.n)])

    @abstractmethod
    def iterate(self) -> Array:
        """Make one iteration and return the best genes."""

    @abstractmethod
    def adopt(self, x: Array, error: float) -> None:
        """Put genes in the place of the best."""


class Annealing(Sampler):
    """Metropolis moves of one gene at a time under a falling temperature."""

    stream = "anneal"

    def begin(self) -> None:
        """Hot, at the start."""
        self.temperature = self.options["initial_temperature"]
        self.x = self.genes.right(self.genes.read(self.q0))
        self.f = self.error(self.x)
        self.step = self.genes.span.copy()

    def iterate(self) -> Array:
        """One sweep over the genes."""
        best, least = self.x.copy(), self.f
        for i in range(self.genes.n):
            trial = self.x.copy()
            trial[i] += (2 * self.numbers() - 1) * self.step[i]
            trial = self.genes.right(trial)
            error, chance = self.error(trial), self.numbers()
            taken = error <= self.f or chance < np.exp((self.f - error) / self.temperature)
            if taken:
                self.x, self.f = trial, error
                if error < least:
                    best, least = trial, error
            self.step[i] = min(
                self.step[i] * (1.2 if taken else 1.2 ** (-11 / 14)), self.genes.span[i]
            )
        self.temperature *= self.options["cooling"]
        return best

    def adopt(self, x: Array, error: float) -> None:
        """Go on from there."""
        self.x, self.f = x.copy(), error


class Population(Sampler):
    """Members at random, the first where the start is."""

    size = "population"

    def begin(self) -> None:
        """Draw the members."""
        self.count = self.whole(self.size)
        self.x: list[Array] = []
        self.v: list[Array] = []
        for i in range(self.count):
            x, v = self.member()
            if i == 0:
                x = self.genes.read(self.q0)
            self.x.append(self.genes.right(x))
            self.v.append(self.genes.way(x, v) * 0.5 if self.size == "particles" else v)
        self.f = [self.error(x) for x in self.x]

    def member(self) -> tuple[Array, Array]:
        """Random genes, and what a momentum is made of."""
        return self.genes.draw(self.numbers), np.zeros(self.genes.n)

    def adopt(self, x: Array, error: float) -> None:
        """Change the best member."""
        best = order_of(self.f)[0]
        self.x[best], self.f[best] = x.copy(), error


class Genetic(Population):
    """Tournaments, blending crossover, breeder mutation, elites."""

    stream = "gene"

    def parent(self) -> int:
        """Return the best of some drawn at random."""
        best = self.numbers.below(self.count)
        for _ in range(1, self.whole("tournament")):
            other = self.numbers.below(self.count)
            if self.f[other] < self.f[best]:
                best = other
        return best

    def mutation(self) -> float:
        """Return a move in shares of the span."""
        size = sum(0.1 * 0.5**i for i in range(16) if self.numbers() < 1 / 16)
        return -size if self.numbers() < 0.5 else size

    def child(self) -> Array:
        """Blend two parents and mutate."""
        a, b = self.x[self.parent()], self.x[self.parent()]
        x, n, blend = a.copy(), self.genes.n, self.options["blend"]
        if self.numbers() < self.options["crossover"]:
            x += self.genes.way(a, b) * ((1 + 2 * blend) * self.uniform() - blend)
        rate = self.options["mutation"] or 1 / n
        for k in range(n):
            if self.numbers() < rate:
                x[k] += self.genes.span[k] * self.mutation()
        return self.genes.right(x)

    def iterate(self) -> Array:
        """One generation."""
        order = order_of(self.f)
        elites = order[: self.whole("elites")]
        children = [self.child() for _ in range(self.count - len(elites))]
        self.f = [self.f[i] for i in elites] + [self.error(x) for x in children]
        self.x = [self.x[i] for i in elites] + children
        return self.x[order_of(self.f)[0]]


class Swarm(Population):
    """Particles drawn to their own best place and to that of their neighbors."""

    stream, size = "swarm", "particles"

    def begin(self) -> None:
        """Places and speeds; each particle's own best place is the first."""
        super().begin()
        self.own = [x.copy() for x in self.x]

    def member(self) -> tuple[Array, Array]:
        """Random genes, and where the first speed points to."""
        return self.genes.draw(self.numbers), self.genes.draw(self.numbers)

    def leader(self, i: int, reach: int) -> int:
        """Return the particle with the best place among the neighbors."""
        if reach == 0 or 2 * reach + 1 >= self.count:
            among = list(range(self.count))
        else:
            among = [(i + k) % self.count for k in range(-reach, reach + 1)]
        best = i
        for k in among:
            if self.f[k] < self.f[best]:
                best = k
        return best

    def iterate(self) -> Array:
        """Move every particle once."""
        phi = self.options["phi"]
        chi = 2 / (phi - 2 + np.sqrt(phi**2 - 4 * phi))
        for i in range(self.count):
            old, way = self.x[i], self.genes.way
            own = way(old, self.own[i])
            led = way(old, self.own[self.leader(i, self.whole("neighbors"))])
            r = np.array([[self.numbers(), self.numbers()] for _ in range(self.genes.n)])
            pull = 0.5 * phi * (r[:, 0] * own + r[:, 1] * led)
            self.x[i] = self.genes.right(old + chi * (self.v[i] + pull))
            self.v[i] = way(old, self.x[i])
            error = self.error(self.x[i])
            if error < self.f[i]:
                self.f[i], self.own[i] = error, self.x[i].copy()
        return self.own[self.leader(0, 0)]

    def adopt(self, x: Array, error: float) -> None:
        """Change the best of the best places."""
        best = self.leader(0, 0)
        self.own[best], self.f[best] = x.copy(), error


class ParticleFilter(Population):
    """A cloud that is weighed, resampled and roughened; sequential Monte Carlo."""

    stream, size = "part", "particles"

    def begin(self) -> None:
        """Draw the cloud, or move on the one that the target before left."""
        carried = self.cloud
        self.count = self.whole(self.size)
        self.x = []
        for i in range(self.count):
            if carried is None or not np.isfinite(carried[i]).all():
                x = self.genes.draw(self.numbers)
            else:
                noise = self.options["process_noise"] * self.genes.span
                x = self.genes.read(carried[i]) + noise * (self.uniform() - 0.5)
            self.x.append(self.genes.right(self.genes.read(self.q0) if i == 0 else x))
        self.f = [self.error(x) for x in self.x]

    def leave(self, q: Array) -> Array:
        """Return the cloud as postures, for the next target."""
        return np.array([self.genes.write(x, q) for x in self.x])

    def iterate(self) -> Array:
        """Weigh, resample, roughen."""
        f, order, way = np.array(self.f), order_of(self.f), self.genes.way
        least = f[order[0]]
        rank = min(max(int(self.options["survival"] * self.count), 1), self.count - 1)
        width = max(f[order[rank]] ** 2 - least**2, 1e-300)
        sums = np.cumsum(np.exp(np.maximum(-0.5 * (f**2 - least**2) / width, -700)))
        steps = (self.numbers() + np.arange(self.count)) / self.count * sums[-1]
        parents = np.minimum(np.searchsorted(sums, steps), self.count - 1)
        noise = self.options["roughening"] * min(least, 1.0) * self.genes.span
        x, errors = [self.x[order[0]]], [least]
        for i in range(1, self.count):
            a, b = (parents[self.numbers.below(self.count)] for _ in range(2))
            apart = self.options["mixing"] * way(self.x[a], self.x[b])
            moved = self.x[parents[i]] + apart + noise * (self.uniform() - 0.5)
            x.append(self.genes.right(moved))
            errors.append(self.error(x[-1]))
        self.x, self.f = x, errors
        return x[order_of(errors)[0]]


class Memetic(Population):
    """Breeding with momentum and extinction; the best descend by Levenberg-Marquardt."""

    stream = "meme"

    def exploit(self, i: int) -> None:
        """Let a member descend."""
        searcher = Searcher(self.descent, 0.0)
        q = self.genes.write(self.x[i], self.q0)
        for _ in range(self.whole("polish")):
            q = searcher.lm(q)
        error = float(np.linalg.norm(self.descent.residual(q)))
        if error < self.f[i]:
            self.f[i], self.x[i] = error, self.genes.read(q)

    def select(self, pool: list[int]) -> int:
        """Draw a member of the pool by rank."""
        m, at = len(pool), 0
        left = self.numbers() * 0.5 * m * (m + 1)
        while at < m - 1 and left >= m - at:
            left -= m - at
            at += 1
        return pool[at]

    def child(self, parents: list[int], extinction: Array) -> tuple[Array, Array]:
        """Genes and momentum of a child of two parents and a prototype."""
        n, way = self.genes.n, self.genes.way
        a, b, c = (self.x[i] for i in parents)
        e = 0.5 * (extinction[parents[0]] + extinction[parents[1]])
        r = np.array([[self.numbers() for _ in range(3)] for _ in range(n)])
        given = r[:, 0] * self.v[parents[0]] + r[:, 1] * self.v[parents[1]]
        x = a + r[:, 2] * way(a, b) + given
        first, middle = x.copy(), a + 0.5 * way(a, b)
        for k in range(n):
            if self.numbers() < (e * (n - 1) + 1) / n:
                x[k] += e * self.genes.span[k] * (2 * self.numbers() - 1)
        r = 0.5 * np.array([[self.numbers(), self.numbers()] for _ in range(n)])
        x = x + r[:, 0] * way(x, middle) + r[:, 1] * way(x, c)
        return self.genes.right(x), given + x - first

    def iterate(self) -> Array:
        """One generation."""
        order = order_of(self.f)
        least, most = self.f[order[0]], self.f[order[-1]]
        extinction = np.zeros(self.count)
        for rank, i in enumerate(order):
            extinction[i] = (self.f[i] + least * (rank / (self.count - 1) - 1)) / most
        elites = order[: self.whole("elites")]
        before = [(self.x[i], self.f[i]) for i in elites]
        for i in elites:
            self.exploit(i)
        x, v = [self.x[i] for i in elites], [self.v[i] for i in elites]
        f = [self.f[i] for i in elites]
        for i, (old, error) in zip(elites, before, strict=True):
            self.x[i], self.f[i] = old, error  # parents are as they were
        pool = list(order)
        while len(x) < self.count:
            if not pool:
                parents = []
                genes, momentum = self.member()
            else:
                parents = [self.select(pool) for _ in range(3)]
                genes, momentum = self.child(parents, extinction)
            x.append(genes)
            v.append(momentum)
            f.append(self.error(genes))
            for i in parents[:2]:
                if f[-1] < self.f[i] and i in pool:
                    pool.remove(i)
        self.x, self.v, self.f = x, v, f
        return x[order_of(f)[0]]


METHODS: dict[str, Callable[..., Sampler]] = {
    "simulated_annealing": Annealing,
    "genetic": Genetic,
    "memetic": Memetic,
    "particle_swarm": Swarm,
    "particle_filter": ParticleFilter,
}


def sampling_solve(
    tree: Tree,
    goals: list[Goal],
    q0: Array,
    method: str,
    *,
    max_iter: int,
    seed: int = 0,
    cloud: Array | None = None,
    attempt: int = 0,
    **options: float,
) -> Answer:
    """Iterate a sampling method to the goals or to ``max_iter``.

    Parameters
    ----------
    tree, goals, q0
        Figure, what must hold, and the start inside the limits.
    method
        ``"simulated_annealing"``, ``"genetic"``, ``"memetic"``, ``"particle_swarm"`` or
        ``"particle_filter"``.
    max_iter
        Sweeps, generations, or moves of the swarm.
    seed
        Of the numbers; those of the core with the same seed.
    cloud
        Of a particle filter: postures that the target before left, (particles, nq), those that
        are not finite being drawn; overwritten with those for the next.
    attempt
        Of the core's ``retries``, 0 being the first round: where it begins, with which numbers.
        From 1 on it combines poses.
    **options
        The method's own, see `DEFAULTS`.

    Returns
    -------
    Answer
        The best pose that an iteration showed; ``"converged"`` or ``"max_iter"``.
    """
    length = problem_length(tree, goals)
    descent, q = Descent(tree, goals, length), np.array(q0, float)
    if attempt:
        q = spread_start(descent.columns, seed, attempt, length, q)
    mixing = Mixing(descent) if attempt else None
    own = {**DEFAULTS[method], **options}
    sampler = METHODS[method](tree, goals, q, seed, attempt, own, cloud)
    error, met = judge(tree, goals, tree.world(q))
    best, trace = (sampler.error(sampler.genes.read(q)), q, error), [error]
    for _ in range(max_iter):
        if met:
            break
        x = sampler.iterate()
        q = sampler.genes.write(x, sampler.q0)
        scaled = sampler.error(x)
        if mixing:
            q, shown = mixing.follow(q), scaled
            x = sampler.genes.read(q)
            scaled = sampler.error(x)
            if scaled < shown:
                sampler.adopt(x, scaled)
                mixing.before = scaled
        error, met = judge(tree, goals, tree.world(q))
        trace.append(error)
        if met or scaled < best[0]:
            best = scaled, q, error
    outcome = "converged" if met else "max_iter"
    if cloud is not None and isinstance(sampler, ParticleFilter) and len(trace) > 1:
        cloud[:] = sampler.leave(best[1])
    return Answer(
        tree.unwrapped(np.asarray(q0, float), best[1]), outcome, len(trace) - 1, 0, best[2], trace
    )
