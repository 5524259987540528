import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from '../cli-error.js';

/** The checks in the response of `GET /v1/health/ready`. The keys are the names of the checks. */
type Checks = Record<string, { status: string; message?: string }>;

const POLL_MILLIS = 100;
const NEEDED: Record<string, string> = { postgres: 'DATABASE_URL', eventStore: 'EVENTSTORE_URL' };

/**
 * Waits until the API is ready. Resolves to true when the API is ready. Resolves to false at the deadline if Postgres and the event store
 * respond, but the API's read models are not current. The read models need more time if many events were written while the projector was
 * stopped. Throws a {@link CliError} that names an unreachable server and its setting. Rejects when `stop` is aborted.
 */
export async function waitUntilApiReady(
  url: string,
  stop: AbortSignal,
  deadlineMillis = 30_000,
): Promise<boolean> {
  const began = performance.now();
  for (;;) {
    const checks = await readReadiness(`${url}/v1/health/ready`, stop);
    stop.throwIfAborted();
    if (checks === 'ready') return true;
    if (performance.now() - began >= deadlineMillis) {
      const missing = describeProblem(checks);
      if (missing === undefined) return false;
      throw new CliError(missing);
    }
    await pause(POLL_MILLIS, undefined, { signal: stop });
  }
}

async function readReadiness(url: string, stop: AbortSignal): Promise<Checks | 'ready' | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([stop, AbortSignal.timeout(10_000)]) });
    if (response.ok) return 'ready';
    return ((await response.json()) as { checks?: Checks }).checks;
  } catch {
    return undefined;
  }
}

function describeProblem(checks: Checks | undefined): string | undefined {
  if (checks === undefined) return 'The API does not answer; see api.log';
  const missing = Object.entries(NEEDED)
    .filter(([name]) => checks[name]?.status !== 'ok')
    .map(([name, setting]) => ({ setting, text: `${name} (${checks[name]?.message ?? 'no answer'})` }));
  if (missing.length === 0) return undefined;
  const settings = missing.map(({ setting }) => setting).join(' and ');
  return `The API is not ready: ${missing.map(({ text }) => text).join(', ')}; check ${settings}`;
}
