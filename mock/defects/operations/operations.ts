import type { Defect } from '../defect.ts';
import { absentDefects } from './absent/absent.ts';
import { createDefects } from './create.ts';
import { createRecordDefects } from './create-records.ts';
import { deleteDefects } from './delete.ts';
import { inputDefects } from './input.ts';
import { listDefects } from './list.ts';
import { listQueryDefects } from './list-queries.ts';
import { plainListDefects } from './plain-list.ts';
import { refusedDefects } from './refused.ts';
import { operationDefects } from './requests.ts';
import { updateDefects } from './update.ts';
import { updateAnswerDefects } from './update-answers.ts';
import { updateRecordDefects } from './update-records.ts';
import { writtenDefects } from './written.ts';

/** Defects of operations: the effect of a request on records. */
export const OPERATIONS: readonly Defect[] = [
  ...operationDefects,
  ...refusedDefects,
  ...writtenDefects,
  ...createDefects,
  ...createRecordDefects,
  ...updateDefects,
  ...updateRecordDefects,
  ...updateAnswerDefects,
  ...deleteDefects,
  ...listDefects,
  ...listQueryDefects,
  ...plainListDefects,
  ...absentDefects,
  ...inputDefects,
];
