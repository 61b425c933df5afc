import type { Defect } from '../defect.ts';
import { fieldDefects } from './answers.ts';
import { laterFieldDefects } from './fields-later.ts';
import { keptDefects } from './kept.ts';
import { lineDefects } from './lines.ts';
import { mixedUpDefects } from './mixed-up.ts';
import { readonlyDefects } from './readonly.ts';
import { readonlyHarmDefects } from './readonly-harm.ts';
import { requiredDefects } from './required.ts';
import { valueDefects } from './values.ts';

/** Defects of fields: which values are taken, kept and shown. */
export const FIELDS: readonly Defect[] = [
  ...fieldDefects,
  ...laterFieldDefects,
  ...requiredDefects,
  ...readonlyDefects,
  ...readonlyHarmDefects,
  ...valueDefects,
  ...mixedUpDefects,
  ...lineDefects,
  ...keptDefects,
];
