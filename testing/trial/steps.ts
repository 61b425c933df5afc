import { MODELS } from '../services/source/source.ts';

/** The models that the team builds first. Their links lead to each other, or are optional. */
const FIRST = ['customer', 'customerTag', 'customerToTag'];

/** The fields that the bugs of the steps 6, 7, and 9 concern. */
const BUGS = { cut: 'customer.street', overwritten: 'customerToTag.fkId', mistyped: 'deposit.balance' };

/** A state of the service, and what the check of it says. */
type Step = {
  readonly title: string;
  /** The flags after the URL. */
  readonly flags: readonly string[];
  /** What `Fix first` names. A step without it is green. */
  readonly names?: string;
  /** The number of the green step with the same models. */
  readonly green: number;
};

const PROFILE = ['--profile', 'profile.yaml', '--explore', '0'];
const THREE = [...PROFILE, '--models', FIRST.join(',')];
const WITH_LIST = [...PROFILE, '--built', 'built.yaml'];

/** Ten steps from nothing to a complete service; the first one has number 1. */
export const STEPS: readonly Step[] = [
  { title: 'nothing is built', flags: PROFILE, names: 'not built', green: 10 },
  { title: 'three models can be listed and retrieved', flags: THREE, names: 'POST /api/model/customer', green: 8 },
  { title: 'records can be created', flags: THREE, names: 'POST /api/model/customer/{id}', green: 8 },
  { title: 'PUT updates a record, and POST does not', flags: THREE, names: 'POST /api/model/customer/{id}', green: 8 },
  { title: 'POST updates a record', flags: THREE, names: 'DELETE /api/model/customer/{id}', green: 8 },
  { title: 'records can be deleted, and one string is cut at 20 characters', flags: THREE, names: BUGS.cut, green: 8 },
  { title: 'no string is cut, and an update overwrites a readonly field', flags: THREE, names: BUGS.overwritten, green: 8 },
  { title: 'three models are complete', flags: WITH_LIST, green: 8 },
  { title: 'all models are built, and one field has the wrong type', flags: WITH_LIST, names: BUGS.mistyped, green: 10 },
  { title: 'all models are complete', flags: WITH_LIST, green: 10 },
];

/** The file for `--models` of the services. */
export type Plan = typeof BUGS & { readonly first: readonly string[]; readonly models: readonly unknown[] };

/** Returns the models of the source and the places of the bugs for the services, which import neither. */
export function planOf(): Plan {
  return { ...BUGS, first: FIRST, models: [...MODELS.values()] };
}
