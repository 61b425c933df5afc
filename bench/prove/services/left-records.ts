import type { Service } from '../../../testing/services/service.ts';

/** Returns the differences to the records before the run, except those that the run reported. */
export function compare(
  service: Service,
  before: readonly string[],
  isSaid: (id: string) => boolean = () => false,
): string[] {
  const now = new Set(service.live());
  const then = new Set(before);
  const gone = before.filter((id) => !now.has(id));
  const left = [...now].filter((id) => !then.has(id) && !isSaid(id));
  return [
    ...(gone.length > 0 ? [`${gone.length} records are gone, such as ${gone.slice(0, 5).join(', ')}`] : []),
    ...(left.length > 0
      ? [`${left.length} records are left behind, such as ${left.slice(0, 5).join(', ')}`]
      : []),
  ];
}

/** Whether a run reported a record as left behind: itself, its parent, or a record of its model with an unknown ID. */
export function isNamed(record: string, left: readonly string[]): boolean {
  const [name = ''] = record.split('/');
  return left.some((one) => {
    const [model = '', id = ''] = one.split('/');
    if (one === record || name === `${model}Line`) return true;
    return name === model && !/^\d+$/.test(id);
  });
}
