import { sideBySide } from '../../../conformance/target/exchange.ts';
import type { Catalogue } from '../../../spec/catalogue/catalogue.ts';
import { DEFAULT_PROFILE, loadProfile, SETTINGS } from '../../../spec/profile/profile.ts';
import type { Defect } from '../../../testing/services/defects/defect.ts';
import { opened } from '../../../testing/services/http-server.ts';
import { drawDialect, FOREIGN_SERVICES, type ForeignService } from '../../../testing/services/services.ts';
import { linesOf } from '../outcomes.ts';
import { drawSample } from '../trials.ts';
import { createKit, type Kit, profileOf } from './kit.ts';

const DIALECTS = 24;
/** Models of each dialect, drawn by its seed. */
const MODELS = 6;
const OPTIONS = ['--seed', '1', '--explore', '20'];

/**
 * Returns what the kit says of services that share no code with it, one paragraph of text for each: of 24 dialects what
 * `learn` found and `check` says under it, and of each defect what `check` says of one of the services. They mostly
 * wait, so several run at once.
 */
export async function serviceOutcomes(catalogue: Catalogue, done: () => void): Promise<string[]> {
  using kit = createKit();
  const paragraph = async (title: string, ...parts: Promise<string[]>[]) => {
    const lines = (await Promise.all(parts)).flat();
    done();
    return [title, ...lines].join('\n');
  };
  const seeds = Array.from({ length: DIALECTS }, (_, index) => index + 1);
  const dialects = await sideBySide(seeds, (seed) => {
    const service = drawDialect(seed);
    const models = drawSample([...catalogue.models.keys()], MODELS, seed);
    const learned = learn(kit, service, catalogue);
    return paragraph(
      service.name,
      learned,
      learned.then(() => check(kit, service, models)),
    );
  });
  for (const service of FOREIGN_SERVICES) await learn(kit, service, catalogue);
  const defects = [...new Set(FOREIGN_SERVICES.flatMap((service) => service.defects))];
  const withDefects = await sideBySide([...defects.entries()], ([index, defect]) => {
    const able = FOREIGN_SERVICES.filter((service) => service.defects.includes(defect));
    const service = able[index % able.length] as ForeignService;
    return paragraph(`${service.name} ${defect.name}`, check(kit, service, defect.models, defect));
  });
  return [...dialects, ...withDefects];
}

/** Learns a service. Returns one line for each setting that is not the default. */
async function learn(kit: Kit, service: ForeignService, catalogue: Catalogue): Promise<string[]> {
  await using started = await opened(service.start());
  const file = profileOf(service.name);
  await kit.learn(started.url, file, service.args);
  const profile = loadProfile(kit.file(file), catalogue);
  return SETTINGS.flatMap(({ name }) => {
    const value = name in profile.unknown ? 'unknown' : JSON.stringify(profile[name]);
    return value === JSON.stringify(DEFAULT_PROFILE[name]) ? [] : [`  learned ${name}: ${value}`];
  });
}

/**
 * Checks some models of a service under what was learned of it. Returns one line for the cases of a rule that don't pass.
 * Whether a case is flaky depends on the load of the machine, so these are left out.
 */
async function check(
  kit: Kit,
  service: ForeignService,
  models: readonly string[],
  defect?: Defect,
): Promise<string[]> {
  await using started = await opened(service.start(defect && { defect }));
  const args = [...(service.args ?? []), ...OPTIONS, '--profile', kit.file(profileOf(service.name))];
  const { cases } = await kit.check(started.url, [...args, '--models', models.join()]);
  return linesOf(cases.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'flaky'));
}
