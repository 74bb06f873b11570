// The posture that is seen: of the document, or of a path while it is played. Handles, sliders and eyes are where it is.

import { gripRows } from './handles.js';

export class Played {
  /** `page` has store, view, player, scenery, sliders, grips, look and pins. */
  constructor(page) {
    this.page = page;
  }

  /** The figure that the path moves. */
  get figure() {
    const { document: now } = this.page.store;
    return now.path?.figure ?? now.figure;
  }

  /** The posture of the path, where that is seen of the active figure. */
  get posture() {
    const { player, store } = this.page;
    return this.figure === store.document.figure ? player.posture : null;
  }

  /** Another row of the path is seen. */
  show() {
    const { player, view } = this.page;
    view?.setPose(this.figure, player.posture);
    if (this.posture) this.#follow(this.posture.angles, !player.running);
  }

  /** Figures where the last frames put them, and the path its own. `exact` false in a drag: the panels follow more slowly. */
  poses(exact) {
    const { player, store, view } = this.page;
    const { document: now, figures, poses, person } = store;
    for (const [path, pose] of poses) {
      if (path !== 'ghost' && now.nodes[path] && figures[now.nodes[path].shape.figure] === pose.body) view?.setPose(path, pose);
    }
    if (player.posture) view?.setPose(this.figure, player.posture);
    view?.setGhost(now.ghost ? (poses.get('ghost') ?? null) : null);
    this.#follow(this.posture?.angles ?? (exact ? null : poses.get(now.figure)?.angles) ?? person?.node.shape.angles, exact);
  }

  #follow(angles, exact) {
    const { scenery, sliders, grips, look, store, view, pins } = this.page;
    scenery.eyes();
    if (angles) sliders.setAngles(angles, exact);
    grips?.set(look.grips ? gripRows(store, view, pins) : []);
  }

  /** A posture came: it is seen if it is that of the path's figure. */
  came(number) {
    if (this.page.store.byNumber(number)?.path === this.figure) this.page.player.leave();
  }

  /** The active figure goes on from the posture in which it is seen. */
  take() {
    const { player, store } = this.page;
    if (store.document && this.posture) player.take(store.poses.get(store.document.figure)?.q);
  }

  /** Where the links of the active figure are seen. */
  get links() {
    const { store } = this.page;
    return this.posture?.links ?? store.poses.get(store.document.figure)?.links;
  }
}
