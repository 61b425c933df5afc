import { expect, test } from 'vitest';
import type { Faults, Row } from '../../testing/services/faulty-service.ts';
import { useFaultyService } from '../../testing/use-faulty-service.ts';

const { failures } = useFaultyService();

type Write = Parameters<NonNullable<Faults['after']>>;

/** A service in which a write to a multipack does something to the last comment. */
const harms = (operation: Write[0], harm: (comments: Map<number, Row>, last: number) => void) => ({
  after(...[done, model, , tables]: Write) {
    const comments = tables.taskComment;
    const last = Math.max(0, ...(comments?.keys() ?? []));
    if (done === operation && model === 'multipack' && comments && last > 0) harm(comments, last);
  },
});

test.each([
  ['delete', 'ids are given again', true],
  ['delete', 'ids are not given again', false],
  ['update', 'ids are not given again', false],
  ['create', 'ids are not given again', false],
] as const)(
  'a record that goes with the %s of another model is told of that write alone, where %s',
  async (operation, _, reuseIds) => {
    const faults = harms(operation, (comments, last) => void comments.delete(last));
    const rule = operation === 'create' ? 'create.distinct' : `${operation}.keeps-other-records`;
    expect(await failures(['multipack', 'taskComment'], { faults, reuseIds })).toEqual([`${rule}:multipack`]);
  },
);
