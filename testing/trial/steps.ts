import { MODELS, type Model } from '../services/source/source.ts';

/** The models that the team builds first. Their links lead to each other, or are optional. */
const FIRST = ['customer', 'customerTag', 'customerToTag'];

/** The fields that the bugs of steps 6, 7, and 9 concern. */
const BUGS = { cut: 'customer.street', overwritten: 'customerToTag.fkId', mistyped: 'deposit.balance' };

/** A state of the service, and what its check must say. */
export type Step = {
  readonly title: string;
  /** The flags after the URL. */
  readonly flags: readonly string[];
  readonly code: number;
  /** The operation or field that comes first; absent if the step is green. */
  readonly first?: string;
};

const PROFILE = ['--profile', 'profile.yaml', '--explore', '0'];
const THREE = [...PROFILE, '--models', FIRST.join(',')];
const WITH_BASELINE = [...PROFILE, '--baseline', 'known.yaml'];

/** A step that is red because of what comes first. */
const red = (title: string, first: string, flags: readonly string[] = THREE): Step => ({
  title,
  flags,
  code: 1,
  first,
});

/** The way from nothing to a complete service. Its steps count from 1. */
export const STEPS: readonly Step[] = [
  {
    title: 'nothing is built',
    flags: PROFILE,
    // The suite takes it for a wrong base URL.
    code: 2,
    first: 'GET http://127.0.0.1:PORT/api/model/accessControlLog',
  },
  red('three models can be listed and retrieved', 'POST /api/model/customer returns 405'),
  red('records can be created', 'POST /api/model/customer/{id} returns 405'),
  red('records can be updated, but with PUT', 'POST /api/model/customer/{id} returns 405'),
  red('records can be updated with POST', 'DELETE /api/model/customer/{id} returns 405'),
  red(
    'records can be deleted, but one string is cut at 20 characters',
    `${BUGS.cut} is cut at 20 characters`,
  ),
  red('no string is cut, but an update overwrites a readonly field', BUGS.overwritten),
  { title: 'three models are complete', flags: WITH_BASELINE, code: 0 },
  red('all models are built, but one field has the wrong type', BUGS.mistyped, PROFILE),
  { title: 'all models are complete', flags: PROFILE, code: 0 },
];

/** Returns a baseline that lists the models that the team does not build first. */
export function baselineOf(): string {
  const later = [...MODELS.keys()].filter((name) => !FIRST.includes(name));
  return later.map((name) => `- notBuilt: ${name}\n`).join('');
}

/** The file for `--models` of the services. */
export type Plan = typeof BUGS & { readonly first: readonly string[]; readonly models: readonly Model[] };

/** Returns the models of the source and the places of the bugs, for services that import neither. */
export function planOf(): Plan {
  return { ...BUGS, first: FIRST, models: [...MODELS.values()] };
}
