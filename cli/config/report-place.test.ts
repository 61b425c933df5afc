import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RENDERERS } from '../../conformance/report/report.ts';
import { bareResults, sampleResults } from '../../testing/sample-results.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { checkReportPlace } from './config.ts';

const directory = useDirectory();
const config = () => directory.path('project/record-model.yaml');

function place(name: string, format: string, text?: string): () => void {
  mkdirSync(directory.path('project/sub'), { recursive: true });
  if (text !== undefined) directory.write(name, text);
  return () => checkReportPlace(directory.path(name), format, config());
}

describe('the path of a report in record-model.yaml', () => {
  test.each(['project/sub/r.json', 'project/..r.json'])('can be %s', (name) => {
    expect(place(name, 'json')).not.toThrow();
  });

  test.each(['project/sub/../../r.json'])("can't be %s", (name) => {
    expect(place(name, 'json')).toThrow(
      /is outside of the directory of record-model\.yaml\. Choose a path inside, or pass --json on the command line\.$/,
    );
  });

  test("can't lead out of the directory through a link", () => {
    const check = place('project/link/r.json', 'json');
    symlinkSync(directory.path('.'), directory.path('project/link'));
    expect(check).toThrow(/is outside of the directory/);
  });

  test.each(['json', 'junit', 'markdown', 'html', 'har'] as const)(
    'can be an earlier %s report',
    (format) => {
      for (const results of [bareResults(), sampleResults()]) {
        const text = RENDERERS[format](results);
        expect(place('project/report', format, text)).not.toThrow();
      }
    },
  );

  test('can be an earlier list of leftovers, or an empty file', () => {
    const text = `${JSON.stringify({ target: 'http://x', leftovers: ['a/1'] }, null, 2)}\n`;
    expect(place('project/left.json', 'manifest', text)).not.toThrow();
    expect(place('project/empty', 'html', '')).not.toThrow();
  });

  test.each([
    ['json', '{"name": "my package"}'],
    ['html', '<!doctype html>\n<html><body>mine</body></html>'],
    ['junit', '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="jest tests">'],
    ['markdown', '# My notes'],
    ['har', '{"log": {"version": "1.2", "creator": {"name": "Firefox"}}}'],
    ['manifest', '{}'],
  ])("can't be another file (%s)", (format, text) => {
    expect(place('project/mine', format, text)).toThrow(
      /mine is not a report of record-model, so it is not replaced\. Choose another path, or pass --\w+ on the command line\.$/,
    );
  });
});
