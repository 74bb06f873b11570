// The page's own words, English and French side by side. Those of the actions come from Python with the table of actions.

export const WORDS = {
  connecting: ['Connecting to Python …', 'Connexion à Python …'],
  connected: ['Ready.', 'Prêt.'],
  lost: ['The connection to Python is lost. Trying again …', 'La connexion à Python est perdue. Nouvel essai …'],
  refused_token: ['This address has no valid token. Open the one that handik app printed.', "Cette adresse n'a pas de jeton valable. Ouvrez celle que handik app a affichée."],
  no_webgl: ['This browser shows no 3D picture (WebGL is off). Panels and keys work all the same.', "Ce navigateur n'affiche pas d'image 3D (WebGL est désactivé). Les panneaux et les touches fonctionnent quand même."],
  skip: ['Skip to the 3D view', 'Aller à la vue 3D'],
  // menus
  menu_bar: ['Main menu', 'Menu principal'],
  menu_file: ['File', 'Fichier'],
  menu_edit: ['Edit', 'Édition'],
  menu_object: ['Object', 'Objet'],
  menu_person: ['Person', 'Personne'],
  menu_pose: ['Posture', 'Posture'],
  menu_target: ['Target', 'Cible'],
  menu_solve: ['Solve', 'Résoudre'],
  menu_view: ['View', 'Affichage'],
  menu_help: ['Help', 'Aide'],
  // regions
  region_scene: ['Scene', 'Scène'],
  region_view: ['3D view', 'Vue 3D'],
  region_object: ['Transformation', 'Transformation'],
  region_posture: ['Posture', 'Posture'],
  region_solve: ['Solve', 'Résoudre'],
  region_compare: ['Compare', 'Comparer'],
  region_person: ['Person', 'Personne'],
  region_verdict: ['Verdict', 'Verdict'],
  region_tools: ['Tools', 'Outils'],
  region_status: ['Status', 'État'],
  panels: ['Panels', 'Panneaux'],
  canvas: ['3D view of the scene. Arrows turn the view, Shift and arrows move it, plus and minus bring it nearer or farther.', "Vue 3D de la scène. Les flèches tournent la vue, Maj et flèches la déplacent, plus et moins l'approchent ou l'éloignent."],
  grip_help: ['Arrow keys move it by 1 cm along the floor, Page up and Page down up and down; with Shift 10 cm.', 'Les flèches le déplacent de 1 cm sur le sol, Page haut et Page bas en hauteur ; avec Maj 10 cm.'],
  // view
  view_front: ['Front', 'Face'],
  view_back: ['Back', 'Dos'],
  view_left: ['Left side', 'Côté gauche'],
  view_right: ['Right side', 'Côté droit'],
  view_top: ['Top', 'Dessus'],
  view_corner: ['Corner', 'Angle'],
  view_all: ['Show all', 'Tout voir'],
  view_picture: ['Save picture …', "Enregistrer l'image …"],
  draw_solid: ['Solid', 'Plein'],
  draw_wire: ['Wireframe', 'Fil de fer'],
  show_skin: ['Skin', 'Peau'],
  show_capsules: ['Capsules', 'Capsules'],
  show_skeleton: ['Skeleton', 'Squelette'],
  show_grid: ['Grid', 'Grille'],
  show_shadows: ['Shadows', 'Ombres'],
  show_grips: ['Handles', 'Poignées'],
  theme: ['Theme', 'Thème'],
  theme_auto: ['As the system', 'Comme le système'],
  theme_light: ['Light', 'Clair'],
  theme_dark: ['Dark', 'Sombre'],
  language: ['Language', 'Langue'],
  help_keys: ['Keys …', 'Touches …'],
  help_about: ['About …', 'À propos …'],
  gizmo_move: ['Move', 'Déplacer'],
  gizmo_turn: ['Rotate', 'Tourner'],
  gizmo_scale: ['Scale', "Mettre à l'échelle"],
  // tree
  search: ['Search', 'Chercher'],
  add: ['Add', 'Ajouter'],
  hide: ['Hide', 'Masquer'],
  show: ['Show', 'Montrer'],
  unlock: ['Unlock', 'Déverrouiller'],
  hidden: ['hidden', 'masqué'],
  locked: ['locked', 'verrouillé'],
  rename: ['Rename', 'Renommer'],
  delete: ['Delete', 'Supprimer'],
  kind_box: ['box', 'boîte'],
  kind_sphere: ['sphere', 'sphère'],
  kind_capsule: ['capsule', 'capsule'],
  kind_cylinder: ['cylinder', 'cylindre'],
  kind_plane: ['plane', 'plan'],
  kind_prism: ['prism', 'prisme'],
  kind_mesh: ['mesh', 'maillage'],
  kind_floorplan: ['floor plan', 'plan de sol'],
  kind_light: ['light', 'lumière'],
  kind_camera: ['camera', 'caméra'],
  kind_target: ['target', 'cible'],
  kind_via: ['via point', 'point de passage'],
  kind_figure: ['figure', 'figure'],
  kind_group: ['group', 'groupe'],
  kind_include: ['included scene', 'scène incluse'],
  nothing_found: ['Nothing of that name.', "Rien de ce nom."],
  empty: ['Empty', 'Vide'],
  // posture
  degrees: ['degrees', 'degrés'],
  reset: ['Initial posture', 'Posture initiale'],
  reset_one: ['To zero', 'À zéro'],
  mirror: ['Mirror', 'Miroir'],
  group_trunk: ['Trunk', 'Tronc'],
  group_head: ['Head and neck', 'Tête et cou'],
  group_right: ['Right arm', 'Bras droit'],
  group_left: ['Left arm', 'Bras gauche'],
  group_legs: ['Legs', 'Jambes'],
  group_other: ['Others', 'Autres'],
  hold: ['Hold this joint', 'Tenir cette articulation'],
  keep: ['Keep …', 'Garder …'],
  kept: ['Kept postures', 'Postures gardées'],
  mode_select: ['Select', 'Sélectionner'],
  mode_compute: ['Set target', 'Placer la cible'],
  mode_navigate: ['Look about', 'Se déplacer'],
  // transformation
  nothing_selected: ['Nothing is selected. Choose an object in the scene or in the picture.', "Rien n'est choisi. Choisissez un objet dans la scène ou dans l'image."],
  position: ['Position', 'Position'],
  rotation: ['Rotation', 'Rotation'],
  scale: ['Scale', 'Échelle'],
  frame_own_axes: ['Own axes', 'Axes propres'],
  snap: ['Snap', 'Aimanter'],
  snap_hint: ['to 5 cm, 15°, 0.1', 'à 5 cm, 15°, 0,1'],
  // solve
  target: ['Target', 'Cible'],
  target_mode: ['What is asked', 'Ce qui est demandé'],
  target_position: ['Position', 'Position'],
  target_axis: ['Position and grip axis', 'Position et axe de prise'],
  target_pose: ['Position and rotation', 'Position et rotation'],
  target_to_hand: ['Put the target at the hand', 'Mettre la cible dans la main'],
  hand: ['Hand', 'Main'],
  hand_right: ['Right', 'Droite'],
  hand_left: ['Left', 'Gauche'],
  solver: ['Solver', 'Solveur'],
  tolerance: ['Tolerance', 'Tolérance'],
  millimetres: ['mm', 'mm'],
  solve: ['Solve', 'Résoudre'],
  follow: ['Follow the target while it is dragged', 'Suivre la cible quand on la tire'],
  initialise: ['Initialise', 'Initialiser'],
  result: ['Result', 'Résultat'],
  outcome_unreachable: ['out of reach', 'hors de portée'],
  outcome_stalled: ['no further progress', 'plus de progrès'],
  outcome_max_iter: ['all iterations used', 'toutes les itérations faites'],
  outcome_time_limit: ['out of time', 'temps écoulé'],
  outcome_diverged: ['went astray', 'a divergé'],
  outcome_cancelled: ['given up', 'abandonné'],
  outcome_least_squares: ['as near as it can be', "aussi près que possible"],
  outcome_invalid: ['not a number', 'pas un nombre'],
  outcome_reached: ['Reached', 'Atteint'],
  outcome_missed: ['Not reached', 'Non atteint'],
  iterations: ['Iterations', 'Itérations'],
  time: ['Time', 'Durée'],
  error: ['Distance from the target', 'Distance à la cible'],
  not_solved: ['Not solved yet.', 'Pas encore résolu.'],
  ghost: ['Compare with', 'Comparer avec'],
  ghost_none: ['None', 'Aucun'],
  ghost_result: ['Second solver', 'Second solveur'],
  // two solvers
  first_solver: ['First solver', 'Premier solveur'],
  second_solver: ['Second solver', 'Second solveur'],
  steps_title: ['Step by step', 'Pas à pas'],
  steps_run: ['Run both', 'Lancer les deux'],
  steps_off: ['Leave the steps', 'Quitter le pas à pas'],
  steps_chart: ['Distance from the target in millimeters by iteration, on a logarithmic scale', "Distance à la cible en millimètres à chaque itération, échelle logarithmique"],
  step: ['Iteration', 'Itération'],
  step_back: ['Back', 'Reculer'],
  step_on: ['On', 'Avancer'],
  time_us: ['µs', 'µs'],
  away_mm: ['mm off', 'écart, mm'],
  pass_back: ['from the target back', 'de la cible vers la base'],
  pass_forth: ['from the base out, before limits', 'de la base vers la cible, sans les limites'],
  eight_title: ['Figure of eight', 'Courbe en huit'],
  eight_run: ['Follow it with both', 'La suivre avec les deux'],
  eight_hint: ['The hand follows a figure of eight with each solver; each pose is drawn before the next is asked for.', "La main suit une courbe en huit avec chaque solveur ; chaque pose est dessinée avant de demander la suivante."],
  poses: ['Poses', 'Poses'],
  frames_rate: ['frames/s', 'images/s'],
  reached_share: ['Reached', 'Atteintes'],
  thesis: ['thesis', 'thèse'],
  thesis_note: ['Iterations are the mean of a pose, µs the median of the solve alone, frames/s with drawing. The thesis followed its own curve with a chain of nine joints.', "Les itérations sont la moyenne par pose, les µs la médiane de la résolution seule, les images/s avec dessin. La thèse suivait sa propre courbe avec une chaîne de neuf articulations."],
  // person
  sex: ['Sex', 'Sexe'],
  sex_female: ['Female', 'Femme'],
  sex_male: ['Male', 'Homme'],
  position_seated: ['Sitting', 'Assise'],
  position_standing: ['Standing', 'Debout'],
  no_person: ['The active figure is not a person.', "La figure active n'est pas une personne."],
  stature: ['Stature', 'Stature'],
  weight: ['Weight', 'Poids'],
  percentile: ['Percentile', 'Percentile'],
  profile: ['Profile', 'Profil'],
  profile_none: ['None', 'Aucun'],
  // verdict
  ask_verdict: ['Judge the reach', "Juger l'atteinte"],
  no_verdict: ['No verdict yet.', 'Pas encore de verdict.'],
  show_witness: ['Show the posture', 'Montrer la posture'],
  verdict_yes: ['In reach', 'À portée'],
  verdict_no: ['Out of reach', 'Hors de portée'],
  verdict_undecided: ['Undecided', 'Indécis'],
  short_by: ['Short by', 'Il manque'],
  changes: ['What would help', 'Ce qui aiderait'],
  // dialogs
  ok: ['OK', 'OK'],
  cancel: ['Cancel', 'Annuler'],
  close: ['Close', 'Fermer'],
  keys_title: ['Keys', 'Touches'],
  keys_action: ['Action', 'Action'],
  keys_key: ['Key', 'Touche'],
  keys_regions: ['Next region', 'Région suivante'],
  keys_regions_back: ['Region before', 'Région précédente'],
  keys_escape: ['Give up a drag, close a dialog', 'Abandonner un glissement, fermer un dialogue'],
  about_title: ['About', 'À propos'],
  about_text: ['handik poses articulated figures. Python holds the state; this page shows it.', "handik pose des figures articulées. Python tient l'état ; cette page le montre."],
  about_latency: ['Last answer after', 'Dernière réponse après'],
  choose_file: ['Choose a file', 'Choisir un fichier'],
  path_found: ['Found', 'Trouvé'],
  path_none: ['No path', 'Pas de chemin'],
  path_player: ['Path', 'Chemin'],
  play: ['Play', 'Lire'],
  pause: ['Pause', 'Pause'],
  moment: ['Moment of the path', 'Instant du chemin'],
  progress: ['Progress', 'Avancement'],
  stop: ['Stop', 'Arrêter'],
  unnamed: ['unnamed', 'sans nom'],
};

export const LANGUAGES = ['en', 'fr'];
let language = 'en';

export const currentLanguage = () => language;

/** The words of a key in the language shown. */
export function word(key) {
  const both = WORDS[key];
  if (!both) return key;
  return both[LANGUAGES.indexOf(language)];
}

/** Of a row from Python with `en` and `fr`, those of the language shown. */
export const own = (row) => row?.[language] || row?.en || row?.name || '';

/** A number as the language writes it. */
export function number(value, digits = 0) {
  if (!Number.isFinite(value)) return '–';
  return value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Write the words of all elements that name theirs: data-word its text, data-label its name, data-title its tip. */
export function translate(root = document) {
  for (const element of root.querySelectorAll('[data-word]')) element.textContent = word(element.dataset.word);
  for (const element of root.querySelectorAll('[data-label]')) element.setAttribute('aria-label', word(element.dataset.label));
  for (const element of root.querySelectorAll('[data-place]')) element.placeholder = word(element.dataset.place);
}

export function setLanguage(name) {
  language = LANGUAGES.includes(name) ? name : 'en';
  document.documentElement.lang = language;
  translate();
}
