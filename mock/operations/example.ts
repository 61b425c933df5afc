import type { Profile } from '../../spec/profile/profile.ts';
import { splitPointer, valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { Reply } from './reply.ts';
import type { Endpoint } from './router.ts';

/**
 * The answer that Prism gives in the place of the service. What it makes up for a list has a total of its own; the
 * records that are shown are all there are.
 */
export function agreeOnTotal(reply: Reply, { model, operation }: Endpoint, profile: Profile): Reply {
  const total = profile['response.total'];
  if (operation !== 'list' || reply.status !== 200 || total === 'none') return reply;
  const body: unknown = JSON.parse(reply.body);
  const records = valueAt(body, pointerFor(profile['response.records'], model.name));
  if (!Array.isArray(records)) return reply;
  if (total === 'header') {
    const name = profile['response.totalHeader'].toLowerCase();
    const others = Object.entries(reply.headers).filter(([known]) => known.toLowerCase() !== name);
    return { ...reply, headers: { ...Object.fromEntries(others), [name]: String(records.length) } };
  }
  const names = splitPointer(profile['response.totalPointer']);
  const last = names.pop() ?? '';
  const holder = valueAt(body, names.map((name) => `/${name}`).join(''));
  if (holder !== null && typeof holder === 'object') Object.assign(holder, { [last]: records.length });
  return { ...reply, body: JSON.stringify(body) };
}
