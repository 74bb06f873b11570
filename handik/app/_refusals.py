"""What is refused, in French: the sentences are raised in English and are known here by their form."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["FRENCH", "in_french", "in_language"]

#: Sentences with numbered gaps, and how French has them; what stands in a gap is looked up too.
#: The first that fits is taken: those that fit much come last.
FRENCH = {
    "select an object first": "sélectionnez d'abord un objet",
    "{0} is locked": "{0} est verrouillé",
    "{0} is no figure": "{0} n'est pas une figure",
    "{0} is no target": "{0} n'est pas une cible",
    "{0} is no text": "{0} n'est pas un texte",
    "{0} cannot be aligned with itself": "{0} ne peut pas être aligné sur lui-même",
    "{0} hangs on {1}: there is no distance between them": "{0} est rattaché à {1} : il n'y a pas de distance entre eux",
    "no wall faces {0}: a wall is a floor plan, or a box or prism tagged 'wall'": "aucun mur ne fait face à {0} : un mur est un plan de sol, ou une boîte ou un prisme marqué « wall »",
    "select two objects to measure between, got {0}": "sélectionnez deux objets entre lesquels mesurer ; il y en a {0}",
    "two of the objects have the name {0}": "deux des objets s'appellent {0}",
    "a figure is not scaled: give the person another stature": "une figure ne se met pas à l'échelle : donnez une autre stature à la personne",
    "figure {0} cannot be shown: it has no finite place": "la figure {0} ne peut pas être montrée : sa place n'est pas finie",
    "figure {0} cannot be shown: {1}": "la figure {0} ne peut pas être montrée : {1}",
    "there is no figure: add a person or a robot first": "il n'y a pas de figure : ajoutez d'abord une personne ou un robot",
    "there is no target: set one first": "il n'y a pas de cible : placez-en une d'abord",
    "the active figure is no person": "la figure active n'est pas une personne",
    "the active person has no wheelchair: give one first": "la personne active n'a pas de fauteuil : donnez-lui-en un d'abord",
    "who is in a wheelchair sits: change the person to seated first": "on est assis dans un fauteuil : asseyez d'abord la personne (Modifier la personne)",
    "a person who drives stands upright": "une personne qui conduit est d'aplomb",
    "the chair or its user touches {0} where the drive begins: move it clear": "le fauteuil ou la personne touche {0} au départ : dégagez-le",
    "{0} moves with the chair: {1}": "{0} bouge avec le fauteuil : {1}",
    "there is no drive of the active person: say where to": "la personne active n'a pas encore conduit : dites jusqu'où",
    "a leg of a drive is forward, turn and seconds, got {0}": "une étape est avance, rotation et secondes, pas {0}",
    "forward and turn are -1 to 1, seconds up to 600, got {0}": "avance et rotation vont de -1 à 1, les secondes jusqu'à 600, pas {0}",
    "model must begin with data: or robot:, got {0}": "le modèle doit commencer par data: ou robot:, pas {0}",
    "the pose is no TOML: {0}": "la pose n'est pas du TOML : {0}",
    "q must have shape {0}, got {1}": "la pose doit avoir la forme {0}, pas {1}",
    "pose {0} is of another kind of figure": "la pose {0} est celle d'une autre sorte de figure",
    "motion {0} is of another kind of figure": "le mouvement {0} est celui d'une autre sorte de figure",
    "no motion of the library is of this kind of figure": "aucun mouvement de la bibliothèque n'est de cette sorte de figure",
    "nothing was moved while recording": "rien n'a été déplacé pendant l'enregistrement",
    "factor must be 0.01 to 100, got {0}": "le facteur doit être entre 0,01 et 100, pas {0}",
    "motions are read from .bvh, .c3d and .trc, not {0}": "les mouvements se lisent dans des fichiers .bvh, .c3d et .trc, pas {0}",
    "a cutoff of {0} Hz needs {1} frames or more, there are {2}": "une coupure de {0} Hz demande {1} images ou plus, il y en a {2}",
    "{0}: ezc3d cannot read it: {1}": "{0} : ezc3d ne peut pas le lire : {1}",
    "{0}: fewer than three of its markers are known: they must be named as frames of the figure (elbow_right) or as Plug-in Gait has them (RELB); it has {1}": "{0} : moins de trois de ses marqueurs sont connus : ils doivent porter le nom de repères de la figure (elbow_right) ou ceux de Plug-in Gait (RELB) ; il a {1}",
    "{0} has {1} frames, more than {2}": "{0} a {1} images, plus de {2}",
    "{0} has more than {1} letters": "{0} a plus de {1} lettres",
    "a document's file ends in .json, .toml or .xml, not {0}": "le fichier d'un document finit par .json, .toml ou .xml, pas {0}",
    "a document is saved to a file that ends in .json": "un document s'enregistre dans un fichier qui finit par .json",
    "a file ends in one of {0}, not {1}": "un fichier finit par l'un de {0}, pas {1}",
    "{0}: it is no document of this application": "{0} : ce n'est pas un document de cette application",
    "{0}: it is damaged: {1}": "{0} : il est abîmé : {1}",
    "it is damaged: {0}": "il est abîmé : {0}",
    "too many digits, or lists in lists": "trop de chiffres, ou de listes dans des listes",
    "it has no {0}": "il n'a pas de {0}",
    "{0}: it must be {1}, got {2}": "{0} : ce doit être {1}, pas {2}",
    "it must be {0}, got {1}": "ce doit être {0}, pas {1}",
    "a text": "un texte",
    "a list of names": "une liste de noms",
    "a list of pairs": "une liste de paires",
    "a node and its joint": "un objet et son articulation",
    "a kind and a percentile": "une sorte et un percentile",
    "it must have rising times, and a posture for each": "il doit avoir des instants croissants, et une pose pour chacun",
    "give one of text and data": "donnez l'un de text et data",
    "data is no base64": "data n'est pas du base64",
    "a page saves by a download: no path": "une page enregistre par un téléchargement : sans chemin",
    "a file has {0} bytes at most": "un fichier a au plus {0} octets",
    "{0} jobs are running: stop one": "{0} travaux sont en cours : arrêtez-en un",
    "{0}: another application writes this journal": "{0} : une autre application écrit ce journal",
    "all joints of the arm are held": "toutes les articulations du bras sont tenues",
    "the arm is straight: its elbow has no circle to turn on": "le bras est tendu : son coude n'a pas de cercle où tourner",
    "with the hand held, the arm's limits let the elbow turn no further": "la main tenue, les limites du bras ne laissent pas le coude tourner plus loin",
    "a limit of the body is not changed by the scene: give another person": "une limite du corps ne change pas avec la scène : prenez une autre personne",
    "no posture brings the hand to {0}": "aucune posture n'amène la main à {0}",
    "every posture found with the hand at {0} touches something": "toutes les postures trouvées avec la main à {0} touchent quelque chose",
    "the report asks a seated person: let the active one sit": "le rapport demande une personne assise : asseyez la personne active",
    "the document was changed meanwhile: the drag is dropped": "le document a changé entre-temps : le glissement est abandonné",
    "the document was changed meanwhile: its answer is dropped": "le document a changé entre-temps : la réponse est abandonnée",
    "no pose of the lap was solved": "aucune pose du tour n'a été résolue",
    "{0} cannot be done now": "{0} n'est pas possible maintenant",
    "there is no action {0}": "il n'y a pas d'action {0}",
    "key must be like Control+B, F8 or H, got {0}": "une touche s'écrit comme Control+B, F8 ou H, pas {0}",
    "{0} is the key of {1}": "{0} est la touche de {1}",
    "no {0} is called {1}; there are: {2}": "{0} : aucun ne s'appelle {1} ; il y a : {2}",
    "no {0} is called {1}": "{0} : aucun ne s'appelle {1}",
    "{0} {1} is no single name: '/' stands between names": "{0} {1} n'est pas un seul nom : « / » sépare les noms",
    "{0} {1} must not have '/' in it": "{0} {1} ne doit pas contenir « / »",
    "{0} is there already": "{0} existe déjà",
    "{0} = {1} is further than {2} standard scores from the survey's median ({3}): its tables carry {4} to {5}": "{0} = {1} est à plus de {2} écarts types de la médiane de l'enquête ({3}) : ses tables vont de {4} à {5}",
    "{0} takes one position at the end of a chain of free balls alone; fabrik takes other joints, limits and goals, auto any": "{0} ne prend qu'une position au bout d'une chaîne de rotules libres ; fabrik prend d'autres articulations, limites et buts, auto tous",
    "lm_batch takes one pose on 3 to 32 turns and slides, or one position, orientation or axis on 2 or more, none a ball or following another; auto takes the others": "lm_batch prend une pose sur 3 à 32 pivots et glissières, ou une position, une orientation ou un axe sur 2 ou plus, sans rotule ni articulation qui en suit une autre ; auto prend le reste",
    # paths that were not found
    "start": "départ",
    "goal": "but",
    "something": "quelque chose",
    ", and so does every posture there is": ", et toute posture possible aussi",
    "the {0} has a coordinate beyond {1}": "{0} : une coordonnée dépasse {1}",
    "the {0} is outside the limits by {1}": "{0} : hors des limites de {1}",
    "the {0} touches {1}, {2} m deep, and so does every posture there is": "{0} : contact avec {1}, profond de {2} m, et toute posture possible aussi",
    "the {0} touches {1}, {2} m deep": "{0} : contact avec {1}, profond de {2} m",
    "at the {0} what is kept is off by {1} of its tolerance": "{0} : ce qui est maintenu s'écarte de {1} de sa tolérance",
    "the straight line meets {0} at {1} of the way": "la ligne droite rencontre {0} à {1} du chemin",
    "no posture reaches the goal: its closed form has none": "aucune posture n'atteint le but : sa forme explicite n'en a pas",
    "no posture reaches the goal": "aucune posture n'atteint le but",
    "the goal is out of reach: proved by the lengths of the links": "le but est hors de portée : prouvé par les longueurs des segments",
    "no path was found{0}": "aucun chemin n'a été trouvé{0}",
    # numbers and kinds
    "poses must be 10 to 2000, got {0}": "les poses doivent être de 10 à 2000, pas {0}",
    "count must be 1 to 1000 and seed 0 or more, got {0} and {1}": "le nombre doit être de 1 à 1000 et le tirage 0 ou plus, pas {0} et {1}",
    "a scale must be above zero, got {0}": "une échelle doit être au-dessus de zéro, pas {0}",
    "a pose has no turn: its quaternion is none": "une pose n'a pas de rotation : son quaternion est nul",
    "{0} has no turn: its quaternion is {1}": "{0} n'a pas de rotation : son quaternion est {1}",
    "a frame of kind {0} has a number that is none, or is too large": "un nombre manque, ou il est trop grand",
    "{0} must be zero or more, got {1}": "{0} doit être zéro ou plus, pas {1}",
    "{0} must be above zero, got {1}": "{0} doit être au-dessus de zéro, pas {1}",
    "{0} must be one of {1}, got {2}": "{0} doit être l'un de {1}, pas {2}",
    "{0} must be {1} to {2}, got {3}": "{0} doit être de {1} à {2}, pas {3}",
    "{0} must be {1} or more, got {2}": "{0} doit être {1} ou plus, pas {2}",
    "{0} must be a number, got {1}": "{0} doit être un nombre, pas {1}",
    "{0} must be a text, got {1}": "{0} doit être un texte, pas {1}",
    "{0} must be a list of paths, got {1}": "{0} doit être une liste d'objets, pas {1}",
    "{0} must be three numbers, got {1}": "{0} doit être trois nombres, pas {1}",
    "{0} must be seven numbers, got {1}": "{0} doit être sept nombres, pas {1}",
    "{0} must be finite": "{0} doit être fini",
    "{0} is too large": "{0} est trop grand",
    "{0} needs {1}": "il manque à {0} : {1}",
}  # fmt: skip


@cache
def _forms() -> list[tuple[re.Pattern[str], str]]:
    """Return the sentences as what they match."""
    found = []
    for english, french in FRENCH.items():
        parts = re.split(r"(\{\d\})", english)
        gaps = [f"(?P<g{part[1]}>.+?)" if part[:1] == "{" else re.escape(part) for part in parts]
        found.append((re.compile("".join(gaps), re.DOTALL), french))
    return found


def in_french(said: str) -> str | None:
    """Return a sentence in French, or None where none is known."""
    for form, french in _forms():
        met = form.fullmatch(said)
        if met is not None:
            gaps = [met.groupdict()[f"g{k}"] for k in range(len(met.groups()))]
            return french.format(*((FRENCH.get(gap, gap)) for gap in gaps))
    return None


def in_language(said: str, language: str) -> str:
    """Return what was refused in a language; where it has no words for it, that it was, and why."""
    if language != "fr" or not said:
        return said
    found = in_french(said)
    return f"Refusé : {said}" if found is None else found[0].upper() + found[1:]
