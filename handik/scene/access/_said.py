"""The sentences of verdicts on reach, in English and French."""

from __future__ import annotations

import re

from handik.spec._french import French

__all__ = ["CHANGES", "SAY", "reason"]

SAY = {
    "en": {
        "yes": "{frame} reaches the target",
        "both": "{frame} reach the target",
        "and": " and ",
        "try": "; found at try {tries}",
        "holds": "it holds {node}, which it overlaps by {depth:.0f} mm",
        "strength": "it takes {share:.0f} % of a joint's strength",
        "path": "a path from the rest leads there",
        "stop": "the chair stops at {x:.2f}, {y:.2f} m, heading {heading:.0f} degrees: {side}",
        "front": "the target is ahead",
        "left": "the target is on the left",
        "right": "the target is on the right",
        "back": "the target is behind",
        "nowhere": "{frame} stays short wherever the chair stops",
        "nowhere by": "{frame} stays short by {low:.0f} to {high:.0f} mm wherever the chair stops",
        "inside": (
            "the target lies {depth:.0f} mm deep in {node}: a no even if everything gave way by "
            "{way:.0f} mm"
        ),
        "enclosed": (
            "there is no room for the hand at the target: whichever way it points, it touches "
            "{nodes}"
        ),
        "no way": "no posture that reaches the target is free: each touches {nodes}",
        "gives": "; a no even if everything gave way by {way:.0f} mm",
        "axis": (
            "no posture brings {frame} there within {half:.0f} degrees of the axis: what carries "
            "it would be out of reach"
        ),
        "no": "{frame} stays short by {low:.0f} to {high:.0f} mm: {limit}",
        "least": "{frame} stays short by {low:.0f} mm or more",
        "none": "neither a posture nor a proof was found",
        "chain": "the chain is too short",
        "cone": ", or a ball's cone ends",
        "degrees": "{:.0f} degrees",
        "upper": "{joint} is at its upper limit of {bound}",
        "lower": "{joint} is at its lower limit of {bound}",
        "blocked": "no posture was found that does: {reasons}",
        "pathless": "a free posture reaches the target, but {reasons}",
        "of": "{} of {}",
        "unknown": (
            "neither a posture nor a proof was found; the nearest posture is {high:.1f} mm short"
        ),
        "would": "it would do: {ways}",
        "or": ", or ",
        "to": " to ",
        "floor": "there is no free floor from which to reach it",
        "cause": "{cause}: {count}",
        "person": "{} person",
        "people": "{} people",
        "up to": ", short by up to {:.0f} mm",
    },
    "fr": {
        "yes": "{frame} atteint la cible",
        "both": "{frame} atteignent la cible",
        "and": " et ",
        "try": " ; trouvé à l'essai {tries}",
        "holds": "la main tient {node}, qu'elle recouvre de {depth:.0f} mm",
        "strength": "il y faut {share:.0f} % de la force d'une articulation",
        "path": "un trajet y mène depuis le repos",
        "stop": "le fauteuil s'arrête à {x:.2f}, {y:.2f} m, cap {heading:.0f} degrés : {side}",
        "front": "la cible est devant",
        "left": "la cible est à gauche",
        "right": "la cible est à droite",
        "back": "la cible est derrière",
        "nowhere": "{frame} reste trop court où que s'arrête le fauteuil",
        "nowhere by": (
            "il manque {low:.0f} à {high:.0f} mm à {frame}, où que s'arrête le fauteuil"
        ),
        "inside": (
            "la cible est à {depth:.0f} mm de profondeur dans {node} : non, même si tout cédait "
            "de {way:.0f} mm"
        ),
        "enclosed": (
            "il n'y a pas de place pour la main à la cible : où qu'elle pointe, elle touche {nodes}"
        ),
        "no way": "aucune posture qui atteint la cible n'est libre : chacune touche {nodes}",
        "gives": " ; non, même si tout cédait de {way:.0f} mm",
        "axis": (
            "aucune posture n'y amène {frame} à moins de {half:.0f} degrés de l'axe : ce qui le "
            "porte serait hors de portée"
        ),
        "no": "il manque {low:.0f} à {high:.0f} mm à {frame} : {limit}",
        "least": "il manque {low:.0f} mm ou plus à {frame}",
        "none": "ni posture ni preuve n'ont été trouvées",
        "chain": "la chaîne est trop courte",
        "cone": ", ou le cône d'une rotule s'arrête",
        "degrees": "{:.0f} degrés",
        "upper": "{joint} est à sa limite supérieure de {bound}",
        "lower": "{joint} est à sa limite inférieure de {bound}",
        "blocked": "aucune posture trouvée qui convienne : {reasons}",
        "pathless": "une posture libre atteint la cible, mais {reasons}",
        "of": "{} sur {}",
        "unknown": (
            "ni posture ni preuve n'ont été trouvées ; il manque {high:.1f} mm à la posture la "
            "plus proche"
        ),
        "would": "conviendrait : {ways}",
        "or": ", ou ",
        "to": " à ",
        "floor": "il n'y a pas de sol libre d'où l'atteindre",
        "cause": "{cause} : {count}",
        "person": "{} personne",
        "people": "{} personnes",
        "up to": ", il manque jusqu'à {:.0f} mm",
    },
}
SAY["fr"] = {key: French(words) for key, words in SAY["fr"].items()}

#: A change, by its kind; "turn" is the limit of a joint that turns.
CHANGES = {
    "en": {
        "nearer": "the target {length} nearer",
        "lower": "the target {length} lower",
        "higher": "the target {length} higher",
        "limit": "{length} more of {joint}",
        "turn": "{angle:.1f} degrees more of {joint}",
        "hand": "{joint} instead",
        "angle": "{angle:.1f} degrees more about the axis",
        "force": "{load:.3g} N or N m less",
    },
    "fr": {
        "nearer": "la cible {length} plus près",
        "lower": "la cible {length} plus bas",
        "higher": "la cible {length} plus haut",
        "limit": "{length} de plus : {joint}",
        "turn": "{angle:.1f} degrés de plus : {joint}",
        "hand": "{joint} à la place",
        "angle": "{angle:.1f} degrés de plus autour de l'axe",
        "force": "{load:.3g} N ou N m de moins",
    },
}
CHANGES["fr"] = {key: French(words) for key, words in CHANGES["fr"].items()}

#: What a posture lacks, as it is counted, and the same in French.
_REASONS = (
    ("not turned so far: {}", "pas tourné aussi loin : {}"),
    ("no path: {}", "pas de trajet : {}"),
    ("{} is off the axis", "{} n'est pas dans l'axe"),
    ("{} is not strong enough", "{} n'a pas assez de force"),
    ("{} is not there at the same time", "{} n'y est pas en même temps"),
    ("{} hides the target", "{} cache la cible"),
    ("the target is out of view", "la cible est hors du champ de vision"),
    ("no posture goes on", "aucune posture ne continue"),
    ("the posture would have to change over", "la posture devrait changer d'un coup"),
    ("the chair's way there: {}", "le trajet du fauteuil : {}"),
    ("blocked by what is held", "bloqué par ce qui est tenu"),
    ("{} too deep with {}", "{} trop enfoncé avec {}"),
    ("{} with {}", "{} avec {}"),
)


#: How a search for a path ended, as it is counted, in both languages.
_PATHS = {
    "no_path_in_time": (
        "no path from the rest was found",
        "aucun trajet depuis le repos n'a été trouvé",
    ),
    "impossible": (
        "no path from the rest leads there, which is proved",
        "aucun trajet depuis le repos n'y mène, c'est prouvé",
    ),
    "start_in_collision": (
        "no path begins at the rest, which touches something",
        "aucun trajet ne part du repos, qui touche quelque chose",
    ),
    "goal_in_collision": (
        "no path ends there: it is too near to something",
        "aucun trajet ne s'y termine : c'est trop près de quelque chose",
    ),
}


def reason(text: str, language: str) -> str:
    """Return what a posture lacks in a language."""
    ended = _PATHS.get(text.removeprefix("no path: ")) if text.startswith("no path: ") else None
    if ended is not None:
        return ended[language == "fr"]
    if language == "en":
        return text
    for english, french in _REASONS:
        pattern = re.escape(english).replace(r"\{\}", "(.+)")
        found = re.fullmatch(pattern, text)
        if found:
            return french.format(*(reason(part, language) for part in found.groups()))
    return text
