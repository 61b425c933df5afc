import { locate } from '../conformance/target/place.ts';
import { listen } from '../mock/http/server.ts';
import { createProxy } from '../mock/proxy/proxy.ts';
import { leadsToItself } from '../mock/proxy/proxy-itself.ts';
import {
  createProxyCounter,
  renderExchange,
  renderProxySummary,
  renderProxyTotals,
} from '../mock/proxy/proxy-report.ts';
import { loadContract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { describeProfile, profileName } from '../spec/profile/profile.ts';
import { needUrl } from './config/config-options.ts';
import type { ContractOptions } from './options.ts';
import { createStatus, NOT_CONFORMANT, OK, say, untilSignal } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

/** Forwards requests to a service until a signal arrives, then prints a summary. */
export async function serveProxy(
  base: string | undefined,
  options: ContractOptions & {
    port: number;
    host: string;
    timeout: number;
    insecure?: true;
    allowHost?: readonly string[];
  },
): Promise<void> {
  const upstream = needUrl(base, 'service-url');
  const contract = loadContract(options);
  const { env, stderr, stdout } = terminal();
  const counter = createProxyCounter();
  const status = createStatus();
  const proxy = await createProxy({
    ...contract,
    upstream,
    timeout: options.timeout,
    insecure: options.insecure === true,
    ...((await locate(upstream)).isHere ? {} : { proxyEnv: env }),
    onError: (error) => say((error as Error).stack ?? String(error)),
    onExchange: (exchange) => {
      counter.add(exchange);
      status.clear();
      stdout.write(`${renderExchange(exchange)}\n`);
      // Without a terminal, the printed exchanges show the progress.
      if (stderr.isTTY) status.show(renderProxyTotals(counter.totals()));
    },
  });
  const { allowHost: allowHosts = [], host, port } = options;
  const server = await listen(proxy, { port, host, allowHosts });
  if (await leadsToItself(proxy.upstream, server.url)) {
    await server.close();
    throw new UsageError(
      `${upstream} is the address of this proxy. Pass the URL of the service, or another --port.`,
    );
  }
  const stopped = untilSignal();
  say(`Proxy for ${proxy.upstream} is running on ${server.url}`);
  say(`  profile    ${[profileName(options.profile), ...describeProfile(contract.profile)].join(', ')}`);
  say('  violations are printed below and returned in the header sl-violations of each response');
  say('Press Ctrl+C to stop and print a summary.');
  await stopped;
  await server.close();
  await proxy.close();
  status.clear();
  stdout.write(`${renderProxySummary(counter.summary())}\n`);
  const { request, response } = counter.totals();
  terminal().exitCode = request + response > 0 ? NOT_CONFORMANT : OK;
}
