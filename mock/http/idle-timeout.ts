import type { Socket } from 'node:net';

/**
 * Tells once when a service has sent nothing for so many milliseconds, and half as many again: after a pause of this
 * process or machine the timer is late, and what the service sent meanwhile has not been read. While bytes are held
 * back for a client that reads slowly none are taken from the service. Returns how to stop.
 */
export function watchIdle(
  socket: Socket,
  timeout: number,
  isHeldBack: () => boolean,
  onIdle: () => void,
): () => void {
  let doubtedAt: number | undefined;
  let judging: NodeJS.Immediate | undefined;
  const look = () => {
    // After a pause timers come first, and then the bytes that had come in time.
    judging = setImmediate(judge);
  };
  const judge = () => {
    const { bytesRead } = socket;
    if (!isHeldBack() && bytesRead === doubtedAt) return onIdle();
    const isDoubtful = !isHeldBack() && doubtedAt === undefined;
    doubtedAt = isDoubtful ? bytesRead : undefined;
    socket.setTimeout(isDoubtful ? timeout / 2 : timeout);
  };
  socket.setTimeout(timeout).on('timeout', look);
  return () => {
    clearImmediate(judging);
    socket.setTimeout(0).off('timeout', look);
  };
}
