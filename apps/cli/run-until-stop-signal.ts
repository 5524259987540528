/** The process events that stop a command. `disconnect` occurs when the parent process has ended, even if it was killed. */
const STOP_EVENTS = ['SIGINT', 'SIGTERM', 'disconnect'] as const;

/** Runs `work` with an abort signal, which is aborted when the process receives a stop signal. */
export async function runUntilStopSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const told = new AbortController();
  const tell = (): void => told.abort();
  for (const ending of STOP_EVENTS) process.on(ending, tell);
  try {
    return await work(told.signal);
  } finally {
    for (const ending of STOP_EVENTS) process.off(ending, tell);
  }
}
