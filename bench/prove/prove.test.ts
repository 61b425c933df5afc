import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';

describe('the command', () => {
  async function prove(...flags: string[]) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'prove.ts'), ...flags]);
    const [output, complaints, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    return { output, complaints, code };
  }

  test('tries one kind of defect in some of its places', async () => {
    const { code, output } = await prove('--only', 'fields.id-as-text', '--sample', '4', '--seed', '4');
    expect(output).toMatch(/^defects: 4 of 4 caught \(1 kinds, \d+ models, drawn from 210\) in \d+ s\n$/);
    expect(code).toBe(0);
  });

  test.each([
    [['--only', 'delet'], /^Unknown name "delet" in --only\. Did you mean "delete"\?$/m],
    [['--sample', 'all'], /^--sample must be a whole number, but is "all"\.$/m],
  ])('refuses %j', async (flags, reason) => {
    const { code, complaints } = await prove(...flags);
    expect([code, complaints]).toEqual([2, expect.stringMatching(reason)]);
  });
});
