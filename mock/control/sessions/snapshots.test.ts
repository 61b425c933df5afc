import { describe, expect, test } from 'vitest';
import { serveMock } from '../../../testing/mocks/control.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';

const directory = useDirectory();
const brand = (name: string) => ({ brand: [{ id: 1, name }] });
const as = (session: string) => ({ 'x-mock-session': session });

describe.each(['in memory', 'in a file'])('a snapshot %s', (place) => {
  const serve = () =>
    serveMock({
      fixtures: brand('start'),
      ...(place === 'in a file' && { data: directory.path('mock.db') }),
    });

  test('belongs to the session that saved it', async () => {
    await using started = await serve();
    const [one, two] = [started.mock.session('one'), started.mock.session('two')];
    await one.setState(brand('one'));
    await two.setState(brand('two'));
    for (const session of [one, two]) await session.snapshot('seeded');
    for (const session of [one, two]) await session.reset();
    for (const session of [one, two]) await session.restore('seeded');
    expect(await one.state(['brand'])).toMatchObject(brand('one'));
    expect(await two.state(['brand'])).toMatchObject(brand('two'));
    await expect(started.mock.session('three').restore('seeded')).rejects.toThrow(
      'Unknown snapshot "seeded". Save it first.',
    );
    const listed = async (session: string) =>
      (await started.ask('GET', '/__mock/snapshots', undefined, as(session))).body.snapshots;
    expect([await listed('one'), await listed('three')]).toEqual([['seeded'], []]);
    const heir = { name: 'heir', from: 'seeded' };
    expect((await started.ask('POST', '/__mock/sessions', heir)).status).toBe(404);
    expect((await started.ask('POST', '/__mock/sessions', heir, as('one'))).status).toBe(201);
    expect(await started.mock.session('heir').state(['brand'])).toMatchObject(brand('one'));
    const { sessions } = (await started.ask('GET', '/__mock/sessions')).body;
    expect(sessions).toContainEqual(heir);
    expect((await started.ask('DELETE', '/__mock/snapshots/seeded', undefined, as('one'))).status).toBe(204);
    expect([await listed('one'), await listed('two')]).toEqual([[], ['seeded']]);
  });

  test('is for all sessions if it is shared, or of the shared session', async () => {
    await using started = await serve();
    const one = started.mock.session('one');
    await one.setState(brand('one'));
    await one.snapshot('shared', { shared: true });
    await started.mock.snapshot('first');
    const two = started.mock.session('two');
    await two.restore('shared');
    expect(await two.state(['brand'])).toMatchObject(brand('one'));
    await two.restore('first');
    expect(await two.state(['brand'])).toMatchObject(brand('start'));
    await one.delete();
    await two.restore('shared');
  });

  test('is deleted with its session', async () => {
    await using started = await serve();
    const one = started.mock.session('one');
    await one.setState(brand('one'));
    await one.snapshot('seeded');
    await one.delete();
    expect(await started.mock.sessions()).toEqual(['default']);
    expect(await one.state(['brand'])).toMatchObject(brand('start'));
    await expect(one.restore('seeded')).rejects.toThrow('Save it first');
    await expect(started.mock.delete()).rejects.toThrow('Reset it instead');
  });
});

test('snapshots of a session that nobody used for long are deleted', async () => {
  await using started = await serveMock({ fixtures: brand('start'), sessionIdle: 1 });
  const one = started.mock.session('one');
  await one.snapshot('seeded');
  const other = started.mock.session('two');
  await expect.poll(() => other.count().then(() => started.mock.sessions())).not.toContain('one');
  await expect(started.mock.session('one').restore('seeded')).rejects.toThrow('Save it first');
});
