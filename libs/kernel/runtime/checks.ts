/** The result of checking one part that a process needs. */
export interface CheckResult {
  status: 'ok' | 'unavailable';
  message?: string;
}

/** Tells whether a process can do its work, with the result of checking each part that it needs. */
export interface ReadyReport {
  ready: boolean;
  checks: Record<string, CheckResult>;
}

/**
 * The time limit for each check. The limit is short, because a monitoring tool that asks every few seconds treats a late answer as a
 * failure.
 */
export const CHECK_TIMEOUT_MILLIS = 2_000;

/**
 * The readiness checks of a process, one for each part that the process needs. The key is the name of the part. A check rejects if its part
 * is not available.
 */
export type ReadinessChecks = Record<string, () => Promise<unknown>>;

/**
 * Runs all checks at the same time. Never rejects, and ends after {@link CHECK_TIMEOUT_MILLIS} at the latest. The process is ready even if
 * the checks in `optional` fail; their results are only reported.
 */
export async function runChecks(
  needed: ReadinessChecks,
  optional: ReadinessChecks = {},
): Promise<ReadyReport> {
  const [must, may] = await Promise.all([lookAt(needed), lookAt(optional)]);
  return {
    ready: Object.values(must).every(({ status }) => status === 'ok'),
    checks: { ...must, ...may },
  };
}

async function lookAt(looks: ReadinessChecks): Promise<Record<string, CheckResult>> {
  const answers = Object.entries(looks).map(async ([name, look]) => [name, await attempt(look)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

/** The report of a process that cannot be used at the moment, without any checks. */
export function unavailableReport(message: string): ReadyReport {
  return { ready: false, checks: { process: { status: 'unavailable', message } } };
}

/** Thrown by a check whose message everybody may read: it names no address, path or credential. */
export class CheckFailed extends Error {}

async function attempt(look: () => Promise<unknown>): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CheckFailed(`no answer within ${CHECK_TIMEOUT_MILLIS} ms`)),
      CHECK_TIMEOUT_MILLIS,
    );
  });
  try {
    await Promise.race([look(), timeout]);
    return { status: 'ok' };
  } catch (error) {
    // Errors of drivers contain addresses and credentials, so they are not shown.
    return { status: 'unavailable', message: error instanceof CheckFailed ? error.message : 'not reachable' };
  } finally {
    clearTimeout(timer);
  }
}
