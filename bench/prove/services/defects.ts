import type { Defect } from '../../../testing/services/defects/defect.ts';
import type { ZooService } from '../../../testing/services/services.ts';
import { type Measured, ownTime } from '../cost.ts';
import { describeSaid, type Kit } from './kit.ts';

/** The verdict of the kit on one defect. */
export type DefectVerdict = {
  /** `fastify text-cut-at-50` */
  readonly name: string;
  readonly caught: boolean;
  /** Other failures that the kit reported. */
  readonly instead: string;
};

/** Runs of one service with some models each. */
export type ServiceRuns = {
  readonly kit: Kit;
  readonly service: ZooService;
  /** The profile of the healthy service. */
  readonly profile: string;
};

/** Checks the models that a defect is about, under the profile of the healthy service. */
export async function tryDefect(runs: ServiceRuns, defect: Defect): Promise<DefectVerdict & Measured> {
  const { said, time } = await checkModels(runs, defect.models, defect);
  const failed = said.cases.filter(({ level, outcome }) => outcome === 'fail' && level !== 'advice');
  const caught = said.code === 1 && failed.some(({ rule }) => defect.rules.includes(rule));
  const advice = said.cases.filter(({ level, outcome }) => outcome === 'fail' && level === 'advice');
  const hints =
    advice.length > 0
      ? ` (advice: ${advice
          .map(({ id }) => id)
          .slice(0, 3)
          .join(', ')})`
      : '';
  return {
    name: `${runs.service.name} ${defect.name}`,
    caught,
    instead: caught ? '' : describeSaid(said) + hints,
    requests: said.requests,
    time,
  };
}

/** Measures a run of the healthy service. */
export async function measureHealthy(runs: ServiceRuns, models: readonly string[]): Promise<Measured> {
  const { said, time } = await checkModels(runs, models);
  return { requests: said.requests, time };
}

async function checkModels(
  { kit, profile, service }: ServiceRuns,
  models: readonly string[],
  defect?: Defect,
) {
  const started = await service.start(defect ? { defect } : {});
  try {
    const before = ownTime();
    const args = [...(service.args ?? []), '--profile', profile, '--models', models.join()];
    const said = await kit.check(started.url, args);
    return { said, time: ownTime() - before };
  } finally {
    await started.close();
  }
}
