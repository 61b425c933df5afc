import { setTimeout as pause } from 'node:timers/promises';
import { Interrupted } from './no-answer.ts';

/** Waits; throws Interrupted when the signal comes. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, signal ? { signal } : {});
  } catch {
    throw new Interrupted();
  }
}
