"""The words of the application in its two languages."""

from __future__ import annotations

from dataclasses import dataclass

from handik.spec._french import French

__all__ = [
    "CHOICES",
    "LANGUAGES",
    "MENUS",
    "OUTCOMES",
    "SENTENCES",
    "Words",
    "part_words",
    "sentence",
]

LANGUAGES = ("en", "fr")


@dataclass(frozen=True)
class Words:
    """What something is called."""

    en: str
    fr: str

    def plain(self) -> dict[str, str]:
        """Return them for JSON."""
        return {"en": self.en, "fr": self.fr}


MENUS = {
    "file": Words("File", "Fichier"),
    "edit": Words("Edit", "Édition"),
    "object": Words("Object", "Objet"),
    "person": Words("Person", "Personne"),
    "target": Words("Target", "Cible"),
    "solve": Words("Solve", "Résoudre"),
    "motion": Words("Motion", "Mouvement"),
    "view": Words("View", "Affichage"),
}

#: What is said after something was done.
SENTENCES = {
    "done": Words("{what}: done", "{what} : fait"),
    "selected": Words("Selected: {names} ({count})", "Sélection : {names} ({count})"),
    "undone": Words("Undone: {what}", "Annulé : {what}"),
    "redone": Words("Done again: {what}", "Rétabli : {what}"),
    "reached": Words(
        "Reached by {solver}, {error:.2f} mm off, {iterations} iterations",
        "Atteint par {solver}, à {error:.2f} mm, {iterations} itérations",
    ),
    "missed": Words(
        "Not reached by {solver}: {error:.1f} mm short ({outcome})",
        "Non atteint par {solver} : il manque {error:.1f} mm ({outcome})",
    ),
    "swivel": Words("Elbow turned by {angle:.0f}°", "Coude tourné de {angle:.0f}°"),
    "measured": Words(
        "{first} and {second} are {distance:.1f} mm apart",
        "{first} et {second} sont à {distance:.1f} mm l'un de l'autre",
    ),
    "recording": Words(
        "Recording {figure}: drag it, then end the recording",
        "Enregistrement de {figure} : déplacez la figure, puis arrêtez",
    ),
    "nearest_motion": Words(
        "{name} comes nearest: {distance:.0f} mm from the target",
        "{name} passe au plus près : {distance:.0f} mm de la cible",
    ),
    "checked": Words(
        "{code}: {failed} rules fail, {passed} pass; what could not be measured passes nothing",
        "{code} : {failed} règles non tenues, {passed} tenues ; le non mesuré ne vaut pas accord",
    ),
    "share": Words(
        "{share:.0f} % of {count} people reach it ({low:.0f} to {high:.0f} %)",
        "{share:.0f} % de {count} personnes l'atteignent ({low:.0f} à {high:.0f} %)",
    ),
    "driven": Words(
        "Driven {length:.1f} m in {seconds:.0f} s, held up {bumps} times, {clearance:.0f} mm or "
        "more from what stands there",
        "{length:.1f} m en {seconds:.0f} s, bloqué {bumps} fois, au moins {clearance:.0f} mm de ce "
        "qui est là",
    ),
    "driven_alone": Words(
        "Driven {length:.1f} m in {seconds:.0f} s, with nothing that stands near the way",
        "{length:.1f} m en {seconds:.0f} s, sans rien près du chemin",
    ),
    "passing_yes": Words(
        "It can be driven: a way was found", "On peut y aller : un chemin a été trouvé"
    ),
    "passing_no": Words(
        "It cannot be driven, whatever the motion", "On ne peut pas y aller, quel que soit le geste"
    ),
    "passing_user": Words(
        "Undecided: the chair gets there by a way found, but its user would touch something on it",
        "Indécis : le fauteuil trouve un chemin, mais la personne y toucherait quelque chose",
    ),
    "passing_undecided": Words(
        "Undecided: neither a way nor a proof was found",
        "Indécis : ni chemin ni preuve n'ont été trouvés",
    ),
    "path": Words("Path found: {seconds:.1f} s", "Trajet trouvé : {seconds:.1f} s"),
    "verdict_yes": Words("In reach: {sentence}", "À portée : {sentence}"),
    "verdict_no": Words("Out of reach: {sentence}", "Hors de portée : {sentence}"),
    "verdict_undecided": Words("Undecided: {sentence}", "Indécis : {sentence}"),
    "no_path": Words("No path: {reason}", "Pas de trajet : {reason}"),
    "stopped": Words("Stopped", "Arrêté"),
    "recovered": Words(
        "{count} actions of the last session were recovered",
        "{count} actions de la dernière session ont été reprises",
    ),
    "not_kept": Words(
        "The journal cannot be written ({reason}): save your work",
        "Le journal ne peut pas être écrit ({reason}) : enregistrez votre travail",
    ),
    "broken": Words(
        "The journal of the last session stops at {action}: {reason}",
        "Le journal de la dernière session s'arrête à {action} : {reason}",
    ),
}

#: How a solver ended that did not reach.
OUTCOMES = {
    "unreachable": Words("out of reach", "hors de portée"),
    "stalled": Words("no further progress", "plus de progrès"),
    "max_iter": Words("all iterations used", "toutes les itérations faites"),
    "time_limit": Words("out of time", "temps écoulé"),
    "diverged": Words("went astray", "a divergé"),
    "cancelled": Words("given up", "abandonné"),
    "least_squares": Words("as near as it can be", "aussi près que possible"),
    "invalid": Words("not a number", "pas un nombre"),
}

#: What is chosen from lists: values of arguments and what they are called.
CHOICES = {
    "on top": Words("on top", "dessus"),
    "below": Words("below", "dessous"),
    "in front": Words("in front", "devant"),
    "behind": Words("behind", "derrière"),
    "left": Words("left", "gauche"),
    "right": Words("right", "droite"),
    "same floor": Words("at the same height", "à la même hauteur"),
    "same middle": Words("middle on middle", "centre sur centre"),
    "turn x": Words("turn about x", "rotation autour de x"),
    "turn y": Words("turn about y", "rotation autour de y"),
    "turn z": Words("turn about z", "rotation autour de z"),
    "world": Words("the world", "le monde"),
    "own": Words("the object", "l'objet"),
    "hand": Words("the hand", "la main"),
    "box": Words("box", "boîte"),
    "sphere": Words("sphere", "sphère"),
    "cylinder": Words("cylinder", "cylindre"),
    "group": Words("group", "groupe"),
    "light": Words("light", "lumière"),
    "camera": Words("camera", "caméra"),
    "target": Words("target", "cible"),
    "female": Words("female", "femme"),
    "male": Words("male", "homme"),
    "seated": Words("sitting", "assise"),
    "standing": Words("standing", "debout"),
    "point": Words("position", "position"),
    "axis": Words("position and grip axis", "position et axe de prise"),
    "pose": Words("position and rotation", "position et rotation"),
    "select": Words("select", "sélectionner"),
    "compute": Words("set the target", "placer la cible"),
    "navigate": Words("look about", "se déplacer"),
    "solid": Words("solid", "plein"),
    "wire": Words("wireframe", "fil de fer"),
    "points": Words("points", "points"),
    "skin": Words("skin", "peau"),
    "capsules": Words("capsules", "capsules"),
    "skeleton": Words("skeleton", "squelette"),
    "theme.light": Words("light", "clair"),
    "dark": Words("dark", "sombre"),
    "language.en": Words("English", "English"),
    "language.fr": Words("Français", "Français"),
    "line": Words("straight between postures", "droit entre postures"),
    "straight": Words("the hand on a straight line", "la main en ligne droite"),
    "rrt_connect": Words("two trees", "deux arbres"),
    "auto": Words("automatic", "automatique"),
    "manual": Words("manual", "manuel"),
    "rear": Words("powered, rear wheels", "électrique, roues arrière"),
    "mid": Words("powered, mid wheels", "électrique, roues centrales"),
    "front": Words("powered, front wheels", "électrique, roues avant"),
    "scooter": Words("scooter", "scooter"),
    "walker": Words("walker", "déambulateur"),
    "crutches": Words("crutches", "béquilles"),
}

_PARTS = {
    "pelvis_tilt": Words("pelvis tilt", "bascule du bassin"),
    "trunk_flexion": Words("trunk flexion", "flexion du tronc"),
    "trunk_bend": Words("trunk bend", "inclinaison du tronc"),
    "trunk_turn": Words("trunk turn", "rotation du tronc"),
    "neck_flexion": Words("neck flexion", "flexion du cou"),
    "neck_bend": Words("neck bend", "inclinaison du cou"),
    "neck_turn": Words("neck turn", "rotation du cou"),
    "shoulder": Words("shoulder", "épaule"),
    "elbow_flexion": Words("elbow flexion", "flexion du coude"),
    "elbow": Words("elbow", "coude"),
    "forearm_pronation": Words("forearm pronation", "pronation de l'avant-bras"),
    "wrist_flexion": Words("wrist flexion", "flexion du poignet"),
    "wrist_deviation": Words("wrist deviation", "déviation du poignet"),
    "grip": Words("hand", "main"),
    "head": Words("head", "tête"),
    "trunk": Words("trunk", "tronc"),
    "pelvis": Words("pelvis", "bassin"),
    "hip": Words("hip", "hanche"),
    "knee": Words("knee", "genou"),
    "ankle": Words("ankle", "cheville"),
    "turn": Words("turn about", "rotation autour de"),
    "right": Words("right", "droite"),
    "left": Words("left", "gauche"),
}


def part_words(name: str) -> dict[str, str]:
    """Return what a joint or a part of a body is called; a robot's by its own name."""
    head, *rest = name.split(" ")
    stem, _, side = head.rpartition("_")
    known = _PARTS.get(head) or (_PARTS.get(stem) if side in ("right", "left") else None)
    if known is None:
        return {"en": name, "fr": name}
    ends = [] if head in _PARTS else [_PARTS[side]]
    turned = [_PARTS.get(word, Words(word, word)) for word in rest]
    return {
        language: ", ".join(
            filter(
                None,
                [
                    getattr(known, language),
                    *(getattr(w, language) for w in ends),
                    " ".join(getattr(w, language) for w in turned),
                ],
            )
        )
        for language in LANGUAGES
    }


def sentence(key: str, language: str, **values: object) -> str:
    """Return a sentence in a language."""
    form = getattr(SENTENCES[key], language)
    return (French(form) if language == "fr" else str(form)).format(**values)
