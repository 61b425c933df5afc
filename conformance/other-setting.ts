import { applies, createProfile, type Profile, SETTINGS, type SettingName } from '../spec/profile.ts';
import { createRecordCodec, type RecordCodec, type RecordValues } from '../spec/record-codec.ts';
import { choicesOf } from '../spec/types/select.ts';
import { UsageError } from '../spec/usage-error.ts';
import { type Answer, type Api, isAccepted } from './api.ts';
import type { CaseContext } from './context.ts';
import { typeSetting } from './wire-check.ts';

/** Sends one request as it looks under some profile. */
type Send = (api: Api, codec: RecordCodec, profile: Profile) => Promise<Answer>;

/**
 * The setting and option under which a list that is refused is answered, as `version.in header`; undefined when
 * changing a single setting does not help.
 */
export function findSettingForList(context: CaseContext): Promise<string | undefined> {
  return findSetting(context, ['version.in', 'version.name'], (api) => api.list(context.model.name));
}

/** The same for a create of all writable fields that is refused. */
export async function findSettingForCreate(context: CaseContext): Promise<string | undefined> {
  return (await findForCreate(context, 'all')) ?? (await findUnshownValues(context));
}

/** The same for a create of the required fields that is refused. */
export function findSettingForMinimal(context: CaseContext): Promise<string | undefined> {
  return findForCreate(context, 'required');
}

function findForCreate(context: CaseContext, extent: 'required' | 'all'): Promise<string | undefined> {
  const { catalogue, model } = context;
  const lines = model.fields.flatMap((field) => catalogue.models.get(field.lines ?? '')?.fields ?? []);
  const writable = [...model.fields, ...lines].filter((field) => !field.readonly);
  const types = new Set(writable.flatMap((field) => typeSetting(field) ?? []));
  return findSetting(
    context,
    ['request.encoding', 'version.in', 'version.name', ...types],
    (api, codec, profile) => {
      const values = context.values(extent);
      // Lines that are given by ids have to be there first.
      if (profile['types.lines'] === 'ids')
        for (const field of model.fields)
          if (field.lines !== undefined && values[field.name]) values[field.name] = [];
      return create(context, api, codec.encodeNamed(model.name, values));
    },
  );
}

/** Whether a create is accepted without the fields whose values neither the source nor the profile shows. */
async function findUnshownValues(context: CaseContext): Promise<string | undefined> {
  const { api, codec, model, profile } = context;
  const fields = model.fields.filter(
    (field) =>
      !field.readonly && !field.required && field.type === 'select' && !choicesOf({ field, profile }),
  );
  if (fields.length === 0) return undefined;
  const values = context.values('all');
  for (const { name } of fields) delete values[name];
  const answer = await create(context, api, codec.encodeNamed(model.name, values));
  return isAccepted(answer) ? `values with a list for ${fields.map(({ key }) => key).join(', ')}` : undefined;
}

async function create(context: CaseContext, api: Api, body: RecordValues): Promise<Answer> {
  const answer = await api.create(context.model.name, body);
  context.adopt(answer);
  return answer;
}

async function findSetting(
  context: CaseContext,
  names: readonly SettingName[],
  send: Send,
): Promise<string | undefined> {
  const { catalogue, profile } = context;
  for (const setting of SETTINGS.filter(({ name }) => names.includes(name as SettingName)))
    for (const option of setting.variants) {
      const other = tryProfile({ ...profile, [setting.name]: option }, context);
      if (!other || option === profile[setting.name as SettingName] || !applies(setting, other)) continue;
      const answer = await send(context.apiWith(other), createRecordCodec(catalogue, other), other);
      if (isAccepted(answer)) return `${setting.name} ${option}`;
    }
  return undefined;
}

/** Some settings can't hold together. */
function tryProfile(settings: Profile, { catalogue }: CaseContext): Profile | undefined {
  try {
    return createProfile(settings, catalogue);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
