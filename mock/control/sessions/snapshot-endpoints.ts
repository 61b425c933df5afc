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
      summary: 'List the names of the snapshots that the session can use.',
      answers: {
        200: {
          description: 'The names, oldest first.',
          schema: { type: 'object', properties: { snapshots: { type: 'array', items: NAME } } },
        },
      },
      run: async ({ session }) => json(200, { snapshots: await snapshots.list(session) }),
    },
    {
      method: 'POST',
      path: '/snapshots',
      id: 'createSnapshot',
      summary:
        'Save the records and IDs of the session as a snapshot. It belongs to the session, and is deleted with it. If `shared` is true, or the request names no session, all sessions can use it.',
      body: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: NAME, shared: { type: 'boolean' } },
      },
      answers: {
        201: { description: 'The snapshot is saved. It replaces an older one with the same name.' },
        422: WRONG_BODY,
      },
      run: async ({ body, session }) => {
        const { name, shared } = body as { name: string; shared?: boolean };
        await snapshots.save(session, name, shared);
        return json(201, { name });
      },
    },
    {
      method: 'POST',
      path: '/snapshots/{name}/restore',
      id: 'restoreSnapshot',
      summary: 'Replace the records and IDs of the session with those of a snapshot.',
      answers: { 204: { description: 'The session has the records and IDs of the snapshot.' }, ...unknown },
      run: ({ name, session }) => snapshots.restore(session, name),
    },
    {
      method: 'DELETE',
      path: '/snapshots/{name}',
      id: 'deleteSnapshot',
      summary: 'Delete a snapshot. Sessions that started from it do not change.',
      answers: { 204: { description: 'The snapshot is deleted.' }, ...unknown },
      run: ({ name, session }) => snapshots.forget(session, name),
    },
  ];
}
