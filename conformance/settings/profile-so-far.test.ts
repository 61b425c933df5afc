import { describe, expect, it } from 'vitest';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/profile/learning.ts';
import { type Finding, unknown } from './finding.ts';
import { createProfileSoFar } from './profile-so-far.ts';

const evidence = {
  request: { method: 'GET', url: 'http://service/api/model/brand', headers: {} },
  response: { status: 200, headers: {}, body: '' },
};
const found = (value: Extract<Finding, { kind: 'found' }>['value']): Finding => ({
  kind: 'found',
  value,
  evidence,
});

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

  it('keeps a size that is found beside the other one, which is not', () => {
    const short = createProfileSoFar(catalogue);
    short.note(['list.maxSize'], { 'list.maxSize': found(50), 'list.defaultSize': unknown('no') });
    expect(short.isFound('list.maxSize')).toBe(true);
    expect(short.profile()).toMatchObject({ 'list.defaultSize': 50, 'list.maxSize': 50 });
    const long = createProfileSoFar(catalogue);
    long.note(['list.defaultSize'], { 'list.defaultSize': found(700) });
    expect(long.profile()).toMatchObject({ 'list.defaultSize': 700, 'list.maxSize': 700 });
  });

  it('tells what does not apply from what is unknown', () => {
    const learned = createProfileSoFar(catalogue);
    learned.note(['list.paging'], { 'list.paging': found('page') });
    learned.suppose(['list.pageParameter', 'list.paging'], 'nobody asked');
    const settings = learned.all();
    expect(settings.get('list.offsetParameter')).toEqual({
      kind: 'does-not-apply',
      because: 'list.paging is page',
    });
    expect(settings.get('list.pageParameter')).toEqual({ kind: 'unknown', reason: 'nobody asked' });
    expect(settings.get('list.paging')).toMatchObject({ kind: 'found' });
  });
});
