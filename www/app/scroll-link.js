/**
 * Scrolls two elements together: both always show the same share of their content.
 *
 * @param {HTMLElement} first
 * @param {HTMLElement} second
 * @returns {() => void} lets the second follow the first again, after its content has changed
 */
export function linkScrolling(first, second) {
  /** The element whose next scroll event is the echo of our own doing. @type {HTMLElement | undefined} */
  let echo;

  /** @param {HTMLElement} leader @param {HTMLElement} follower */
  const follow = (leader, follower) => {
    const room = leader.scrollHeight - leader.clientHeight;
    const share = room > 0 ? leader.scrollTop / room : 0;
    const before = follower.scrollTop;
    follower.scrollTop = share * (follower.scrollHeight - follower.clientHeight);
    if (follower.scrollTop !== before) {
      echo = follower;
    }
  };

  /** @param {HTMLElement} leader @param {HTMLElement} follower */
  const listen = (leader, follower) => {
    const onScroll = () => {
      if (echo === leader) {
        echo = undefined;
        return;
      }
      follow(leader, follower);
    };
    leader.addEventListener("scroll", onScroll, { passive: true });
  };

  listen(first, second);
  listen(second, first);
  return () => follow(first, second);
}
