import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import {
  bareResults,
  HOSTILE,
  largeResults,
  sampleCase,
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

test('the JUnit report has one suite per model, and one test case per case', () => {
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

test('failures of the target are JUnit failures, and other outcomes are skipped with the reason', () => {
  const suites = parse(renderJunit(sampleResults()));
  const cases = new Map(
    suites.testsuite.flatMap(({ testcase }) => testcase).map((one) => [one['@name'], one]),
  );
  expect(cases.get('list.shows-record:brand')).toMatchObject({ failure: { '@type': 'blocked' } });
  expect(cases.get('values.refused-on-update:warehouse.name=9')).toMatchObject({
    failure: { '@message': expect.stringMatching(/; expected a 4xx status, found /), '@type': 'fail' },
    'system-out': expect.stringContaining("curl -i -X POST -H 'accept: application/json'"),
  });
  expect(cases.get('delete.answer:brand')).toHaveProperty('error');
  expect(cases.get('absent.put:brand')).toMatchObject({ error: { '@type': 'flaky' } });
  const skipped = (message: RegExp) => ({ skipped: { '@message': expect.stringMatching(message) } });
  expect(cases.get('advice.long-text:warehouse')).toMatchObject(skipped(/^advice: /));
  expect(cases.get('fields.type:brand.name')).toMatchObject(skipped(/^excused \(known/));
  expect([suites['@tests'], suites['@failures'], suites['@errors']]).toEqual(['10', '4', '2']);
  expect(suites.testsuite.map((suite) => suite['@skipped'])).toEqual(['1', '2', '0']);
});

test('a stale baseline is a JUnit failure, and a run that ended early is an error', () => {
  const [stale, early, whole] = [
    { ...bareResults(), staleBaseline: ['absent.put:brand'] },
    { ...bareResults(), planned: 7, lost: 'nothing listens there' },
    bareResults(),
  ].map((results) => parse(renderJunit(results)));
  expect(stale).toMatchObject({ '@tests': '2', '@failures': '1', '@errors': '0' });
  expect(stale?.testsuite[1]?.testcase).toMatchObject([
    { '@name': 'baseline:absent.put:brand', failure: { '@type': 'stale' } },
  ]);
  expect(early).toMatchObject({ '@tests': '2', '@failures': '0', '@errors': '1' });
  expect(JSON.stringify(early?.testsuite[1]?.testcase[0]?.error)).toContain('nothing listens there');
  expect(whole?.testsuite).toHaveLength(1);
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

test('a JUnit report with many exchanges has a bounded length', () => {
  const exchange = sampleCase().exchanges ?? [];
  const cases = [sampleCase({ exchanges: Array.from({ length: 500 }, () => exchange).flat() })];
  expect(renderJunit(sampleResults({ cases })).length).toBeLessThan(60_000);
});

test('a strict parser reads whatever a service answers, in the schema that Jenkins uses', () => {
  const elements = new XMLParser({ attributeNamePrefix: '', ignoreAttributes: false, preserveOrder: true });
  for (const results of [sampleResults(), bareResults(), largeResults(10)]) {
    const xml = renderJunit(results);
    expect(XMLValidator.validate(xml)).toBe(true);
    const [root] = elements.parse(xml).filter((node: object) => 'testsuites' in node);
    expect(faultsIn(root)).toEqual([]);
    // Only these characters are allowed in XML 1.0.
    expect(xml).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
  }
  const [first] = parse(renderJunit(sampleResults())).testsuite[0]?.testcase.slice(1) ?? [];
  expect(first?.['system-out']).toContain(`< ${HOSTILE.slice(0, HOSTILE.indexOf('\n'))}`);
});
