import type { Defect } from '../../../testing/services/defects/defect.ts';
import type { ZooService } from '../../../testing/services/services.ts';
import { describeSaid, type Kit } from './kit.ts';

/** The verdict of the kit on one defect. */
export type DefectVerdict = {
  /** `fastify text-cut-at-50` */
  readonly name: string;
  readonly caught: boolean;
  /** Other failures that the kit reported. */
  readonly instead: string;
};

/** Checks the models that a defect is about, under the profile of the healthy service. */
export async function tryDefect(
  kit: Kit,
  service: ZooService,
  defect: Defect,
  profile: string,
  more: readonly string[] = [],
): Promise<DefectVerdict> {
  const started = await service.start({ defect });
  try {
    const said = await kit.check(started.url, [
      ...(service.args ?? []),
      ...more,
      '--profile',
      profile,
      '--models',
      defect.models.join(),
    ]);
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
      name: [service.name, defect.name, ...more].join(' '),
      caught,
      instead: caught ? '' : describeSaid(said) + hints,
    };
  } finally {
    await started.close();
  }
}
