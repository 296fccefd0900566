/** What tells that a person turns to a pane, before its scrolling does. */
const ATTENTION = ["wheel", "touchstart", "pointerdown", "keydown", "focusin"];

/**
 * Scrolls two panes together: both show the same share of their content. The pane that a person
 * touched last leads. What the other one does by itself, like jumping up when its content shrinks,
 * moves nothing.
 *
 * @param {HTMLElement} first leads in the beginning
 * @param {HTMLElement} second
 * @returns {() => void} aligns the second again after its content has changed
 */
export function linkScrolling(first, second) {
  let leader = first;

  /** @param {HTMLElement} pane @param {HTMLElement} other */
  const link = (pane, other) => {
    const follow = () => {
      if (leader === pane) {
        align(pane, other);
      }
    };
    const lead = () => {
      leader = pane;
    };
    for (const event of ATTENTION) {
      pane.addEventListener(event, lead, { passive: true });
    }
    pane.addEventListener("scroll", follow, { passive: true });
    return follow;
  };

  link(second, first);
  return link(first, second);
}

/** @param {HTMLElement} leader @param {HTMLElement} follower */
function align(leader, follower) {
  const room = leader.scrollHeight - leader.clientHeight;
  const share = room > 0 ? leader.scrollTop / room : 0;
  follower.scrollTop = share * (follower.scrollHeight - follower.clientHeight);
}
