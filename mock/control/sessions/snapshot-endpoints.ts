import { SESSION_NAME } from '../address.ts';
import { type Endpoint, json, WRONG_BODY } from '../endpoint.ts';
import type { Snapshots } from './snapshots.ts';

const NAME = { type: 'string', pattern: SESSION_NAME.source };

/** Keeps the records of a session under a name, and brings them back. */
export function snapshotEndpoints(snapshots: Snapshots): Endpoint[] {
  const unknown = { 404: { description: 'There is no such snapshot.' } };
  return [
    {
      method: 'GET',
      path: '/snapshots',
      id: 'listSnapshots',
      summary: 'The names of all snapshots.',
      answers: {
        200: {
          description: 'The oldest first.',
          schema: { type: 'object', properties: { snapshots: { type: 'array', items: NAME } } },
        },
      },
      run: async () => json(200, { snapshots: await snapshots.list() }),
    },
    {
      method: 'POST',
      path: '/snapshots',
      id: 'createSnapshot',
      summary: 'Keeps the records and ids of the session under a name that every session sees.',
      body: { type: 'object', additionalProperties: false, required: ['name'], properties: { name: NAME } },
      answers: {
        201: { description: 'It is kept, in the place of one that had the name.' },
        422: WRONG_BODY,
      },
      run: async ({ body, session }) => {
        const { name } = body as { name: string };
        await snapshots.save(session, name);
        return json(201, { name });
      },
    },
    {
      method: 'POST',
      path: '/snapshots/{name}/restore',
      id: 'restoreSnapshot',
      summary: 'Puts the records and ids of a snapshot in the place of those of the session.',
      answers: { 204: { description: 'They are in place.' }, ...unknown },
      run: ({ name, session }) => snapshots.restore(session, name),
    },
    {
      method: 'DELETE',
      path: '/snapshots/{name}',
      id: 'deleteSnapshot',
      summary: 'Forgets a snapshot; sessions that began with it stay as they are.',
      answers: { 204: { description: 'It is forgotten.' }, ...unknown },
      run: ({ name }) => snapshots.forget(name),
    },
  ];
}
