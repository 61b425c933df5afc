import type { SettingName } from '../../spec/profile.ts';
import { UsageError } from '../../spec/usage-error.ts';
import { isAccepted } from '../api.ts';
import type { TargetRequest } from '../target.ts';
import type { Seen } from './asking.ts';
import { type Finding, type Findings, found, unknown } from './finding.ts';
import { describe } from './making.ts';
import type { Probe, ProbeContext } from './probe.ts';
import { findVersion } from './version.ts';

/** Who may ask (section 5), and how the version is named (section 9): without both nothing else can be seen. */
export const accessProbe: Probe = {
  settings: ['auth.scheme', 'auth.header', 'version.in', 'version.name'],
  needs: 'reading',
  async run(context) {
    const path = doorOf(context);
    const look = (more: Partial<TargetRequest> = {}) => context.ask.send({ method: 'GET', path, ...more });
    const stranger = await look({ without: 'credentials' });
    const known = carriesSecrets(await look()) ? await look() : stranger;
    if (known.status === 401) throw notLetIn(known, stranger);
    const version = await findVersion(context, known, look);
    const named = version.request;
    // A service may look at the version first.
    const again = named && stranger.status !== 401 ? await look({ ...named, without: 'credentials' }) : stranger;
    const let_in = named ? await look(named) : known;
    if (let_in.status === 401) throw notLetIn(let_in, again);
    return { ...version.findings, ...judgeCredentials(again, let_in, context) };
  },
};
