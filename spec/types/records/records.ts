import { fkModel } from './fk-model.ts';
import { lines } from './lines.ts';
import { manyToMany } from './many-to-many.ts';

/** The types that hold other records or name them. */
export const RECORD_TYPES = { manyToMany, fkModel, lines };
