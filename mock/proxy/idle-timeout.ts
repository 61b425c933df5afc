/** Watches over something that has to go on. */
export type IdleTimeout = {
  /** It went on. */
  refresh(): void;
  stop(): void;
};

/** How often it is looked at in a timeout, and one look more until it counts as idle. */
const LOOKS = 2;

/**
 * Tells once when nothing went on for `timeout` milliseconds, at the latest after half as many again. What is held
 * back, for a client that reads slowly, is not idle. The clock alone proves nothing: after a pause of this process the
 * timer is late, and what came meanwhile has not been read. So idle is what was so at several looks in a row.
 */
export function watchIdle(timeout: number, isHeldBack: () => boolean, onIdle: () => void): IdleTimeout {
  let quiet = 0;
  let looking: NodeJS.Immediate | undefined;
  const timer = setInterval(() => {
    // After a pause timers come first, and then the bytes that had come in time.
    looking = setImmediate(look);
  }, timeout / LOOKS);
  return { refresh, stop };

  function refresh(): void {
    quiet = 0;
  }

  function look(): void {
    quiet = isHeldBack() ? 0 : quiet + 1;
    if (quiet <= LOOKS) return;
    stop();
    onIdle();
  }

  function stop(): void {
    clearInterval(timer);
    clearImmediate(looking);
  }
}
