import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { NO_BROWSER, openBrowser } from '../../testing/browser.ts';
import {
  BIDI,
  BIDI_SHOWN,
  bareResults,
  HOSTILE,
  largeResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import { renderJunit } from './junit.ts';

type Case = { '@classname': string; '@name': string } & Record<string, unknown>;
type Suite = Record<string, string> & { testcase: Case[] };

function parse(xml: string): Record<string, string> & { testsuite: Suite[] } {
  const parser = new XMLParser({
    attributeNamePrefix: '@',
    ignoreAttributes: false,
    isArray: (name) => name === 'testcase' || name === 'testsuite',
    parseTagValue: false,
  });
  return parser.parse(xml).testsuites;
}

test('there is a suite a model and a case a case', () => {
  const { testsuite } = parse(renderJunit(sampleResults()));
  expect(testsuite.map((suite) => [suite['@name'], suite.testcase.length])).toEqual([
    ['warehouse', 3],
    ['brand', 5],
    ['run', 2],
  ]);
  expect(testsuite[0]?.testcase[0]).toEqual({
    '@classname': 'operations',
    '@name': 'operations.create:warehouse',
  });
});

test('what counts against the target is a failure, what does not is skipped with the reason', () => {
  const suites = parse(renderJunit(sampleResults()));
  const cases = new Map(
    suites.testsuite.flatMap(({ testcase }) => testcase).map((one) => [one['@name'], one]),
  );
  expect(cases.get('list.shows-record:brand')).toMatchObject({ failure: { '@type': 'blocked' } });
  expect(cases.get('values.refused-on-update:warehouse.name=9')).toMatchObject({
    failure: {
      '@message': expect.stringMatching(
        /^a value that is not in the list is not refused; expected a 4xx status, found status 200: /,
      ),
      '@type': 'fail',
    },
  });
  expect(cases.get('delete.answer:brand')).toHaveProperty('error');
  expect(cases.get('absent.put:brand')).toMatchObject({ error: { '@type': 'flaky' } });
  expect(cases.get('advice.long-text:warehouse')?.skipped).toMatchObject({
    '@message': expect.stringMatching(/^advice: /),
  });
  expect(cases.get('fields.type:brand.name')?.skipped).toMatchObject({
    '@message': expect.stringMatching(/^excused \(known/),
  });
  expect([suites['@tests'], suites['@failures'], suites['@errors']]).toEqual(['10', '4', '2']);
  expect(suites.testsuite.map((suite) => suite['@skipped'])).toEqual(['1', '2', '0']);
});

test('a stale baseline is a failure, and a run that ended early an error', () => {
  const [stale, early, whole] = [
    { ...bareResults(), staleBaseline: ['absent.put:brand'] },
    { ...bareResults(), planned: 7, lost: 'nothing listens there' },
    bareResults(),
  ].map((results) => parse(renderJunit(results)));
  expect(stale).toMatchObject({ '@tests': '2', '@failures': '1', '@errors': '0' });
  expect(stale?.testsuite[1]?.testcase).toEqual([
    {
      '@classname': 'run',
      '@name': 'baseline:absent.put:brand',
      failure: {
        '@message': 'absent.put:brand is fixed. Remove it from the baseline.',
        '@type': 'stale',
      },
    },
  ]);
  expect(early).toMatchObject({ '@tests': '2', '@failures': '0', '@errors': '1' });
  expect(early?.testsuite[1]?.testcase[0]?.error).toMatchObject({
    '@message': expect.stringMatching(
      /^ended early after \d+ of \d+ cases: the target became unreachable: nothing listens there$/,
    ),
  });
  expect(whole?.testsuite).toHaveLength(1);
});

test('a failure shows the exchange and the command line', () => {
  const xml = renderJunit(sampleResults({ cases: [sampleCase()] }));
  const output = parse(xml).testsuite[0]?.testcase[0]?.['system-out'];
  expect(output).toContain('POST http://127.0.0.1:4010/api/model/warehouse');
  expect(output).toContain("curl -i -X POST -H 'accept: application/json'");
  expect(xml).toContain(
    'assumed: setting delete.effect. Section 3: A select field takes the values of its list.',
  );
});

/**
 * The attributes and the children of each element that the report has, by the schema that Jenkins uses
 * (junit-10.xsd). Earlier versions of the schema also prescribe this order of the children.
 */
const JENKINS: Readonly<Record<string, { attributes: string[]; children: string[] }>> = {
  testsuites: { attributes: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'] },
  testsuite: {
    attributes: [
      ...['name', 'tests', 'failures', 'errors', 'group', 'time', 'skipped', 'timestamp', 'hostname', 'id'],
      ...['package', 'file', 'log', 'url'],
    ],
    children: ['testcase'],
  },
  testcase: {
    attributes: ['name', 'time', 'classname', 'group'],
    children: ['skipped', 'error', 'failure', 'system-out'],
  },
  skipped: { attributes: ['type', 'message'], children: [] },
  error: { attributes: ['type', 'message'], children: [] },
  failure: { attributes: ['type', 'message'], children: [] },
  'system-out': { attributes: [], children: [] },
};

test('has only the elements and attributes of the schema that Jenkins uses, in its order', () => {
  const parser = new XMLParser({ attributeNamePrefix: '', ignoreAttributes: false, preserveOrder: true });
  for (const results of [sampleResults(), bareResults(), largeResults(10)]) {
    const [root] = parser.parse(renderJunit(results)).filter((node: object) => 'testsuites' in node);
    expect(faultsIn(root)).toEqual([]);
  }
});

/** Returns the differences of an element and its descendants from the schema. */
function faultsIn(node: Readonly<Record<string, unknown>>): string[] {
  const [name = ''] = Object.keys(node).filter((key) => key !== ':@');
  const allowed = JENKINS[name];
  if (!allowed) return [];
  const children = (node[name] as Record<string, unknown>[]).filter((child) => !('#text' in child));
  const names = children.map((child) => Object.keys(child).find((key) => key !== ':@') ?? '');
  const places = names.map((child) => allowed.children.indexOf(child));
  return [
    ...names.filter((child) => !allowed.children.includes(child)).map((child) => `${child} in ${name}`),
    ...Object.keys(node[':@'] ?? {})
      .filter((attribute) => !allowed.attributes.includes(attribute))
      .map((attribute) => `unknown attribute ${attribute} of ${name}`),
    ...(places.some((place, index) => place < (places[index - 1] ?? 0)) ? [`wrong order in ${name}`] : []),
    ...children.flatMap(faultsIn),
  ];
}

test('no text changes the direction of the report', () => {
  const result = sampleCase({ message: BIDI, found: BIDI, exchanges: [sampleExchange(BIDI)] });
  const xml = renderJunit(sampleResults({ cases: [result], target: `http://127.0.0.1/${BIDI}` }));
  expect(xml).not.toMatch(/\p{Bidi_Control}/u);
  expect(xml.split(BIDI_SHOWN).length).toBeGreaterThan(4);
});

test('a text that says true stays a text', () => {
  const { expected: _, found: __, ...bare } = sampleCase({ message: 'true' });
  expect(renderJunit(sampleResults({ cases: [bare] }))).toContain('message="true"');
});

test('an exchange of any length stays bounded', () => {
  const exchange = sampleCase().exchanges ?? [];
  const cases = [sampleCase({ exchanges: Array.from({ length: 500 }, () => exchange).flat() })];
  expect(renderJunit(sampleResults({ cases })).length).toBeLessThan(60_000);
});

test.skipIf(NO_BROWSER)('a strict parser reads whatever a service answers', async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    for (const results of [sampleResults(), bareResults(), largeResults(10)]) {
      const outcome = await page.evaluate(
        `(() => {
          const root = new DOMParser().parseFromString(${JSON.stringify(renderJunit(results))}, 'application/xml');
          return [root.querySelector('parsererror')?.textContent ?? '', root.documentElement.nodeName,
            root.querySelector('system-out')?.textContent ?? ''];
        })()`,
      );
      expect(outcome).toEqual(['', 'testsuites', expect.any(String)]);
      if (results.cases.length === 8)
        expect((outcome as string[])[2]).toContain(`< ${HOSTILE.slice(0, HOSTILE.indexOf('\n'))}`);
    }
  } finally {
    await browser.close();
  }
});
