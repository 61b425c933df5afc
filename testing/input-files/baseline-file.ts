import { type KnownFailure, loadBaseline } from '../../conformance/results/compose-results.ts';
import { useDirectory } from '../temporary-directory.ts';

/** A case that a reference service can fail. */
export const PUT = 'absent.put:brand';

/** A row about it. */
export const known = (change: Partial<KnownFailure> = {}): KnownFailure => ({
  case: PUT,
  reason: 'the old gateway does it',
  until: '2026-03-31',
  ...change,
});

/** Returns a written baseline with reasons. */
export function explained(text: string): string {
  return text.replaceAll('reason: ""', 'reason: a person knows');
}

/** Reads texts as known.yaml, in a directory for each test of a file. */
export function useBaselineFile() {
  const directory = useDirectory();
  return { ...directory, load: (text: string) => loadBaseline(directory.write('known.yaml', text)) };
}
