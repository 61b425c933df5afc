import { afterEach, expect, test, vi } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { WIRE_TYPES } from '../spec/types/types.ts';
import { catalogue, check } from '../testing/checks.ts';
import { serve } from '../testing/services/http-server.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a fault that service and suite share in a codec, so that it cancels out, ends the run', async () => {
  const { decode, encode } = WIRE_TYPES.duration;
  vi.spyOn(WIRE_TYPES.duration, 'encode').mockImplementation(
    (value, context) => Number(encode(value, context)) + 7,
  );
  vi.spyOn(WIRE_TYPES.duration, 'decode').mockImplementation((wire, context) =>
    decode(Number(wire) - 7, context),
  );
  const service = await serve((_, response) => response.writeHead(200).end('[]'));
  try {
    const profile = createProfile({ 'types.duration': 'seconds' }, catalogue);
    await expect(check(service.url, { profile, models: ['voucherType'] })).rejects.toThrow(
      'duration seconds "P30D" is written as 2592007; expected 2592000',
    );
  } finally {
    await service.close();
  }
});
