import { renderProfile } from '../conformance/learn/profile-file.ts';
import { renderLearned } from '../conformance/learn/render-learned.ts';
import { checkDirectory, saveFile } from '../spec/save-file.ts';
import { bindingsOf, type ConnectionOptions, connect, learnFrom } from './connection.ts';
import { endInterrupted, hasColors, onSignal, say } from './console.ts';
import { loadPlan } from './options.ts';

/** Finds out a profile and writes it. */
export async function learn(
  baseUrl: string,
  options: ConnectionOptions & { output: string; catalogue?: string },
): Promise<void> {
  if (options.output !== '-') checkDirectory(options.output);
  const plan = loadPlan(options.catalogue === undefined ? {} : { catalogue: options.catalogue });
  const bindings = bindingsOf(options, plan);
  const connected = connect(baseUrl, options);
  const stop = new AbortController();
  onSignal(() => stop.abort());
  try {
    const learned = await learnFrom({ ...connected, signal: stop.signal }, plan, bindings);
    // Half a profile would look like a whole one.
    if (stop.signal.aborted) return endInterrupted(learned.leftovers);
    say(renderLearned(learned, { color: hasColors(process.stderr) }));
    const text = renderProfile(learned);
    if (options.output === '-') process.stdout.write(text);
    else saveFile(options.output, text);
  } finally {
    await connected.target.close();
  }
}
