import { KIT } from '../../../spec/files/kit-file.ts';
import { type HarEntry, type HarFile, harEntry } from '../../../spec/wire/har.ts';
import type { RecordedRequest } from './journal-view.ts';

/** The host of a request that did not name one. */
const NO_HOST = 'mock.invalid';

/** Writes exchanges of the request log as an HTTP archive (HAR 1.2). */
export function writeHar(exchanges: readonly RecordedRequest[]): HarFile {
  return {
    log: {
      version: '1.2',
      creator: KIT,
      comment:
        'Secrets are redacted, and bodies are cut after 64 KiB. The times are those of the clock of each session.',
      entries: exchanges.map(writeEntry),
    },
  };
}

function writeEntry({ at, fault, ms, session, status, ...exchange }: RecordedRequest): HarEntry {
  const { method, path, request, response } = exchange;
  const headers = request.headers as Readonly<Record<string, string>>;
  const body = textOf(request.body);
  return harEntry(
    {
      request: {
        method,
        url: `http://${headers.host ?? NO_HOST}${path}${request.query}`,
        headers,
        ...(body !== '' && { body }),
      },
      response: {
        status,
        headers: response.headers as Readonly<Record<string, string>>,
        body: textOf(response.body),
      },
    },
    {
      startedDateTime: at,
      time: ms,
      comment: `Session ${session}${fault === undefined ? '' : `, fault ${fault}`}.`,
    },
  );
}

/** The request log has JSON bodies as values. */
function textOf(body: unknown): string {
  return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
}
