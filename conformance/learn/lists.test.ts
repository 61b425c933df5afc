import { describe, expect, it } from 'vitest';
import { changeProfile, pagesOf } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/profile/learning.ts';
import { IDS, recordsOf, unknownRecord, useStrangeService } from '../../testing/profile/strange-service.ts';

const { learn } = useStrangeService();

describe('lists', () => {
  it('under the name of their model have a place that names it', async () => {
    const under = (nameOf: (model: string) => string) =>
      learn((url) => {
        if (unknownRecord(url)) return { status: 404 };
        return { body: { [nameOf(url.pathname.split('/')[3] ?? '')]: recordsOf(IDS), total: 5 } };
      });
    const snake = (model: string) => model.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const places = new Map([
      ['/{model_name}_items', (model: string) => `${snake(model)}_items`],
      ['/{models}', (model: string) => `${model.replace(/y$/, 'ie')}s`.replace('metricDatas', 'metricData')],
    ]);
    for (const [place, nameOf] of places) expect((await under(nameOf)).found('response.records')).toBe(place);
    expect((await under((model) => model.toUpperCase())).found('response.records')).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/in a form that no profile supports, such as "\/[A-Z]+"$/),
    });
  });

  it('that grow while they are asked for show no size', async () => {
    let count = 5;
    const { found, learned } = await learn((url) => {
      if (unknownRecord(url)) return { status: 404 };
      const at = Number(url.searchParams.get('offset') ?? 0);
      const size = Number(url.searchParams.get('limit') ?? 1000);
      const ids = Array.from({ length: count++ }, (_, index) => index + 1);
      return { body: recordsOf(ids.slice(at, at + size)) };
    });
    expect(found('list.paging')).toMatchObject({ size: 'limit', default: 'unknown', max: 'unknown' });
    expect(learned.settings.get('list.paging')).toMatchObject({
      note: expect.stringMatching(
        /^default is unknown: the list of \w+ changes during the test; max is unknown/,
      ),
    });
  });

  it('whose default size is above the default greatest size make a profile all the same', async () => {
    const many = Array.from({ length: 700 }, (_, index) => index + 1);
    const { found, learned } = await learn((url) => {
      if (unknownRecord(url)) return { status: 404 };
      const at = Number(url.searchParams.get('offset') ?? 0);
      return { body: recordsOf(many.slice(at, at + Number(url.searchParams.get('limit') ?? 600))) };
    });
    expect(found('list.paging')).toMatchObject({ default: 600 });
    expect(pagesOf(changeProfile(learned.profile, {}, catalogue))?.max).toBeGreaterThanOrEqual(600);
  });

  it('of very many records with one name end all the same', async () => {
    const many = Array.from({ length: 8000 }, (_, index) => ({ id: index + 1, name: 'the same' }));
    const body = JSON.stringify(many);
    const { found } = await learn(
      (url) => {
        if (unknownRecord(url)) return { status: 404 };
        const id = Number(url.searchParams.get('id') ?? 0);
        return { body: id > 0 ? many.filter((one) => one.id === id) : body };
      },
      { selected: new Set(['brand']) },
    );
    expect(found('list.filter')).toBeDefined();
  });
});
