import { InvalidRequest, Unavailable } from '#libs/kernel/core';

/**
 * Awaits the work of a task. A refusal with this code passes when something else has ended, so it becomes an Unavailable error. The task is
 * then never given up.
 */
export async function waitWhileRefused<Result>(code: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (!(error instanceof InvalidRequest && error.code === code)) throw error;
    throw new Unavailable(error.code, error.message, error.details);
  });
}
