import { type CaseResult, OUTCOMES, type Results } from '../conformance/results/results.ts';
import type { Exchange } from '../conformance/target/exchange.ts';
import { catalogue, resultOf } from './checks.ts';

/** Text that breaks reports: ends of elements, fences, and commands, and characters that XML can't contain. */
export const HOSTILE =
  '</script><script>alert(1)</script>]]>--><!-- "q" \'a\' `c` ```` | @someone ::error::x %0A\n::error::y \u0000\u0008\ud800\uffff é 🎉';

/** The characters that change the direction of text, and the same text as reports show it. */
export const BIDI = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
export const BIDI_SHOWN = [...BIDI]
  .map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('');

export function sampleExchange(body: string = HOSTILE): Exchange {
  return {
    request: {
      method: 'POST',
      url: 'http://127.0.0.1:4010/api/model/warehouse?limit=2&token=[redacted]',
      headers: {
        accept: 'application/json',
        authorization: '[redacted]',
        'content-type': 'application/json',
      },
      body: '{"name":"it\'s","big":12345678901234567890}',
    },
    response: { status: 200, headers: { 'Content-Type': 'text/html', location: '/elsewhere' }, body },
  };
}

/** A case with every optional part. */
export function sampleCase(changes: Partial<CaseResult> = {}): CaseResult {
  return {
    id: 'values.refused-on-update:warehouse.name=9',
    rule: 'values.refused-on-update',
    title: 'An update with a value that is not in the list is refused',
    level: 'stated',
    requirement: 'value-list',
    model: 'warehouse',
    field: 'name',
    operation: 'update',
    setting: 'delete.effect',
    outcome: 'fail',
    message: 'a value that is not in the list is not refused',
    expected: 'a 4xx status',
    found: `status 200: ${HOSTILE}`,
    retried: 'reproduced',
    exchanges: [sampleExchange()],
    ...changes,
  };
}

/** A run with every optional part, and a case of every standing. */
export function sampleResults(changes: Partial<Results> = {}): Results {
  const cases = changes.cases ?? [
    resultOf('operations.create:warehouse'),
    sampleCase(),
    sampleCase({
      id: 'advice.long-text:warehouse',
      rule: 'advice.long-text',
      level: 'advice',
      retried: 'not reproduced',
    }),
    sampleCase({
      id: 'fields.type:brand.name',
      rule: 'fields.type',
      model: 'brand',
      excused: `known <b>\n${HOSTILE}`,
    }),
    sampleCase({
      id: 'absent.put:brand',
      rule: 'absent.put',
      model: 'brand',
      outcome: 'flaky',
      retried: 'not reproduced',
      again: [sampleExchange('{}')],
    }),
    resultOf('list.shows-record:brand', { outcome: 'blocked', message: 'a valid brand could not be made' }),
    resultOf('delete.answer:brand', { outcome: 'error', message: 'Error: ours\n    at here' }),
    resultOf('profile.list.paging:brand', { outcome: 'skip', message: 'there is nothing to page' }),
  ];
  return {
    version: 1,
    target: 'http://127.0.0.1:4010',
    catalogue: { title: 'Record Model API', version: '2025-10-22', models: 53 },
    profile: { name: 'learned', differs: ['delete.effect remove'] },
    startedAt: '2026-01-02T03:04:05.678Z',
    durationMs: 1234.5,
    requests: 99,
    seed: 1000,
    readOnly: true,
    counts: countOutcomes(cases),
    staleBaseline: ['fields.type:warehouse.name'],
    expiredBaseline: ['values.refused-on-update:warehouse.name=9'],
    leftovers: ['warehouse/12'],
    requirements: [
      {
        id: 'value-list',
        section: '3',
        says: 'A select field takes the values of its list.',
        state: 'broken',
      },
      { id: 'field-type', section: '2', says: 'Each field has its type.', state: 'held' },
      { id: 'purpose', section: '1', says: 'The purpose.', state: 'not tested', why: 'no request shows it' },
    ],
    coverage: {
      operations: [
        { name: 'create warehouse', exercised: true },
        { name: 'create brand', exercised: false, why: 'a valid brand could not be made' },
      ],
      fields: [{ name: 'warehouse.name', exercised: true }],
      values: [{ name: 'stockOrder.status=2', exercised: false }],
    },
    planned: cases.length,
    ...changes,
    cases,
  };
}

/** A run in which a hostile service has its word wherever a report quotes it. */
export function hostileResults(): Results {
  const hostile = `${HOSTILE}<img src="http://127.0.0.1:1/x" onerror="alert(2)"><style>*{display:none}</style>`;
  const result = sampleCase({
    id: `x.y:${hostile}`,
    rule: `${hostile}.z`,
    title: hostile,
    model: hostile,
    message: hostile,
    expected: hostile,
    found: hostile,
    requirement: hostile,
    exchanges: [sampleExchange(hostile)],
  });
  return sampleResults({
    target: hostile,
    catalogue: { title: hostile, version: hostile, models: 1 },
    staleBaseline: [hostile],
    expiredBaseline: [hostile],
    leftovers: [hostile],
    requirements: [{ id: hostile, section: hostile, says: hostile, state: 'broken', why: hostile }],
    coverage: { operations: [{ name: hostile, exercised: false, why: hostile }], fields: [], values: [] },
    cases: [result],
  });
}

/** A conformant run with no optional part. */
export function bareResults(): Results {
  return sampleResults({
    profile: { name: 'default', differs: [] },
    readOnly: false,
    staleBaseline: [],
    expiredBaseline: [],
    leftovers: [],
    requirements: [],
    coverage: { operations: [], fields: [], values: [] },
    cases: [resultOf('operations.create:warehouse')],
  });
}

/** Creates a run of all models with this number of cases each. Every seventh case fails with exchanges. */
export function largeResults(each: number, body = HOSTILE): Results {
  const groups = ['operations', 'fields', 'required', 'readonly', 'values', 'update', 'delete', 'profile'];
  const models = [...catalogue.models.keys()];
  let number = 0;
  const cases = models.flatMap((model) =>
    Array.from({ length: each }, (_, index) => {
      const rule = `${groups[index % groups.length]}.rule-${index}`;
      const id = `${rule}:${model}.field${index}`;
      return number++ % 7 === 3
        ? sampleCase({ id, rule, model, field: `field${index}`, exchanges: [sampleExchange(body)] })
        : resultOf(id);
    }),
  );
  return sampleResults({ cases });
}

function countOutcomes(cases: readonly CaseResult[]): Results['counts'] {
  const numbers = OUTCOMES.map((outcome) => [
    outcome,
    cases.filter((result) => result.outcome === outcome).length,
  ]);
  return Object.fromEntries(numbers) as Results['counts'];
}
