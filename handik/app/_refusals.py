"""What is refused, in French: the sentences are raised in English and are known here by their form."""

from __future__ import annotations

import re
from functools import cache

from handik.spec._french import comma

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
    "who walks with that stands: change the person to standing first": "on marche debout avec cela : mettez d'abord la personne debout (Modifier la personne)",
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
    "{0}, who was recorded, is not there any more": "{0}, dont on enregistrait le mouvement, n'est plus là",
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
    "a kind, a percentile, width and length": "une sorte, un percentile, largeur et longueur",
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
    "no {0} is called {1}; near names: {2}": "{0} : aucun ne s'appelle {1} ; noms proches : {2}",
    "no {0} is called {1}; there are: {2}": "{0} : aucun ne s'appelle {1} ; il y a : {2}",
    "no {0} is called {1}": "{0} : aucun ne s'appelle {1}",
    "{0} {1} is no single name: '/' stands between names": "{0} {1} n'est pas un seul nom : « / » sépare les noms",
    "{0} {1} must not have '/' in it": "{0} {1} ne doit pas contenir « / »",
    "{0} is there already": "{0} existe déjà",
    "{0} = {1} is further than {2} standard scores from the survey's median ({3}): its tables carry {4} to {5}": "{0} = {1} est à plus de {2} écarts types de la médiane de l'enquête ({3}) : ses tables vont de {4} à {5}",
    "{0} takes one position at the end of a chain of free balls alone; fabrik takes other joints, limits and goals, auto any": "{0} ne prend qu'une position au bout d'une chaîne de rotules libres ; fabrik prend d'autres articulations, limites et buts, auto tous",
    "lm_batch takes one pose on 3 to 32 turns and slides, or one position, orientation or axis on 2 or more, none a ball or following another; auto takes the others": "lm_batch prend une pose sur 3 à 32 pivots et glissières, ou une position, une orientation ou un axe sur 2 ou plus, sans rotule ni articulation qui en suit une autre ; auto prend le reste",
    "the document would have {0} bytes, more than {1}": "le document aurait {0} octets, plus de {1}",
    "it has no node {0} for a mesh": "il n'a pas d'objet {0} pour un maillage",
    "its numbers are not whole": "ses nombres ne sont pas entiers : il en manque",
    "its numbers must be <f4 or <f8, got {0}": "ses nombres doivent être <f4 ou <f8, pas {0}",
    # names, places and shapes of the scene
    "there is a node {0} already": "il y a déjà un objet {0}",
    "{0} must have 1 to {1} signs and no white space at an end, got {2}": "{0} doit avoir de 1 à {1} signes, sans blanc au début ni à la fin, pas {2}",
    "{0} {1} must not have {2} in it": "{0} {1} ne doit pas contenir {2}",
    "parent must not be {0} itself, nor hang on it": "le parent ne doit pas être {0} lui-même, ni y être rattaché",
    "{0} is attached to {1}: detach it": "{0} est attaché à {1} : détachez-le",
    "{0} is scaled: what moves has its own size": "{0} est à une autre échelle : ce qui bouge a sa propre taille",
    "there are more than {0} nodes": "il y a plus de {0} objets",
    "nodes hang more than {0} above each other": "les objets sont rattachés sur plus de {0} niveaux",
    "{0} lies farther out than {1} m": "{0} est à plus de {1} m",
    "{0} must not be negative, got {1}": "{0} ne doit pas être négatif, pas {1}",
    "{0} must be at most {1} m, got {2}": "{0} doit être au plus de {1} m, pas {2}",
    "{0} must be at most {1}, got {2}": "{0} doit être au plus {1}, pas {2}",
    "{0} reaches beyond {1} m": "{0} dépasse {1} m",
    "color must be three numbers or \"#rrggbb\", got {0}": "une couleur est trois nombres ou « #rrvvbb », pas {0}",
    "{0} must be between 0 and pi, got {1}": "{0} doit être entre 0 et pi, pas {1}",
    "a {0} cannot be carried: it has no end": "{0} : cela ne se porte pas, c'est sans fin",
    "distances to a {0} are not there yet": "{0} : il n'y a pas encore de distances à cela",
    "name": "le nom",
    "pose": "la pose",
    "at": "la place",
    "view": "l'angle de vue",
    "size[0]": "la taille",
    "node": "objet",
    "joint": "articulation",
    "solver": "solveur",
    "motion": "mouvement",
    "measure": "mesure",
    "model of handik's own": "modèle de handik",
    "robot": "robot",
    # persons
    "percentile must be a number between 0 and 100 or a pair of them, got {0}": "le percentile doit être un nombre entre 0 et 100, pas {0}",
    "percentile must be {0} to {1}, got {2}": "le percentile doit être de {0} à {1}, pas {2}",
    "severity lies between 0 (healthy) and 1, got {0}": "la gravité est entre 0 (valide) et 1, pas {0}",
    "{0} is given twice, once as a percentile": "{0} est donné deux fois, dont une par un percentile",
    "{0} is given twice": "{0} est donné deux fois",
    "sex must be \"female\" or \"male\" (the surveys know no other), got {0}": "le sexe doit être « female » ou « male » (les enquêtes n'en connaissent pas d'autre), pas {0}",
    "nobody has all of the given dimensions: {0} = {1}, but with the others it is about {2} ({3})": "personne n'a toutes ces mesures : {0} = {1}, mais avec les autres c'est environ {2} ({3})",
    "cervicale and suprasternale height are {0} m apart, more than the chest is deep ({1} m)": "la hauteur de la nuque et celle du haut du sternum diffèrent de {0} m, plus que la profondeur du thorax ({1} m)",
    "{0} is taken on the skin: a plain body has none": "{0} se mesure sur la peau : un corps simple n'en a pas",
    "{0}: these hands cannot grasp": "{0} : ces mains ne peuvent pas saisir",
    "{0}: the wrist cannot be extended enough to grasp": "{0} : le poignet ne s'étend pas assez pour saisir",
    "q0 is outside the limits": "la pose est hors des limites",
    "human: {0} is of who sits, not of {1}": "{0} vaut pour qui est assis, pas avec {1}",
    "no size of people with {0} was measured: give width and length": "aucune taille n'a été mesurée de personnes avec {0} : donnez largeur et longueur",
    "walker": "déambulateur",
    "crutches": "béquilles",
    # figures without a shape, and solvers that do not take them
    "{0} has no collision shapes, by which it could touch a scene: read it from a URDF that has them, or give capsules, hk.Figure(model, capsules); without a scene (None) none are needed": "{0} n'a pas de formes de collision : rien ne peut être dit de ses contacts",
    "the collision mesh {0} of link {1} was not found: give the folder when the model is read, or capsules: hk.Figure(model, capsules)": "le maillage de collision {0} du segment {1} n'a pas été trouvé",
    "{0} has several tips: say which frame moves straight": "{0} a plusieurs bouts : dites lequel va tout droit",
    # motions
    "cutoff must be above 0 and below {0} Hz and order 1 to 8, got {1}, {2}": "la coupure doit être au-dessus de 0 et sous {0} Hz, pas {1}",
    "no limb is found in both figures, only {0}: name their parts in source= and target=": "aucun membre n'a été trouvé dans les deux figures, seulement : {0}",
    "no marker of places is among those seen: {0}": "aucun marqueur connu n'est parmi ceux qui sont vus : {0}",
    "no marker was seen in any frame": "aucun marqueur n'a été vu dans aucune image",
    "C3D is read by ezc3d: pip install 'handik[mocap]'": "les fichiers C3D se lisent avec ezc3d : pip install 'handik[mocap]'",
    "lowpass filters by SciPy: pip install 'handik[scipy]'": "lisser demande SciPy : pip install 'handik[scipy]'",
    "a marker is named twice": "un marqueur est nommé deux fois",
    "nothing": "rien",
    # files
    "the file: {0}": "le fichier : {0}",
    "it does not begin as a {0} file does, or its head is cut": "il ne commence pas comme un fichier {0}, ou son en-tête est coupé",
    "it does not begin as a {0} file does": "il ne commence pas comme un fichier {0}",
    "it does not begin as an {0} file does": "il ne commence pas comme un fichier {0}",
    "it is cut: {0}": "il est coupé : {0}",
    "it is cut in its last row": "il est coupé dans sa dernière ligne",
    "shorter than the head of an STL file": "plus court que l'en-tête d'un fichier STL",
    "its last word is not EOF": "son dernier mot n'est pas EOF",
    "its last line is not END-ISO-10303-21;": "sa dernière ligne n'est pas END-ISO-10303-21;",
    "it is a binary DXF file; save it as text": "c'est un fichier DXF binaire ; enregistrez-le en texte",
    "it draws no outline and no line in its model space": "il ne dessine ni contour ni ligne dans son espace objet",
    "it draws no outline and no line": "il ne dessine ni contour ni ligne",
    "it has no vertex": "il n'a pas de sommet",
    "it has no triangle": "il n'a pas de triangle",
    "it has no node with a mesh": "il n'a pas d'objet avec un maillage",
    "it is of version {0}; 2 is read": "il est de version {0} ; on lit la 2",
    "it needs the extension {0}, which is not read": "il demande l'extension {0}, qui n'est pas lue",
    "its head says {0} bytes, but it has {1}": "son en-tête annonce {0} octets, mais il en a {1}",
    "its head says {0} triangles, {1} bytes, but it has {2}": "son en-tête annonce {0} triangles, {1} octets, mais il en a {2}",
    "its head names no vertices, or no faces": "son en-tête ne nomme pas de sommets, ou pas de faces",
    "its meshes have more than {0} triangles together": "ses maillages ont ensemble plus de {0} triangles",
    "its document is no JSON: {0}": "son document n'est pas du JSON : {0}",
    "its nodes hang on each other in a circle": "ses objets sont rattachés en cercle",
    "it has {0} nodes, more than {1}": "il a {0} objets, plus de {1}",
    "{0}:{1}: the file ends where {2} is expected": "{0}, ligne {1} : le fichier finit où l'on attend {2}",
    "{0}:{1}: a BVH file begins with HIERARCHY": "{0}, ligne {1} : un fichier BVH commence par HIERARCHY",
    "{0}:{1}: {2} is not expected here": "{0}, ligne {1} : {2} n'est pas attendu ici",
    "{0}:{1}: {2} has {3} numbers where {4} are expected": "{0}, ligne {1} : {2} a {3} nombres où l'on en attend {4}",
    "{0}:{1}: Frames says {2}, but {3} lines of numbers follow": "{0}, ligne {1} : Frames annonce {2}, mais {3} lignes de nombres suivent",
    "{0}:{1}: a TRC file begins with PathFileType": "{0}, ligne {1} : un fichier TRC commence par PathFileType",
    "{0}:{1}: the file ends within its head": "{0}, ligne {1} : le fichier finit dans son en-tête",
    "{0}:{1}: a cell is no number": "{0}, ligne {1} : une cellule n'est pas un nombre",
    "ezc3d cannot read it: {0}": "ezc3d ne peut pas le lire : {0}",
    "a share of people as near to {0} as {1} is further than {2} standard scores from the middle: no survey carries that": "une part de la population aussi proche de {0} que {1} est à plus de {2} écarts types du milieu : aucune enquête ne va si loin",
    "the file:{0}: not well-formed XML: {1}": "le fichier, ligne {0} : ce n'est pas du XML bien formé : {1}",
    "the file:{0}: {1}": "le fichier, ligne {0} : {1}",
    "file {0} is not there": "le fichier {0} n'est pas là",
    "file {0} leads outside the folder of the scene: name its folder in roots=": "le fichier {0} sort du dossier de la scène",
    "[Errno {0}] No such file or directory: {1}": "il n'y a pas de fichier ni de dossier {1}",
    "[Errno {0}] No space left on device": "le disque est plein",
    "[Errno {0}] Permission denied: {1}": "l'accès à {1} est refusé",
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
    "the straight line is not proved free at {0} of the way{1}": "la ligne droite n'est pas prouvée libre à {0} du chemin{1}",
    ": {0} is near": " : {0} est tout près",
    "; edges that turn above {0}, a slide without limits, cannot be proved": " ; rien ne se prouve d'une rotation au-dessus de {0}, glissière sans limites",
    "no path was found": "aucun chemin n'a été trouvé",
    "; {0} was met most; edges that turn above {1}, a slide without limits, cannot be proved": " ; obstacle le plus rencontré : {0} ; rien ne se prouve d'une rotation au-dessus de {1}, glissière sans limites",
    "; {0} was met most": " ; obstacle le plus rencontré : {0}",
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
    "{0} must be True or False, got {1}": "{0} doit être oui ou non, pas {1}",
    "{0} must be a whole number, got {1}": "{0} doit être un nombre entier, pas {1}",
    "{0} must be {1} or {2}, got {3}": "{0} doit être {1} ou {2}, pas {3}",
    "{0} must have shape {1}, got {2}": "{0} doit avoir la forme {1}, pas {2}",
    "{0} must be finite": "{0} doit être fini",
    "{0} is too large": "{0} est trop grand",
    "{0} needs {1}": "il manque à {0} : {1}",
}  # fmt: skip


#: Letters of a sentence that is looked up.
LONGEST = 600


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
    if len(said) > LONGEST:  # what somebody typed: forms with many gaps would be tried for long
        return None
    for form, french in _forms():
        met = form.fullmatch(said)
        if met is not None:
            gaps = [met.groupdict()[f"g{k}"] for k in range(len(met.groups()))]
            return french.format(*(in_french(gap) or comma(gap) for gap in gaps))
    return None


def in_language(said: str, language: str) -> str:
    """Return what was refused in a language; where it has no words for it, that it was, and why."""
    if language != "fr" or not said:
        return said
    found = in_french(said)
    return f"Refusé : {said}" if found is None else found[0].upper() + found[1:]
