import { describe, expect, it } from 'vitest';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/profile/learning.ts';
import { type LearnedSetting, unknown } from './observation.ts';
import { createProfileSoFar } from './profile-so-far.ts';

const evidence = {
  request: { method: 'GET', url: 'http://service/api/model/brand', headers: {} },
  response: { status: 200, headers: {}, body: '' },
};
const found = (value: Extract<LearnedSetting, { kind: 'found' }>['value']): LearnedSetting => ({
  kind: 'found',
  value,
  evidence,
});

const pages = {
  style: 'offset',
  size: 'limit',
  from: 'offset',
  default: 'unknown',
  max: 'unknown',
} as const;

describe('the profile so far', () => {
  it('is the default profile with what was found', () => {
    const learned = createProfileSoFar(catalogue);
    learned.note(['delete.effect', 'status.created'], {
      'delete.effect': found('remove'),
      'status.created': unknown('no'),
    });
    expect(learned.profile()).toEqual({ ...DEFAULT_PROFILE, 'delete.effect': 'remove' });
    expect([learned.isFound('delete.effect'), learned.isUnknown('status.created')]).toEqual([true, true]);
  });

  it('leaves out findings about settings that were not asked for', () => {
    const learned = createProfileSoFar(catalogue);
    learned.note(['status.created'], { 'delete.effect': found('remove') });
    expect(learned.profile()).toEqual(DEFAULT_PROFILE);
  });

  it('leaves out what can not be said in a profile, and keeps what was found beside it', () => {
    const learned = createProfileSoFar(catalogue);
    learned.note(['response.records', 'response.record'], {
      'response.records': found('/0/x'),
      'response.record': found('/data'),
    });
    expect(learned.profile()['response.record']).toBe('/data');
    expect(learned.all().get('response.records')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining(
        `a profile can't express the observation: response.records must be a JSON pointer such as /data, or "", or one with the name of the model: {models}, {model}, {model_names}, {model_name}, {model-names}, {model-name}, {Models}, {Model}, but is "/`,
      ),
    });
  });

  it('has an option that fits, although the setting is unknown', () => {
    const learned = createProfileSoFar(catalogue);
    const paging = { ...pages, size: 'perPage' };
    learned.note(['list.paging'], { 'list.paging': unknown('no parameter leads to the next page', paging) });
    expect([learned.isFound('list.paging'), learned.knows('list.paging')]).toEqual([false, true]);
    expect(learned.profile()['list.paging']).toEqual(paging);
    expect(learned.supposed().unknown['list.paging']).toMatchObject({ fits: true });
  });

  it('keeps a finding where nobody asked, and has a reason for each other setting', () => {
    const learned = createProfileSoFar(catalogue);
    learned.note(['list.paging'], { 'list.paging': found(pages) });
    learned.suppose(['list.paging', 'list.sort'], 'nobody asked');
    const settings = learned.all();
    expect(settings.get('list.paging')).toMatchObject({ kind: 'found' });
    expect(settings.get('list.sort')).toEqual({ kind: 'unknown', reason: 'nobody asked' });
    expect(settings.get('delete.effect')).toEqual({ kind: 'unknown', reason: 'no response showed it' });
  });

  it('takes each size of a page by the majority of the models that show it', () => {
    const learned = createProfileSoFar(catalogue);
    learned.note(['list.paging'], { 'list.paging': found({ ...pages, default: 50 }) });
    const sizes = {
      brand: 'unknown',
      warehouse: 20,
      lockerType: 50,
      customerTag: 20,
      helpArticle: 20,
    } as const;
    const votes = Object.entries(sizes).map(([place, size]) => ({
      setting: 'list.paging' as const,
      place,
      option: { ...pages, default: size },
      shown: `${size} records`,
      evidence,
    }));
    learned.see(votes);
    const models = [...catalogue.models.values()].filter(({ name }) => name in sizes);
    expect(learned.decide(models).map(({ place }) => place)).toEqual(['lockerType']);
    expect(learned.profile()['list.paging']).toEqual({ ...pages, default: 20 });
    expect(learned.profile().except).toEqual({
      lockerType: { 'list.paging': { ...pages, default: 50 } },
    });
  });
});
